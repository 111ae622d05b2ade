/** The supposed values that readings do not contradict, found on a line from `least` to `most`. */
import type { Estimate } from '../../model/estimate.ts';

/** Evidence of 20 to 1, which is reached in at most one of 20 samples. */
export const AGAINST = Math.log(20);
/** Where two things may go wrong for each of two versions, and one of 20 comparisons in all. */
export const AGAINST_OF_FOUR = Math.log(80);
const POINTS = 25;
const HALVINGS = 14;
const POINT = 1e-12;
const SAME = 1e-9;

/**
 * The range is what the readings leave possible; where it is a point, there is no doubt. The value is that which the
 * readings contradict least.
 */
export function notContradicted(
  against: (value: number) => number,
  [least, most]: readonly [number, number],
  limit: number = AGAINST,
): Estimate {
  if (most - least < POINT) return { value: least, lower: least, upper: least };
  const points = Array.from({ length: POINTS }, (_, index) => least + ((most - least) * index) / (POINTS - 1));
  const logs = points.map(against);
  const best = middleOfLeast(logs);
  const found = leastOf(against, points[best - 1] ?? least, points[best + 1] ?? most);
  const at = points[best] ?? found;
  const value = against(found) < (logs[best] ?? Number.POSITIVE_INFINITY) ? found : at;
  const isOutside = (one: number) => against(one) >= limit;
  const isInside = (log: number) => log < limit;
  const first = logs.some(isInside) ? logs.findIndex(isInside) : best;
  const last = logs.some(isInside) ? logs.findLastIndex(isInside) : best;
  return {
    value,
    lower: Math.min(value, end(isOutside, points[first - 1] ?? least, Math.min(value, points[first] ?? value))),
    upper: Math.max(value, end(isOutside, points[last + 1] ?? most, Math.max(value, points[last] ?? value))),
  };
}

/** The middle one of values that are contradicted alike. */
function middleOfLeast(logs: readonly number[]): number {
  const least = Math.min(...logs);
  const alike = [...logs.keys()].filter((index) => (logs[index] ?? least) <= least + SAME);
  return alike[Math.floor(alike.length / 2)] ?? 0;
}

/** The outside itself, where it is not contradicted either. */
function end(isOutside: (value: number) => boolean, outside: number, inside: number): number {
  return isOutside(outside) ? edge(isOutside, outside, inside) : outside;
}

/** Where evidence passes the limit between a value outside and one inside; of the last bracket the end outside. */
function edge(isOutside: (value: number) => boolean, outside: number, inside: number): number {
  let [out, within] = [outside, inside];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (out + within) / 2;
    if (isOutside(middle)) out = middle;
    else within = middle;
  }
  return out;
}

function leastOf(against: (value: number) => number, from: number, to: number): number {
  let [low, high] = [from, to];
  for (let round = 0; round < HALVINGS; round += 1) {
    const [a, b] = [low + (high - low) / 3, high - (high - low) / 3];
    if (against(a) <= against(b)) high = b;
    else low = a;
  }
  return (low + high) / 2;
}
