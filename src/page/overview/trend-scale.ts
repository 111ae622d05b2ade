/**
 * The part of 0 to 100 % that the chart shows: as little as holds every point, so that a fall from 97 % to 85 % is one to
 * the eye. Intervals may leave it, because those of small buckets are as wide as the whole.
 */
import type { Trend } from '../../api/trend.ts';

type Bucket = Trend['series'][number]['buckets'][number];

interface TrendScale {
  readonly low: number;
  readonly high: number;
  /** Places of the lines, from low to high. */
  readonly lines: readonly number[];
}

/** In hundredths, which add up without rests. */
const MARGIN = 4;
const STEP = 10;
const LEAST = 20;

export function scaleOf(buckets: readonly Pick<Bucket, 'success' | 'tcr'>[]): TrendScale {
  const values = buckets.flatMap(({ success, tcr }) => [success, tcr]).flatMap((one) => one?.value ?? []);
  const [least, most] = values.length === 0 ? [0, 100] : [100 * Math.min(...values), 100 * Math.max(...values)];
  const top = Math.min(100, Math.ceil((most + MARGIN) / STEP) * STEP);
  const low = Math.max(0, Math.min(Math.floor((least - MARGIN) / STEP) * STEP, top - LEAST));
  const high = Math.max(top, low + LEAST);
  const step = high - low <= 2 * LEAST ? STEP / 2 : high - low <= 3 * LEAST ? STEP : 2 * STEP;
  const lines = Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, index) => (high - index * step) / 100);
  return { low: low / 100, high: high / 100, lines: lines.toReversed() };
}
