/**
 * The precision of a check: of the conversations on which it fires, the share that went badly.
 *
 * Conversations of one case or one user go well or badly together, so those count as one draw. Where the precision is p,
 * the sum of w (bad − p) over a draw has a mean of 0, whatever the weights. The interval has all p for which such a mean is
 * possible, by bounds that hold for few draws (`../compare/unseen-case.ts`). If each draw is one conversation and all have
 * the same weight, it is the exact interval of Clopper and Pearson.
 */
import type { Estimate } from '../../model/estimate.ts';
import { lowerBound, upperBound } from '../compare/unseen-case.ts';

export interface Fired {
  readonly isBad: boolean;
  readonly weight: number;
  readonly cluster: string;
}

/** `errs` is the chance that the precision is outside, half of it at either end. Undefined where nothing fired. */
export function precisionOf(fired: readonly Fired[], errs: number): Estimate | undefined {
  if (fired.length === 0) return undefined;
  const draws = [...Map.groupBy(fired, ({ cluster }) => cluster).values()].map((one) => ({
    all: one.reduce((sum, { weight }) => sum + weight, 0),
    bad: one.reduce((sum, { isBad, weight }) => sum + (isBad ? weight : 0), 0),
  }));
  const heaviest = draws.reduce((most, { all }) => Math.max(most, all), 0);
  const off = (p: number) => draws.map(({ all, bad }) => (bad - p * all) / heaviest);
  const total = draws.reduce((sum, { all }) => sum + all, 0);
  return {
    value: toShown(draws.reduce((sum, { bad }) => sum + bad, 0) / total),
    lower: toShown(turn((p) => lowerBound(off(p), -p, errs / 2) > 0)),
    upper: toShown(turn((p) => upperBound(off(p), 1 - p, errs / 2) >= 0)),
  };
}

/** To a hundredth of a point, so that each surface shows the same figure. */
export function toShown(share: number): number {
  return Math.round(share * 10_000) / 10_000;
}

/** Finds where it no longer holds, to a millionth. It holds up to somewhere from 0 on. */
function turn(holds: (p: number) => boolean): number {
  let [low, high] = [0, 1];
  if (holds(1)) return 1;
  for (let step = 0; step < 20; step += 1) {
    const middle = (low + high) / 2;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}
