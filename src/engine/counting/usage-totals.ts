/** What a conversation took, as it is counted: in whole numbers, and never more than could be true. */

/** As the spans say. */
export interface Effort {
  readonly steps: number;
  readonly tokens: number | undefined;
  readonly durationMs: number;
  readonly costUsd: number | undefined;
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
 * Spans may claim anything. One conversation that claims to have cost more than all others ever will must not be all that is left
 * of a sum, and a sum of squares of such claims would not be exact any more: more than this is counted as this.
 */
export const EFFORT_MAX = { steps: 100_000, tokens: 1e10, duration: 366 * 86_400_000, cost: 1e9 } as const;

const PER_USD = 1e6;

export function countedEffort({ steps, tokens, durationMs, costUsd }: Effort): CountedEffort {
  return {
    steps: within(steps, EFFORT_MAX.steps),
    tokens: tokens === undefined ? undefined : within(tokens, EFFORT_MAX.tokens),
    duration: within(durationMs, EFFORT_MAX.duration),
    cost: costUsd === undefined ? undefined : within(costUsd * PER_USD, EFFORT_MAX.cost),
  };
}

/** In billionths of a dollar squared: a thousand times the square of millionths. A conversation of 0.0003 USD is 90 of them. */
export function squaredCost(millionths: number): number {
  return Math.round(millionths ** 2 / 1000);
}

function within(value: number, max: number): number {
  return Number.isNaN(value) ? 0 : Math.min(Math.max(0, Math.round(value)), max);
}
