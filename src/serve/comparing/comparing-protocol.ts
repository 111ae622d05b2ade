/** Messages between the main thread and the thread that compares. */
import type { SuiteOutline } from '../../engine/suite-outline.ts';
import type { VersionReading } from '../../model/detection.ts';
import type { StorePlace } from '../store-place/open-reader.ts';
import type { RouteJob } from '../reading/reading-protocol.ts';

export interface ComparingStart {
  readonly store: StorePlace;
}

/** Settings and suites that answers depend on; another object after a reload. */
export interface ComparingParts {
  /** Suites that run, live or in shadow. */
  readonly suites: readonly SuiteOutline[];
  /** Folder of the experiments. */
  readonly experiments: string;
  /** Attributes that hold the id of a conversation, besides the usual ones. */
  readonly idKeys: readonly string[];
  /** Versions that detection races. */
  readonly races: readonly VersionReading[];
}

export type SentComparison = RouteJob & ComparingParts;
