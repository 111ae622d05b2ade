/**
 * The words of regression detection that its reports share: what a detector says at a moment, and what changed. `src/statistics/detect` decides;
 * the pipeline feeds it and keeps its state.
 */

import type { HistoryWanted } from './history-learning.ts';

export const DETECTOR_METRICS = [
  'tcr',
  'hard_failure',
  'criterion',
  'segment',
  'cost_per_success',
  'steps_per_success',
] as const;
export type DetectorMetric = (typeof DETECTOR_METRICS)[number];

export const DETECTOR_STATES = [
  'no_data',
  'learning',
  'ok',
  'suspected',
  'regressed',
  'partly_back',
  'recovered',
] as const;

/** End of the sentence about a level that has begun to be learned, which is no change of the agent. */
export const LEARNS = 'is learning what is usual';
type DetectorState = (typeof DETECTOR_STATES)[number];

const IS_CALM = {
  no_data: true,
  learning: true,
  ok: true,
  suspected: false,
  regressed: false,
  partly_back: false,
  recovered: false,
} satisfies Record<DetectorState, boolean>;

/** Whether nothing is wrong, as far as is known, and nothing was lately. */
export function isCalm(state: DetectorState): boolean {
  return IS_CALM[state];
}

/** States of a level that is worse than it was. */
const WORSE: ReadonlySet<DetectorState> = new Set(['regressed', 'partly_back']);

export function isWorse(state: DetectorState): boolean {
  return WORSE.has(state);
}

export const VERSION_VERDICTS = ['worse', 'better', 'equivalent', 'inconclusive'] as const;
type VersionVerdict = (typeof VERSION_VERDICTS)[number];

/** A suite applied to an agent in an environment. */
export interface Watched {
  readonly suite: string;
  readonly agent: string;
  readonly environment: string;
}

/** A figure under watch. */
export interface WatchedLevel extends Watched {
  readonly metric: DetectorMetric;
  /** Present where the metric is `criterion`. */
  readonly criterion: string | undefined;
  /** Present where the metric is `segment`: the part of the traffic whose TCR it is, such as `tool: search`. */
  readonly part?: string | undefined;
}

/** Levels that a person chose: all that match every field given here. */
export interface ChosenLevels {
  readonly suite: string;
  readonly agent: string;
  readonly environment?: string | undefined;
  readonly metric?: DetectorMetric | undefined;
  readonly criterion?: string | undefined;
  readonly part?: string | undefined;
}

/** A part of the traffic that explains a fall of the score. */
export interface FallCause {
  /** Traits that its conversations share, one or two, such as `tool: search`. Empty if the fall is everywhere. */
  readonly parts: readonly string[];
  /** From 0 to 1; the rest is for the other causes and for none of these. Absent in notices of an older Assay. */
  readonly probability?: number | undefined;
  /** Part of the fall that is in these conversations, from 0 to 1. */
  readonly share: number;
  /** Number of conversations looked at since it began, and their mean score before and since. */
  readonly conversations: number;
  readonly expected: number;
  readonly observed: number;
}

/** A cause is named first where it is this probable; less is not clear. */
export const CLEAR_FROM = 0.6;

/** Probability that none of the causes explains the fall; undefined where there are none, or an older Assay named them. */
export function noneOfThese(causes: readonly FallCause[]): number | undefined {
  if (causes.length === 0 || causes.some(({ probability }) => probability === undefined)) return undefined;
  return Math.max(0, 1 - causes.reduce((sum, { probability = 0 }) => sum + probability, 0));
}

interface Change {
  /** Baseline in the metric's own unit, for the mix of traffic that was observed. */
  readonly baseline: number;
  readonly observed: number;
  /** Relative to the baseline; negative is a fall. With its interval of 95 %. */
  readonly ratio: number;
  readonly lower: number;
  readonly upper: number;
}

/** TCR as it was counted in both periods, whatever was asked in them. */
interface CountedChange {
  readonly baseline: number;
  readonly observed: number;
}

/** A part of a change of TCR as it was counted, in points of the score; the parts add up to that change. */
interface ChangePart {
  readonly part: 'criterion' | 'mix';
  /** Empty for the mix. */
  readonly criterion: string;
  readonly points: number;
}

/** Points of the change that a segment made, or the mix of segments. */
interface SegmentPart {
  readonly part: 'segment' | 'mix';
  /** Empty for the mix. */
  readonly segment: string;
  readonly points: number;
}

