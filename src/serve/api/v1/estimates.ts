/** Figures of the API with their intervals of 95 %. */
import { meanOf, type ScoreSums, shareOf as wilsonShareOf, standardErrorOf, Z } from '../../../calibrate/estimate.ts';
import type { ApiEstimate } from '../../../model/api/shapes.ts';
import type { Estimate } from '../../../model/estimate.ts';

/** Wilson's interval; undefined of nothing. */
export function shareEstimate(count: number, of: number): ApiEstimate | undefined {
  return apiEstimate(wilsonShareOf(count, of), of);
}

/** Nothing can be said of one score, and of none. */
export function meanEstimate(sums: ScoreSums): ApiEstimate | undefined {
  return apiEstimate(meanOf(sums), sums.n);
}

function apiEstimate(estimate: Estimate | undefined, n: number): ApiEstimate | undefined {
  return estimate === undefined ? undefined : { value: estimate.value, low: estimate.lower, high: estimate.upper, n };
}

/** `a` less `b`, of different conversations. */
export function differenceEstimate(a: ScoreSums, b: ScoreSums, value: number): ApiEstimate | undefined {
  const [errorA, errorB] = [standardErrorOf(a), standardErrorOf(b)];
  if (errorA === undefined || errorB === undefined) return undefined;
  const half = Z * Math.hypot(errorA, errorB);
  return { value, low: Math.max(-1, value - half), high: Math.min(1, value + half), n: a.n + b.n };
}
