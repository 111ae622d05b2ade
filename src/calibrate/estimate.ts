/**
 * Intervals of figures from a sample, at 95 %.
 *
 * Shares have Wilson's interval: unlike the usual one it stays within 0 and 1, and does not shrink to a point where all of a few agree.
 *
 *     (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n)
 */
import type { Estimate } from '../model/estimate.ts';

/** The 97.5 % point of the normal distribution. */
export const Z = 1.959963984540054;

/** Undefined of nothing. */
export function shareOf(count: number, of: number): Estimate | undefined {
  if (of === 0) return undefined;
  const share = count / of;
  const middle = share + Z ** 2 / (2 * of);
  const half = Z * Math.sqrt((share * (1 - share)) / of + Z ** 2 / (4 * of ** 2));
  const whole = 1 + Z ** 2 / of;
  return within({ value: share, lower: (middle - half) / whole, upper: (middle + half) / whole }, 0);
}

/**
 * The mean of scores from 0 to 1, with the usual interval: mean ± z s/√n. `squares` is the sum of the squares of their
 * distances from the mean. A single score says nothing about the spread, so its interval is the whole scale.
 */
export function meanOf(mean: number, { squares, of }: { readonly squares: number; readonly of: number }): Estimate {
  if (of < 2) return { value: mean, lower: 0, upper: 1 };
  const half = Z * Math.sqrt(squares / (of - 1) / of);
  return within({ value: mean, lower: mean - half, upper: mean + half }, 0);
}

/** Cut to what can be at all, and never without the value itself, which rounding may have left outside by a hair. */
export function within({ value, lower, upper }: Estimate, least: number, most = 1): Estimate {
  const cut = (number: number) => Math.min(most, Math.max(least, number));
  const inside = cut(value);
  return { value: inside, lower: Math.min(inside, cut(lower)), upper: Math.max(inside, cut(upper)) };
}
