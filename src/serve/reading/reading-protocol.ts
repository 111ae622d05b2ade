/** Messages between the main thread and the reading thread. */
import type { OutgoingHttpHeaders } from 'node:http';
import type { SuiteOutline } from '../../engine/suite-outline.ts';
import type { ModelPrices } from '../../model/cost.ts';
import type { Transition } from '../../model/detection.ts';
import type { ShownCalibration } from '../../report/metrics/calibration-metrics.ts';
import type { ShownEstimate } from '../../report/metrics/estimate-metrics.ts';
import type { DetectionState } from '../detection/detection-state.ts';
import type { Evidence } from '../../report/webhooks/detection-record.ts';
import type { AgentPrediction } from '../estimate/learned-predictions.ts';
import type { StorePlace } from '../store-place/open-reader.ts';

export interface ReadingStart {
  readonly store: StorePlace;
}

/** State of the main thread that answers depend on. */
export interface ReadingState {
  /** Suites that run, live or in shadow. */
  readonly suites: readonly SuiteOutline[];
  readonly detection: DetectionState;
  /** Prices of the agents' tokens; absent where there are none. */
  readonly prices?: readonly ModelPrices[];
}

/** A request of a client: a row of the table of routes, and what was asked of it. */
export interface RouteJob {
  readonly what: 'route';
  readonly path: string;
  readonly query: string;
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

/** Reads that the service itself needs. */
export type OwnJob =
  | { readonly what: 'evidence'; readonly of: Pick<Transition, 'kind' | 'reading'> }
  | { readonly what: 'calibration' }
  | { readonly what: 'estimates' }
  | { readonly what: 'predictions' };

export interface OwnResults {
  readonly evidence: Evidence;
  readonly calibration: readonly ShownCalibration[];
  readonly estimates: readonly ShownEstimate[];
  readonly predictions: readonly AgentPrediction[];
}

/** A read as the thread gets it. */
export interface SentRead {
  readonly job: RouteJob | OwnJob;
  /** State that has changed since the last message. */
  readonly changed: Partial<ReadingState>;
}

/** An answer whose body is bytes, which cross threads without being copied. */
export interface ReadAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers?: OutgoingHttpHeaders;
}

export type ReadReply =
  | { readonly to: 'client'; readonly answer: ReadAnswer }
  | { readonly to: 'service'; readonly result: OwnResults[keyof OwnResults] };

export type SaidByReading =
  /** Stored spans that fail their checksum or are gone; the answer says so as well. */
  | { readonly type: 'content-damaged'; readonly what: string; readonly reason: string }
  /** A part of an answer that is missing. */
  | { readonly type: 'read-incomplete'; readonly what: string; readonly error: string };
