/**
 * The windows of the budget, as any store sums them. Money is kept by the minute in which it was reserved. A window
 * reaches back to the beginning of the minute an hour or a day ago, so it holds at least the amount reserved within the
 * last sixty minutes or twenty-four hours.
 */
import type { Spent, SpendingLimits } from '../model/questions.ts';

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
const DAY_MINUTES = 1440;

export function minuteOf(at: number): number {
  return Math.floor(at / MINUTE_MS);
}

/** The first minute of each. */
export function windowsAt(at: number): { readonly hour: number; readonly day: number } {
  const now = minuteOf(at);
  return { hour: now - HOUR_MINUTES, day: now - DAY_MINUTES };
}

export function exhaustedBy(nanos: number, limits: SpendingLimits, spent: Spent): 'hour' | 'day' | undefined {
  if (spent.dayNanos + nanos > limits.dayNanos) return 'day';
  return spent.hourNanos + nanos > limits.hourNanos ? 'hour' : undefined;
}
