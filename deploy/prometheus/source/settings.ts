/**
 * The tuning parameters of the rules. Times are in seconds, so that a test can divide all of them by a factor
 * (`shortened`) and still run the shipped rules.
 */
import { COST_EFFICIENCY_DROP, riseOfCost, SUCCESS_DROP } from '../../../src/model/regression-thresholds.ts';

export interface Window {
  readonly seconds: number;
  /** The window that must show the fall as well: the alert resolves soon after this window has recovered. */
  readonly confirmedBy: number;
  readonly pace: Pace;
}
export type Pace = 'fast' | 'slow';

export interface RuleSettings {
  /** Shortest first. */
  readonly windows: readonly Window[];
  /** For counts by criterion or by version, for which a shorter window would mostly be empty. */
  readonly coarseWindows: readonly Window[];
  /** For cost and steps, whose alerts can wait for the morning. */
  readonly effortWindows: readonly number[];
  /**
   * `seconds` of history that ended `offset` ago; for an agent that is younger than that, its history until
   * `youngOffset` ago.
   */
  readonly baseline: { readonly seconds: number; readonly offset: number; readonly youngOffset: number };
  /** The blocks from which the variation of the rate is estimated, and how many are required. */
  readonly block: { readonly seconds: number; readonly min: number };
  readonly bandWindow: number;
  /** The windows for which an alert names what moved. */
  readonly explainWindow: number;
  readonly fall: {
    /** Windows from this one on take the estimate of a fall as its size, because no longer window knows it better. */
    readonly estimateFrom: number;
    /** Shorter windows see a recovery by chance, because there are so many of them. */
    readonly endFrom: number;
    /** A fall ends without traffic for so long. */
    readonly silent: number;
    readonly silentVersion: number;
    /** A fall ends after so long, and what has lasted since then is usual. */
    readonly longest: number;
    /** The longest time without rules, as at a restart of Prometheus, that an open fall outlasts. */
    readonly memory: number;
  };
  /** The window of the estimates from readings, and how long ago the windows ended that they are compared with. */
  readonly estimate: { readonly window: number; readonly before: readonly number[] };
  readonly silence: { readonly seconds: number; readonly yesterday: number; readonly lastWeek: number };
  /**
   * Evaluation intervals. Slow must stay under Prometheus' lookback of 5 minutes: a series recorded less often has
   * gaps.
   */
  readonly interval: Readonly<Record<Pace, number>>;
  /**
   * The divisor of the durations of `for:` and `keep_firing_for:`, and of the windows of the alerts about Assay itself.
   */
  readonly shorterBy: number;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const COARSE: readonly Window[] = [
  { seconds: HOUR, confirmedBy: HOUR, pace: 'slow' },
  { seconds: 6 * HOUR, confirmedBy: HOUR, pace: 'slow' },
  { seconds: DAY, confirmedBy: 6 * HOUR, pace: 'slow' },
  { seconds: 3 * DAY, confirmedBy: 6 * HOUR, pace: 'slow' },
];

export const RULE_SETTINGS: RuleSettings = {
  windows: [
    { seconds: 5 * MINUTE, confirmedBy: 5 * MINUTE, pace: 'fast' },
    { seconds: 30 * MINUTE, confirmedBy: 5 * MINUTE, pace: 'fast' },
    { seconds: HOUR, confirmedBy: 5 * MINUTE, pace: 'slow' },
    { seconds: 2 * HOUR, confirmedBy: 30 * MINUTE, pace: 'slow' },
    { seconds: 6 * HOUR, confirmedBy: 30 * MINUTE, pace: 'slow' },
    { seconds: DAY, confirmedBy: 2 * HOUR, pace: 'slow' },
    { seconds: 3 * DAY, confirmedBy: 6 * HOUR, pace: 'slow' },
  ],
  coarseWindows: COARSE,
  effortWindows: [6 * HOUR, 3 * DAY],
  baseline: { seconds: 7 * DAY, offset: 3 * DAY, youngOffset: DAY },
  block: { seconds: HOUR, min: 24 },
  bandWindow: DAY,
  explainWindow: 6 * HOUR,
  fall: {
    estimateFrom: DAY,
    endFrom: 30 * MINUTE,
    silent: 3 * DAY,
    silentVersion: 6 * HOUR,
    longest: 30 * DAY,
    memory: 2 * HOUR,
  },
  estimate: { window: 7 * DAY, before: [7 * DAY, 14 * DAY, 21 * DAY, 28 * DAY] },
  silence: { seconds: 2 * HOUR, yesterday: DAY, lastWeek: 7 * DAY },
  interval: { fast: MINUTE, slow: 4 * MINUTE },
  shorterBy: 1,
};

/** The same rules with every time divided by a factor, at least a second: for tests that cannot wait for days. */
export function shortened(settings: RuleSettings, factor: number): RuleSettings {
  const less = (seconds: number) => Math.max(1, Math.round(seconds / factor));
  const shorterWindow = (window: Window): Window => ({
    ...window,
    seconds: less(window.seconds),
    confirmedBy: less(window.confirmedBy),
  });
  const { baseline, block, fall, estimate, silence, interval } = settings;
  return {
    windows: settings.windows.map(shorterWindow),
    coarseWindows: settings.coarseWindows.map(shorterWindow),
    effortWindows: settings.effortWindows.map(less),
    baseline: {
      seconds: less(baseline.seconds),
      offset: less(baseline.offset),
      youngOffset: less(baseline.youngOffset),
    },
    block: { ...block, seconds: less(block.seconds) },
    bandWindow: less(settings.bandWindow),
    explainWindow: less(settings.explainWindow),
    fall: {
      estimateFrom: less(fall.estimateFrom),
      endFrom: less(fall.endFrom),
      silent: less(fall.silent),
      silentVersion: less(fall.silentVersion),
      longest: less(fall.longest),
      memory: less(fall.memory),
    },
    estimate: { window: less(estimate.window), before: estimate.before.map(less) },
    silence: {
      seconds: less(silence.seconds),
      yesterday: less(silence.yesterday),
      lastWeek: less(silence.lastWeek),
    },
    interval: { fast: less(interval.fast), slow: less(interval.slow) },
    shorterBy: settings.shorterBy * factor,
  };
}

/** The evidence, in nats, at which a fall against the baseline is an alarm; docs/operate/alerting.md explains the value. */
export const ALARM_NATS = 11;
/** A candidate is compared for days, not forever. */
export const VERSION_ALARM_NATS = 7;
/** A fall opens only against so many conversations: a dozen without a failure look like an agent that never fails. */
export const BASELINE_CONVERSATIONS_MIN = 200;
/** The evidence, in nats, that an open fall has ended. It is asked of every window, for as long as the fall lasts. */
export const END_NATS = 9;
/** The lower end of a fall in a short window, in standard errors. */
export const FALL_Z = 2.5;
/** The same for the size that an open fall grows to: the largest of thousands of looks, which must not exceed the fall. */
export const FALL_SIZE_Z = 4;
/** Relative falls below these are ignored, however certain. */
export const FALL = { page: 0.05, ticket: 0.025, success: SUCCESS_DROP, criterion: 0.05, version: 0.025 } as const;
/** The fall of cost efficiency at which a gate without a file fails, as a rise of cost per success. */
export const RISE = { cost_usd: Number(riseOfCost(COST_EFFICIENCY_DROP).toFixed(4)), steps: 0.1 } as const;
export const RISE_Z = 4;
export const RISE_CONVERSATIONS_MIN = 100;
/** Levels of the mean score, by the names that the rules record them under. */
export const BANDS = { production: 0.85, usable: 0.7 } as const;
export const HARD_FAILURE_RATE_MIN = 0.02;
/** The smallest rise of hard failures that an open spike is held to, as a fall of everything else. */
export const HARD_FAILURE_FALL = HARD_FAILURE_RATE_MIN / 2;
/** Two-sided 99 %. */
export const BAND_Z = 2.576;
