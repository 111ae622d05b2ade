/**
 * Intervals of figures from a sample, at 95 %.
 *
 * Shares have Wilson's interval: unlike the usual one it stays within 0 and 1, and does not shrink to a point where all of a few agree.
 *
 *     (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n)
 */
import type { Estimate } from '../../model/estimate.ts';

/** The 97.5 % point of the normal distribution. */
export const Z = 1.959963984540054;

/** Undefined of nothing. */
export function shareOf(count: number, of: number): Estimate | undefined {
  if (of === 0) return undefined;
  return within({ value: count / of, lower: wilsonBound(count, of, -Z), upper: wilsonBound(count, of, Z) }, 0);
}

/** Below the share where z is less than 0. */
export function wilsonBound(count: number, of: number, z: number): number {
  const share = count / of;
  const away = z * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2));
  return (share + z ** 2 / (2 * of) + away) / (1 + z ** 2 / of);
}

/** Sums of scores from 0 to 1. */
export interface ScoreSums {
  readonly n: number;
  readonly sum: number;
  readonly squares: number;
}

/**
 * The mean of scores from 0 to 1. The usual interval, mean ± z s/√n, shrinks to a point where all scores are the same,
 * as if forty successes had shown that nothing can fail. So it is that of the scores and of z²/2 more at either end of
 * the scale, which is Agresti's and Coull's way with shares. Undefined of one score and of none.
 */
export function meanOf(sums: ScoreSums): Estimate | undefined {
  const { n, sum } = sums;
  if (n < 2) return undefined;
  const { mean, error } = withEnds(sums);
  return within({ value: sum / n, lower: mean - Z * error, upper: mean + Z * error }, 0);
}

/** How far the mean of other conversations like these may be from theirs; undefined where `meanOf` is. */
export function standardErrorOf(sums: ScoreSums): number | undefined {
  return sums.n < 2 ? undefined : withEnds(sums).error;
}

function withEnds({ n, sum, squares }: ScoreSums): { readonly mean: number; readonly error: number } {
  const all = n + Z ** 2;
  const mean = (sum + Z ** 2 / 2) / all;
  const variance = Math.max(0, (squares + Z ** 2 / 2) / all - mean ** 2);
  return { mean, error: Math.sqrt(variance / all) };
}

/** Cut to what can be at all, and never without the value itself, which rounding may have left outside by a hair. */
export function within({ value, lower, upper }: Estimate, least: number, most = 1): Estimate {
  const cut = (number: number) => Math.min(most, Math.max(least, number));
  const inside = cut(value);
  return { value: inside, lower: Math.min(inside, cut(lower)), upper: Math.max(inside, cut(upper)) };
}
