/** Figures drawn at random from a fixed seed, and what share of them lies below which value. */

/** The share 0.0005 of them is ten, the smallest tail that anybody asks for. */
export const DRAWS = 20_000;

/** In ascending order, each for its bound: with the unseen case that is as bad as can be for it. */
export interface Drawn {
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

/**
 * Weights that are these over their sum are drawn evenly from all that add up to 1. Logarithms are worked out once, for the middles of so many equal parts of the
 * distribution; they are most of the time that drawing takes.
 */
export function exponential(random: () => number): number {
  // The cast holds: random numbers are below 1.
  return EXPONENTIALS[Math.floor(random() * PARTS)] as number;
}

const PARTS = 2 ** 14;
const EXPONENTIALS = Float64Array.from({ length: PARTS }, (_, part) => -Math.log((part + 0.5) / PARTS));

/** The value below which a share `tail` of the draws lies; infinite where that is less than one of them. */
export function quantile(drawn: Float64Array, tail: number): number {
  if (tail * drawn.length < 1) return Number.NEGATIVE_INFINITY;
  if ((1 - tail) * drawn.length < 1 - 1e-9) return Number.POSITIVE_INFINITY;
  const at = Math.min(drawn.length - 1, Math.max(0, tail * drawn.length - 0.5));
  // The casts hold: both lie within.
  const below = drawn[Math.floor(at)] as number;
  const above = drawn[Math.ceil(at)] as number;
  return below + (above - below) * (at - Math.floor(at));
}
