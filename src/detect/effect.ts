/**
 * How large a change is, and how large one must be to be found.
 *
 * The interval is the usual approximate one (normal, 95 %) around the relative change over a stretch, with the chance of
 * the stretch, what the baseline does not know, and the wobble of the level in it. It is not a confidence sequence, and
 * where the stretch was chosen because it looks bad it leans away from zero, most when it is short.
 */
import type { Level, Pooled } from './expectations.ts';

export interface Sums {
  readonly since: number;
  readonly count: number;
  readonly quantity: number;
  readonly bad: number;
  readonly expected: number;
  readonly variance: number;
  readonly doubt: number;
}

export interface Estimate {
  /** In the unit of the metric, for the mix of the stretch. */
  readonly baseline: number;
  readonly observed: number;
  /** Relative to the baseline; negative is a fall. */
  readonly change: number;
  readonly changeLower: number;
  readonly changeUpper: number;
  readonly conversations: number;
}

const NORMAL_95 = 1.959964;

/** How a level varies from hour to hour, and how much correlation adds to the variance of sums. */
export interface Varies {
  readonly wobble: number;
  readonly sumEffect: number;
}

export function estimate(sums: Sums, level: Level, { wobble, sumEffect }: Varies): Estimate | undefined {
  const { quantity, count } = sums;
  if (!(quantity > 0)) return undefined;
  const expected = sums.expected / quantity;
  const observed = sums.bad / quantity;
  const baseline = level.worse === 'falls' ? 1 - expected : expected;
  if (!(baseline > 0)) return undefined;
  const shown = level.worse === 'falls' ? 1 - observed : observed;
  const spread = Math.sqrt(sums.variance * sumEffect + sums.doubt * count + wobble * quantity * quantity) / quantity;
  const change = shown / baseline - 1;
  const half = (NORMAL_95 * spread) / baseline;
  return {
    baseline,
    observed: shown,
    change,
    changeLower: Math.max(-1, change - half),
    changeUpper: change + half,
    conversations: count,
  };
}

/**
 * The smallest relative change that n observations of a day find more often than not: where n × size² / (2 variance)
 * is as large as the logarithm of the alarm level, but not below the minimum.
 */
export function smallestFound(asked: {
  readonly pooled: Pooled;
  readonly level: Level;
  readonly perDay: number;
  readonly logAlarm: number;
  readonly allowance: number;
  readonly sumEffect: number;
}): number | undefined {
  const { pooled, level, perDay, logAlarm, allowance, sumEffect } = asked;
  if (!(perDay > 0)) return undefined;
  const unit = (level.worse === 'falls' ? 1 - pooled.expected : pooled.expected) * (pooled.quantity / pooled.count);
  const size = (Math.sqrt((2 * logAlarm * pooled.variance * sumEffect) / perDay) + allowance) / unit;
  const least = Math.max(level.minimumChange, level.minimumDifference / unit);
  const smallest = Math.max(least, size);
  return level.worse === 'falls' && smallest > 1 ? undefined : smallest;
}
