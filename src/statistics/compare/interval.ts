/**
 * The interval of a figure, as it is shown. Bounds are about all cases there are, for which the baseline is uncertain
 * too, so they may lie beyond what its own figure leaves room for: a baseline of 1.000 cannot rise. There the interval
 * is cut. A decision takes the bounds themselves, because cutting them would show what the cases do not.
 */
import type { Estimated } from '../../model/estimated.ts';

interface Interval {
  readonly lower: number;
  readonly upper: number;
}

export function intervalOf({ lower, upper, range }: Estimated, tail: number): Interval {
  return { lower: Math.max(range.lower, lower(tail)), upper: Math.min(range.upper, upper(tail)) };
}
