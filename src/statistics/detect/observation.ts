/** Defines what detection takes in and what it reports. */
import type { Watched } from '../../model/detection.ts';
import type { Outcome, VerdictKind } from '../../model/evaluation.ts';
import type { State, WatchReading } from './watch-reading.ts';
import type { NamedCause } from './fall-sample.ts';
import type { Metric } from './settings.ts';
import type { TcrSplit } from '../../model/tcr-split.ts';
import type { VersionReading } from './version-race.ts';

/** One evaluation, in the order in which they were committed. */
export interface Observation {
  readonly suite: string;
  readonly agent: string;
  readonly environment: string;
  readonly version: string;
  /** Empty where no segment is configured. */
  readonly segment: string;
  /** The user or session that had the conversation. Empty where spans name nobody. */
  readonly user: string;
  /** Things that it has in common with others, such as `tool: search`. */
  readonly traits: readonly string[];
  /** Version of the judges that scored it; empty where there are none. */
  readonly judgedBy: string;
  /** Criteria that a model answers. */
  readonly judged: ReadonlySet<string>;
  /** Log time, in milliseconds. A time before the last one counts as the last one. */
  readonly at: number;
  /** 0 to 1; undefined where it was not scored. */
  readonly score: number | undefined;
  readonly outcome: Outcome;
  /** As they count: a criterion that did not apply may be a pass for the suite. */
  readonly verdicts: Iterable<readonly [criterion: string, verdict: VerdictKind]>;
  readonly weights: ReadonlyMap<string, number>;
  readonly costUsd: number | undefined;
  readonly steps: number;
}

export type Reading =
  | (Watched & {
      readonly of: 'level';
      readonly metric: Metric;
      /** Present where the metric is `criterion`. */
      readonly criterion: string | undefined;
      /** Present where the metric is `segment`: `tool: search`. */
      readonly part: string | undefined;
      readonly level: WatchReading;
      /** Parts of the traffic that explain a fall of the score; empty where there is none. */
      readonly causes: readonly NamedCause[];
    })
  | (Watched & { readonly of: 'split'; readonly split: TcrSplit; readonly segments: readonly string[] })
  /** Split of the change of the score since the judges changed. */
  | (Watched & {
      readonly of: 'judges';
      readonly at: number;
      readonly split: TcrSplit;
      readonly judged: ReadonlySet<string>;
      /** Absent where no conversation was asked by both. */
      readonly bridge?: JudgesBridged;
    })
  | (Watched & {
      readonly of: 'version';
      readonly version: string;
      readonly baselineVersion: string;
      readonly race: VersionReading;
    });

/** One in so many conversations was learned from: of all figures, and of those that scores are needed for. */
export interface LearnedFrom {
  readonly all: number;
  readonly scored: number;
}

/** Mean scores of the same conversations, by the judges of before and of now. */
export interface JudgesBridged {
  readonly before: number;
  readonly after: number;
}

/** Other judges score the same suite: figures from before and since cannot be compared. */
export interface JudgesChanged extends Watched {
  readonly at: number;
  readonly from: string;
  readonly to: string;
}

export interface Transition extends Watched {
  readonly metric: Metric;
  readonly criterion: string | undefined;
  readonly part: string | undefined;
  readonly from: State;
  readonly to: State;
  readonly at: number;
  /** The state at the moment of the call. */
  readonly level: WatchReading;
  readonly causes: readonly NamedCause[];
}
