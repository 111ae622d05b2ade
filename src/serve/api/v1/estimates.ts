/** Figures of the API with their intervals of 95 %. */
import { shareOf as wilsonShareOf, within, Z } from '../../../calibrate/estimate.ts';
import type { ApiEstimate } from '../../../model/api/shapes.ts';

/** Wilson's interval; undefined of nothing. */
export function shareEstimate(count: number, of: number): ApiEstimate | undefined {
  const estimate = wilsonShareOf(count, of);
  if (estimate === undefined) return undefined;
  return { value: estimate.value, low: estimate.lower, high: estimate.upper, n: of };
}

/** Sums of scores from 0 to 1. */
export interface ScoreSums {
  readonly n: number;
  readonly sum: number;
  readonly squares: number;
}

/** The normal interval of the mean; of one score, and of none, nothing can be said. */
export function meanEstimate(sums: ScoreSums): ApiEstimate | undefined {
  const error = standardError(sums);
  if (error === undefined) return undefined;
  const value = sums.sum / sums.n;
  const { value: inside, lower, upper } = within({ value, lower: value - Z * error, upper: value + Z * error }, 0);
  return { value: inside, low: lower, high: upper, n: sums.n };
}

/** `a` less `b`, of different conversations. */
export function differenceEstimate(a: ScoreSums, b: ScoreSums, value: number): ApiEstimate | undefined {
  const [errorA, errorB] = [standardError(a), standardError(b)];
  if (errorA === undefined || errorB === undefined) return undefined;
  const half = Z * Math.hypot(errorA, errorB);
  return { value, low: Math.max(-1, value - half), high: Math.min(1, value + half), n: a.n + b.n };
}

function standardError({ n, sum, squares }: ScoreSums): number | undefined {
  if (n < 2) return undefined;
  const mean = sum / n;
  return Math.sqrt(Math.max(0, squares / n - mean * mean) / (n - 1));
}