export interface LevelReading extends WatchedLevel {
  readonly state: DetectorState;
  /** Log time since when it has been so; undefined where nothing was observed yet. */
  readonly since: number | undefined;
  /** Natural logarithms. */
  readonly logEvidence: number;
  readonly logThreshold: number;
  readonly change: Change | undefined;
  /** When it seems to have begun; undefined where nothing is wrong. */
  readonly onset: number | undefined;
  readonly minimumDetectableRatio: number | undefined;
  /** Share of conversations whose spans name no user, of TCR. Absent in notices of an older Assay. */
  readonly unnamedShare?: number | undefined;
  /** Parts of a change of TCR; empty if there is nothing to take apart. */
  readonly parts: readonly ChangePart[];
  /** Parts of the change by segment; empty if there are not several. Absent in notices of an older Assay. */
  readonly segmentParts?: readonly SegmentPart[];
  /**
   * Sum of the parts. `change` is another one: it has the mix taken out. Absent without parts, and in notices of an
   * older Assay.
   */
  readonly counted?: CountedChange | undefined;
  /** Parts of the traffic that explain a fall, the best first. Absent in notices of an older Assay. */
  readonly causes?: readonly FallCause[];
}

/** Result of accepting levels: the regressed ones, as they were before, and matching ones that had not regressed. */
export type Acceptance =
  | { readonly accepted: readonly LevelReading[]; readonly others: readonly LevelReading[] }
  /** No level was accepted, or it is unknown whether one was. */
  | { readonly problem: string };

/** A version against the one that had most of the traffic before it. */
export interface VersionReading extends Watched {
  readonly version: string;
  readonly baselineVersion: string;
  readonly verdict: VersionVerdict;
  readonly logEvidenceWorse: number;
  readonly logEvidenceBetter: number;
  /** Success rate of the candidate less that of the baseline. */
  readonly difference: number | undefined;
}

export type Transition =
  | {
      readonly kind: 'level';
      /** Stable across deliveries, so that receivers can drop duplicates. */
      readonly id: string;
      /** Log time. */
      readonly at: number;
      readonly from: DetectorState;
      readonly to: DetectorState;
      readonly reading: LevelReading;
    }
  | {
      /** The judges have other versions now. */
      readonly kind: 'judges';
      readonly id: string;
      readonly at: number;
      readonly from: string;
      readonly to: string;
      readonly reading: JudgesReading;
    }
  | {
      readonly kind: 'version';
      readonly id: string;
      readonly at: number;
      readonly from: VersionVerdict;
      readonly to: VersionVerdict;
      readonly reading: VersionReading;
    };

/** The judges of a suite changed: what they answer now cannot be compared with what others answered. */
export interface JudgesReading extends Watched {
  /** How TCR moved: undefined until there are conversations since. */
  readonly moved:
    | {
        readonly before: number;
        readonly after: number;
        /** Points by criteria that judges answer, and by everything else. */
        readonly byJudges: number;
        readonly byOthers: number;
      }
    | undefined;
}

/** Events that people may want to be notified of. */
export const NOTICE_KINDS = [
  'no_data',
  'suspected',
  'regressed',
  'partly_back',
  'recovered',
  'version_worse',
  'version_better',
  'judges_changed',
] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** Kind of notice; undefined if the transition needs none. */
export function noticeKindOf(transition: Transition): NoticeKind | undefined {
  const name = { level: transition.to, version: `version_${transition.to}`, judges: 'judges_changed' }[transition.kind];
  return NOTICE_KINDS.find((kind) => kind === name);
}

/** A transition on its way to webhooks. */
export interface Notice {
  readonly transition: Transition;
  /** Wall-clock time, from which it is given up after a while. */
  readonly queuedAt: number;
  /** The keys of those that have not had it yet. */
  readonly to: readonly string[];
}

/** Report of a round of detection, once it is committed. */
export interface DetectionReport {
  readonly levels: readonly LevelReading[];
  readonly versions: readonly VersionReading[];
  /** Suites whose judges changed lately. */
  readonly judges: readonly JudgesReading[];
  /** Observations of this round. */
  readonly transitions: readonly Transition[];
  /** The last ones, latest first. */
  readonly recent: readonly Transition[];
  readonly notices: readonly Notice[];
  /** Since detection began from scratch. */
  readonly observed: number;
  /** Amounts that its limits kept out, by kind. */
  readonly keptOut: { readonly [what: string]: number };
  /** The log time up to which it has observed. */
  readonly time: number;
  /** Suites that are learned from stored conversations. */
  readonly learning: readonly HistoryWanted[];
}

/** A receiver of notices. */
export interface Webhook {
  /** Name in metrics and logs; the URL may be a secret. */
  readonly name: string;
  /** Stable for the same receiver. */
  readonly key: string;
  readonly url: string;
  readonly format: 'slack' | 'json';
  readonly secret: string | undefined;
  readonly on: readonly NoticeKind[];
  /** Address of the page, for links in messages; without a slash at its end. */
  readonly page?: string | undefined;
}
