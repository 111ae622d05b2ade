/**
 * Tests by exchange: where b does the same as a, which of the two a case's result belongs to makes no difference, so that it may as well be exchanged. How many of
 * the exchanges make a difference that is at least as large?
 *
 * For pairs that are exchanged, or not, each for itself, that is every choice of signs of the differences; of those that are 0 or ±1 it is McNemar's exact test.
 * The distribution of their sum is built up exactly, difference by difference, as long as it has not too many values: scores are sums of few weights, and have not.
 * Otherwise, and for all other statistics, exchanges are drawn from a fixed seed, and what was seen counts as one of them, which keeps the test honest
 * (Phipson and Smyth, 2010).
 */
import { randomFrom } from '../../model/random.ts';
import { mcnemar, type TestResult } from './exact-tests.ts';

const SUMS_MAX = 20_000;
const EXCHANGES = 20_000;
/** Fewer exchanges are drawn of many cases, so that the time stays the same: p is then known to a two-thousandth. */
const EXCHANGES_MIN = 2_000;
const DEALT_MAX = 40_000_000;
/** Sums that differ by less are equal except for rounding. */
const GRAIN = 1e-9;

export function signFlips(differences: readonly number[]): TestResult {
  const different = differences.filter((difference) => Math.abs(difference) > GRAIN);
  if (different.every((difference) => Math.abs(difference) === 1))
    return mcnemar({
      lost: different.filter((difference) => difference < 0).length,
      won: different.filter((difference) => difference > 0).length,
    });
  const chances = sumsOfFlips(different);
  const seen = sum(different);
  if (chances === undefined)
    return drawn('sign_flips', seen, (random) => {
      let total = 0;
      for (const one of different) total += random() < 0.5 ? one : -one;
      return total;
    });
  let [p, below, above] = [0, 0, 0];
  const slack = GRAIN * (different.length + 1);
  for (const [units, chance] of chances) {
    const total = units * GRAIN;
    if (Math.abs(total) >= Math.abs(seen) - slack) p += chance;
    if (total <= seen + slack) below += chance;
    if (total >= seen - slack) above += chance;
  }
  return { p: Math.min(1, p), below: Math.min(1, below), above: Math.min(1, above), by: 'sign_flips', isExact: true };
}

/** `statistic` says by how much b is above a, where the pairs whose place is 1 are exchanged; 0 is none. */
export function exchangedPairs(count: number, statistic: (isExchanged: Uint8Array) => number): TestResult {
  const isExchanged = new Uint8Array(count);
  return drawn('permutation', statistic(isExchanged), (random) => {
    for (let index = 0; index < count; index += 1) isExchanged[index] = random() < 0.5 ? 1 : 0;
    return statistic(isExchanged);
  });
}

/** Permutes cases that are different ones: all are thrown together and dealt again. */
export function dealtAgain<T>(
  a: readonly T[],
  b: readonly T[],
  statistic: (a: readonly T[], b: readonly T[]) => number,
): TestResult {
  const all = [...a, ...b];
  const exchanges = Math.round(Math.min(EXCHANGES, Math.max(EXCHANGES_MIN, DEALT_MAX / all.length)));
  const deal = (random: () => number) => {
    for (let index = 0; index < a.length; index += 1) {
      const other = index + Math.floor(random() * (all.length - index));
      // The casts hold: both lie within.
      const kept = all[index] as T;
      all[index] = all[other] as T;
      all[other] = kept;
    }
    return statistic(all.slice(0, a.length), all.slice(a.length));
  };
  return drawn('permutation', statistic(a, b), deal, exchanges);
}

function drawn(
  by: TestResult['by'],
  seen: number,
  draw: (random: () => number) => number,
  exchanges = EXCHANGES,
): TestResult {
  const random = randomFrom(1);
  let [p, below, above] = [1, 1, 1];
  const slack = GRAIN * (1 + Math.abs(seen));
  for (let exchange = 0; exchange < exchanges; exchange += 1) {
    const value = draw(random);
    // Without a success in one of the two there is no telling; it counts for either side.
    if (Number.isNaN(value) || Math.abs(value) >= Math.abs(seen) - slack) p += 1;
    if (Number.isNaN(value) || value <= seen + slack) below += 1;
    if (Number.isNaN(value) || value >= seen - slack) above += 1;
  }
  const of = exchanges + 1;
  return { p: p / of, below: below / of, above: above / of, by, isExact: false };
}

/** Counts by the sum in grains; undefined if there are too many. */
function sumsOfFlips(differences: readonly number[]): ReadonlyMap<number, number> | undefined {
  let chances: ReadonlyMap<number, number> = new Map([[0, 1]]);
  for (const difference of differences) {
    const units = Math.round(Math.abs(difference) / GRAIN);
    const next = new Map<number, number>();
    for (const [total, chance] of chances)
      for (const flipped of [total - units, total + units]) next.set(flipped, (next.get(flipped) ?? 0) + chance / 2);
    if (next.size > SUMS_MAX) return undefined;
    chances = next;
  }
  return chances;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
