/**
 * How large a change is, and how large one must be to be found.
 *
 * The interval is the usual approximate one (normal, 95 %) around the relative change over a stretch. Its width comes from
 * the chance of the stretch at the level that it shows, the error of the baseline, and the wobble of the level. It is not
 * a confidence sequence.
 *
 * The stretch of an alarm was chosen because it looks bad, so the change in it is too large: by about 3 / z² of it, where
 * z is the change in units of its error. That is taken off, as in the estimator of James and Stein, and 1 / z is added to
 * the width. Both vanish as conversations follow that were not chosen.
 */
import type { Level, Pooled } from './expectations.ts';
import type { Sums } from './sums.ts';

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
const CHOICE_COSTS = 3;
/** Least share of a change that is left after the correction. */
const CHOICE_LEAVES = 0.3;

/** How a level varies from hour to hour, and how much correlation adds to the variance of sums. */
export interface Varies {
  readonly wobble: number;
  readonly sumEffect: number;
}

export function estimate(sums: Sums, level: Level, { wobble, sumEffect }: Varies): Estimate | undefined {
  const { quantity, count } = sums;
  if (!(quantity > 0)) return undefined;
  const per = level.worse === 'rises' && sums.per > 0 ? sums.per : quantity;
  const expected = sums.expected / per;
  const observed = sums.bad / per;
  const baseline = level.worse === 'falls' ? 1 - expected : expected;
  if (!(baseline > 0)) return undefined;
  const shown = level.worse === 'falls' ? 1 - observed : observed;
  const chance = sums.variance * varianceRatio(sums.bad / quantity, sums.expected / quantity, level) * sumEffect;
  const spread = Math.sqrt(chance + sums.doubt * count + wobble * quantity * quantity) / per;
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

/** Corrects the estimate for a stretch that was chosen because it looks bad. */
export function correctedForChoice(found: Estimate): Estimate {
  const half = found.changeUpper - found.change;
  const z = (NORMAL_95 * Math.abs(found.change)) / half;
  if (!(z > 0)) return found;
  const change = found.change * Math.max(CHOICE_LEAVES, 1 - CHOICE_COSTS / (z * z));
  const wider = half * (1 + 1 / z);
  return {
    ...found,
    observed: found.baseline * (1 + change),
    change,
    changeLower: Math.max(-1, change - wider),
    changeUpper: change + wider,
  };
}

/** How much more outcomes vary at the level that is observed: a yes/no question by p (1 − p), amounts with their size. */
function varianceRatio(observed: number, expected: number, { bounded }: Level): number {
  const ratio = bounded ? (observed * (1 - observed)) / (expected * (1 - expected)) : (observed / expected) ** 2;
  return Number.isFinite(ratio) ? Math.max(1, ratio) : 1;
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
