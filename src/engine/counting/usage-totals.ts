/** Effort of a conversation, as it is counted: in whole numbers, and never more than is plausible. */

/** Effort as the spans report it, and the cost by the price table. */
export interface Effort {
  readonly steps: number;
  readonly tokens: number | undefined;
  readonly durationMs: number;
  /** Undefined where it is not known whole. */
  readonly costUsd: number | undefined;
}

interface KeptEffort {
  readonly steps: number | undefined;
  readonly tokens: number | undefined;
  readonly durationMs: number | undefined;
  /** Billionths of a US dollar. */
  readonly costNanos: number | undefined;
}

/** Whole numbers of each metric's scale. */
export interface CountedEffort {
  readonly steps: number;
  readonly tokens: number | undefined;
  /** Milliseconds. */
  readonly duration: number;
  /** Millionths of a US dollar. */
  readonly cost: number | undefined;
}

/**
 * Spans may claim anything. One conversation with an absurd cost must not dominate a sum, and a sum of squares of such
 * claims would no longer be exact. Higher values are counted as this one.
 */
export const EFFORT_MAX = { steps: 100_000, tokens: 1e10, duration: 366 * 86_400_000, cost: 1e9 } as const;

/** Finer than what is counted, and never more than that by as much as could be seen. */
const NANOS_MAX = (EFFORT_MAX.cost + 1) * 1000;

/**
 * Effort as it is kept with the evaluation. The counts follow from this alone, so that the same amounts can be
 * withdrawn.
 */
export function keptEffort({ steps, tokens, durationMs, costUsd }: Effort): KeptEffort {
  return {
    steps: within(steps, EFFORT_MAX.steps),
    tokens: tokens === undefined ? undefined : within(tokens, EFFORT_MAX.tokens),
    durationMs: within(durationMs, EFFORT_MAX.duration),
    costNanos: costUsd === undefined ? undefined : within(costUsd * 1e9, NANOS_MAX),
  };
}

/** Undefined where it was kept by an Assay that kept less of it. */
export function countedEffort({ steps, tokens, durationMs, costNanos }: KeptEffort): CountedEffort | undefined {
  if (steps === undefined || durationMs === undefined) return undefined;
  const cost = costNanos === undefined ? undefined : countedCost(costNanos);
  return { steps, tokens, duration: durationMs, cost };
}

export function countedCost(nanos: number): number {
  return Math.min(Math.round(nanos / 1000), EFFORT_MAX.cost);
}

/**
 * Square in billionths of a dollar squared: a thousand times the square of millionths. A conversation of 0.0003 USD is
 * 90 of them.
 */
export function squaredCost(millionths: number): number {
  return Math.round(millionths ** 2 / 1000);
}

function within(value: number, max: number): number {
  return Number.isNaN(value) ? 0 : Math.min(Math.max(0, Math.round(value)), max);
}
