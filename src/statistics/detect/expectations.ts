/**
 * From what is usual to what to expect of each segment, and how much to bet on each size of change.
 *
 * A stratum's own level is drawn towards what its segment, language and intent let expect (additive.ts), by as many
 * observations as what that leaves unexplained does not justify: k = variance within / variance between, from 5 to 50. A
 * stratum of which one value has fewer than `OWN_MIN` observations is not compared at all: what is new is not worse.
 *
 * The slope of a bet on a change of size d is d / variance, which is where its capital grows fastest; for a yes/no
 * question it is exactly the likelihood ratio. Scores that vary less than a yes/no question does get steeper bets. It is kept below what
 * could lose more than three quarters of the capital at once.
 */
import { additiveLevel, type Group } from './additive.ts';
import type { Expectation } from './change-evidence.ts';
import type { Sums } from './sums.ts';

export interface Level {
  /** Which way is worse. The bad part is 1 − value if a fall is bad, and the value itself if a rise is bad. */
  readonly worse: 'falls' | 'rises';
  /** Bad is within 0..1 for a quantity of 1. */
  readonly bounded: boolean;
  /** Relative changes of the level that the bets are made for. */
  readonly sizes: readonly number[];
  readonly weights: readonly number[];
  /** Changes smaller than this are nobody's concern: relative to the expected level, and in its unit. */
  readonly minimumChange: number;
  readonly minimumDifference: number;
  /** Smallest tolerated change, relative to the expected level. */
  readonly lenience: number;
}

/** Columns of a baseline. */
export const COUNT = 0;
const COUNT_SQUARES = 1;
export const BAD = 2;
const QUANTITY = 3;
const BAD_SQUARES = 4;
const BAD_QUANTITY = 5;
const PER = 6;
export const LEVEL_COLUMNS = 7;

const OWN_MIN = 30;
const DRAW_MIN = 5;
const DRAW_MAX = 50;
const STAKE_MAX = 0.75;
const BAD_SHARE_MIN = 0.002;

export interface Pooled {
  readonly count: number;
  readonly quantity: number;
  readonly expected: number;
  readonly variance: number;
}

export interface Expectations {
  readonly pooled: Pooled;
  readonly segments: readonly (Expectation | undefined)[];
}

/** Values that the observations of a stratum have in common. Without this a stratum is a value by itself. */
export type ValuesOf = (stratum: number) => readonly number[];

const BY_ITSELF: ValuesOf = (stratum) => [stratum];

/** Variation that is tolerated because it happens when nothing is wrong. */
export interface Tolerated {
  /** Change of the level. */
  readonly allowance: number;
  /** design-effect.ts. */
  readonly designEffect: number;
}

export function expectationsOf(
  cells: readonly (Float64Array | undefined)[],
  level: Level,
  tolerated: Tolerated = { allowance: 0, designEffect: 1 },
  valuesOf: ValuesOf = BY_ITSELF,
): Expectations | undefined {
  const all = new Float64Array(LEVEL_COLUMNS);
  for (const cell of cells)
    if (cell !== undefined)
      for (let column = 0; column < LEVEL_COLUMNS; column += 1) all[column] = at(all, column) + at(cell, column);
  const pooled = pool(all, level);
  if (pooled === undefined) return undefined;
  const groups = cells.flatMap((cell, stratum) =>
    cell === undefined ? [] : [{ bad: at(cell, BAD), quantity: at(cell, QUANTITY), values: valuesOf(stratum) }],
  );
  const counts = new Map<number, number>();
  for (const [stratum, cell] of cells.entries())
    if (cell !== undefined)
      for (const value of valuesOf(stratum)) counts.set(value, (counts.get(value) ?? 0) + at(cell, COUNT));
  const levelOf = groups.length > 1 ? additiveLevel(groups) : () => pooled.expected;
  const draw = drawOf(groups, pooled, levelOf);
  return {
    pooled,
    segments: cells.map((cell, stratum) => {
      const values = valuesOf(stratum);
      if (cell === undefined || values.some((value) => (counts.get(value) ?? 0) < OWN_MIN)) return undefined;
      const drawnTo = confine(levelOf(values), level);
      return expectationOf(cell, { pooled, drawnTo, draw, level, ...tolerated });
    }),
  };
}

/** Variance of the level of all segments together, per unit of quantity. */
export function standardError(cells: readonly (Float64Array | undefined)[], level: Level): number {
  const pooled = expectationsOf(cells, level)?.pooled;
  return pooled === undefined ? 0 : Math.sqrt(pooled.variance * pooled.count) / pooled.quantity;
}

/** In the unit of what is bad, whatever is known. */
export function leastAllowance(cells: readonly (Float64Array | undefined)[], level: Level): number {
  const expected = expectationsOf(cells, level)?.pooled.expected;
  if (expected === undefined) return 0;
  return level.lenience * (level.worse === 'falls' ? 1 - expected : expected);
}

/** Sums of observations by segment, beside what was expected of the same mix. */
export function sumsOf(
  cells: readonly (Float64Array | undefined)[],
  expectations: readonly (Expectation | undefined)[],
): Sums | undefined {
  const sums = { since: 0, count: 0, quantity: 0, per: 0, bad: 0, expected: 0, variance: 0, doubt: 0 };
  for (const [segment, cell] of cells.entries()) {
    const expectation = expectations[segment];
    if (cell === undefined || expectation === undefined) continue;
    const count = at(cell, COUNT);
    const quantity = at(cell, QUANTITY);
    sums.count += count;
    sums.quantity += quantity;
    sums.per += cell[PER] ?? quantity;
    sums.bad += at(cell, BAD);
    sums.expected += expectation.expected * quantity;
    sums.variance += expectation.variance * count;
    sums.doubt += expectation.doubt * count;
  }
  return sums.quantity > 0 ? sums : undefined;
}

