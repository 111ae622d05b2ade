/** Settings of detection. The defaults are the product's, and the ones that `npm run bench -- detect` measures. */
import type { Level } from './expectations.ts';
import type { BaselineSettings } from './trailing-baseline.ts';
import type { WobbleSettings } from './drift-variance.ts';

export const DAY_MS = 24 * 3_600_000;
export const MONTH_MS = 30 * DAY_MS;

export interface WatchSettings {
  readonly baseline: BaselineSettings;
  readonly wobble: WobbleSettings;
  /** How long an hour waits before it counts as usual wobble: longer than a regression takes to be found. */
  readonly wobbleGapMs: number;
  /** Like `learn`, for the level since a regression began. */
  readonly learnSince: { readonly conversations: number; readonly historyMs: number };
  /** How many standard deviations of the wobble are let pass. */
  readonly wobbleAllowance: number;
  /** How many standard errors of the baseline are let pass. */
  readonly baselineAllowance: number;
  /** Bound on the expected number of false alarms of a level in 30 days, were the baseline known; with many levels it is less (alarm-budget.ts). */
  readonly falseAlarmsPerMonth: number;
  readonly learn: { readonly conversations: number; readonly historyMs: number };
  readonly silentMs: number;
  /** Days since 1970 (UTC) that are not like others: nothing is learnt from them, and they may be worse. */
  readonly holidays: ReadonlySet<number>;
  readonly suspectMaxMs: number;
  readonly recoveredMs: number;
}

export interface VersionSettings {
  /** Chance of a wrong "worse", and as much of a wrong "better", however often one looks. */
  readonly alpha: number;
  /** Success rates that differ by less than this are equivalent. */
  readonly margin: number;
  readonly blockMs: number;
  readonly baselineConversationsMin: number;
}

const METRICS = ['tcr', 'hard_failure', 'criterion', 'segment', 'cost_per_success', 'steps_per_success'] as const;
export type Metric = (typeof METRICS)[number];

export interface DetectionLimits {
  readonly streams: number;
  readonly segments: number;
  /** Kinds of requests that are compared with their own past. */
  readonly strata: number;
  /** Parts of the traffic that are watched by themselves. */
  readonly watchedSegments: number;
  readonly criteria: number;
  readonly versions: number;
  readonly candidates: number;
}

export interface DetectionSettings {
  /** Sum for all that is watched, in 30 days. */
  readonly falseAlarmsPerMonth: number;
  readonly watch: WatchSettings;
  readonly levels: Readonly<Record<Metric, Level>>;
  readonly versions: VersionSettings;
  readonly limits: DetectionLimits;
}

const FALL: Level = {
  worse: 'falls',
  bounded: true,
  // Capital grows where the change is at least half of what a bet is made for: nothing under 2.75 % is collected.
  sizes: [0.055, 0.11, 0.22, 0.44],
  weights: [0.32, 0.2, 0.3, 0.18],
  minimumChange: 0.025,
  minimumDifference: 0,
  lenience: 0.0015,
};

const RATIO: Level = {
  worse: 'rises',
  bounded: false,
  sizes: [0.12, 0.25, 0.5, 1],
  weights: [0.4, 0.25, 0.2, 0.15],
  minimumChange: 0.1,
  minimumDifference: 0,
  lenience: 0.01,
};

export const DEFAULT_DETECTION: DetectionSettings = {
  falseAlarmsPerMonth: 1,
  watch: {
    baseline: { memoryMs: 14 * DAY_MS, gapMs: DAY_MS, bucketMs: 4 * 3_600_000 },
    wobble: { memoryMs: MONTH_MS, evidentErrors: 2.5 },
    wobbleGapMs: 7 * DAY_MS,
    wobbleAllowance: 1.4,
    baselineAllowance: 0.3,
    falseAlarmsPerMonth: 0.17,
    learn: { conversations: 50, historyMs: 7 * DAY_MS },
    learnSince: { conversations: 100, historyMs: DAY_MS },
    silentMs: DAY_MS,
    suspectMaxMs: 14 * DAY_MS,
    recoveredMs: DAY_MS,
    holidays: new Set(),
  },
  levels: {
    tcr: FALL,
    criterion: FALL,
    segment: FALL,
    hard_failure: {
      worse: 'rises',
      bounded: true,
      sizes: [0.5, 1.5, 4, 9],
      weights: [0.35, 0.25, 0.25, 0.15],
      minimumChange: 0.25,
      minimumDifference: 0.005,
      lenience: 0.02,
    },
    cost_per_success: RATIO,
    steps_per_success: RATIO,
  },
  versions: { alpha: 0.025, margin: 0.025, blockMs: 60_000, baselineConversationsMin: 50 },
  limits: { streams: 200, segments: 20, strata: 48, watchedSegments: 20, criteria: 100, versions: 20, candidates: 5 },
};