function pool(all: Float64Array, level: Level): Pooled | undefined {
  const quantity = at(all, QUANTITY);
  const count = at(all, COUNT);
  if (!(quantity > 0) || !(count > 0)) return undefined;
  const raw = level.bounded ? (at(all, BAD) + 0.5) / (quantity + 1) : at(all, BAD) / quantity;
  const expected = confine(raw, level);
  if (!(expected > 0)) return undefined;
  return { count, quantity, expected, variance: varianceOf(all, expected, level) };
}

/**
 * Mean square of bad − expected × quantity. Quantities are 0 or 1, and their own squares. Failures that are expected beyond
 * those that were seen count as whole ones: bets on a level that has not varied so far would be far too steep.
 */
function varianceOf(cell: Float64Array, expected: number, level: Level): number {
  const count = at(cell, COUNT);
  const unseen = level.bounded ? Math.max(0, expected * at(cell, QUANTITY) - at(cell, BAD)) : 0;
  const square =
    at(cell, BAD_SQUARES) +
    unseen -
    2 * expected * (at(cell, BAD_QUANTITY) + unseen) +
    expected * expected * at(cell, QUANTITY);
  const least = level.bounded ? expected * (1 - expected) : expected * expected;
  return Math.max(square / count, 0.05 * least * (at(cell, QUANTITY) / count));
}

function drawOf(groups: readonly Group[], pooled: Pooled, levelOf: (values: readonly number[]) => number): number {
  let between = 0;
  let strata = 0;
  for (const { bad, quantity, values } of groups) {
    if (!(quantity > 0)) continue;
    const difference = bad / quantity - levelOf(values);
    between += quantity * difference * difference;
    strata += 1;
  }
  if (strata < 2) return DRAW_MAX;
  const within = (pooled.variance * pooled.count) / pooled.quantity;
  const surplus = (between - (strata - 1) * within) / pooled.quantity;
  return surplus > 0 ? Math.min(DRAW_MAX, Math.max(DRAW_MIN, within / surplus)) : DRAW_MAX;
}

interface Context extends Tolerated {
  readonly pooled: Pooled;
  /** Level that the values of the stratum let expect. */
  readonly drawnTo: number;
  readonly draw: number;
  readonly level: Level;
}

function expectationOf(
  cell: Float64Array,
  { pooled, drawnTo, draw, level, allowance, designEffect }: Context,
): Expectation | undefined {
  const count = at(cell, COUNT);
  const quantity = at(cell, QUANTITY);
  if (!(count > 0) || !(quantity > 0)) return undefined;
  const expected = confine((at(cell, BAD) + draw * drawnTo) / (quantity + draw), level);
  if (!(expected > 0)) return undefined;
  const lenience = level.bounded ? Math.min(allowance, 0.9 * (1 - expected)) : allowance;
  const own = varianceOf(cell, expected, level);
  const variance = (count * own + draw * pooled.variance) / (count + draw);
  const effective = (count * count) / Math.max(at(cell, COUNT_SQUARES), 1e-9) + (count < OWN_MIN ? draw : 0);
  const slopes = slopesOf(expected, {
    variance: variance * designEffect,
    quantity: quantity / count,
    level,
    allowance: lenience,
  });
  return {
    expected,
    allowance: lenience,
    variance,
    doubt: (variance * designEffect) / effective,
    slopes,
    penalties: slopes.map((slope) => (slope * variance * (designEffect - 1)) / 2),
  };
}

interface BetOn {
  readonly variance: number;
  /** Mean quantity of an observation. */
  readonly quantity: number;
  readonly level: Level;
  readonly allowance: number;
}

export function slopesOf(expected: number, { variance, quantity, level, allowance }: BetOn): Float64Array {
  const unit = level.worse === 'falls' ? 1 - expected : expected;
  const steepest = STAKE_MAX / (expected + allowance);
  return Float64Array.from(level.sizes, (size) => Math.min(steepest, (size * unit * quantity) / variance));
}

export function confine(expected: number, level: Level): number {
  return level.bounded ? Math.min(1 - BAD_SHARE_MIN, Math.max(BAD_SHARE_MIN, expected)) : expected;
}

function at(cell: Float64Array, column: number): number {
  return cell[column] as number;
}

/** One observation more. */
export function countIn(cell: Float64Array, bad: number, quantity: number, per: number = quantity): void {
  cell[COUNT] = (cell[COUNT] as number) + 1;
  cell[COUNT_SQUARES] = (cell[COUNT_SQUARES] as number) + 1;
  cell[BAD] = (cell[BAD] as number) + bad;
  cell[QUANTITY] = (cell[QUANTITY] as number) + quantity;
  cell[BAD_SQUARES] = (cell[BAD_SQUARES] as number) + bad * bad;
  cell[BAD_QUANTITY] = (cell[BAD_QUANTITY] as number) + bad * quantity;
  cell[PER] = (cell[PER] as number) + per;
}
