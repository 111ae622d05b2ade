/**
 * How much less often b succeeds than a, where both ran beside each other. A new version gets its traffic step by step,
 * and traffic is easier at one hour than at the next, and in one kind than in another. So an outcome is taken as
 *
 *     outcome = of its hour + of its kind + of its version
 *
 * and the part of the version is estimated by least squares (fixed effects of hours and kinds). With D̃ what hours and
 * kinds do not say of the version (1 for b, 0 for a), that is
 *
 *     difference = Σ D̃ y / Σ D̃²        part of a conversation in its error = D̃ e / Σ D̃²
 *
 * (Frisch and Waugh, 1933; Lovell, 1963). Hours in which one of the two had nothing have D̃ = 0 and say nothing: neither
 * a night without the canary, nor a month before it, nor what it replaced at once. Nothing is cut off, so no conversation
 * is compared with one of another hour because there were too few.
 *
 * Hours are minutes where traffic is dense, and up to a day where it is thin: the shortest that keep most of what days
 * would tell. That goes by times alone, and by no outcome.
 */
import { kindsOf, type Sorted } from './mix.ts';
import type { Influence } from './related.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LENGTHS = [1, 5, 15, 60, 180, 360, 720, 1440].map((minutes) => minutes * MINUTE_MS);
const LONGEST = 24 * HOUR_MS;
/** Share of what days would tell that shorter cells have to keep. */
const KEPT = 0.85;
/** Projections are repeated until they change nothing any more. */
const ROUNDS_MAX = 100;
/** The same of kinds, of what few kinds would tell. */
const KEPT_OF_KINDS = 0.5;
/** The least that is left free of a conversation by the means of its cell and kind. */
const FREE_MIN = 0.25;
const SETTLED = 1e-9;

interface BesideEachOther {
  /** Mean of b less that of a, and the mean of a. */
  readonly value: number;
  readonly a: number;
  readonly influences: readonly Influence[];
  /** Equal conversations that would say as much, of each side. */
  readonly equal: { readonly a: number; readonly b: number };
}

interface Outcome extends Sorted {
  readonly value: number;
}

/** Undefined where nothing ran beside each other. */
export function besideEachOther(a: readonly Outcome[], b: readonly Outcome[]): BesideEachOther | undefined {
  const all = [...a, ...b];
  const length = lengthFor(a, b);
  const cells = numbered(all, ({ at }) => Math.floor(at / length));
  const { versions, kinds, tells } = versionsAmong(a, b, cells);
  if (tells < SETTLED * all.length) return undefined;
  const outcomes = residuals(
    all.map(({ value }) => value),
    [cells, kinds],
  );
  const value = versions.reduce((sum, one, index) => sum + one * (outcomes[index] as number), 0) / tells;
  let [mean, weight] = [0, 0];
  const squares = { a: 0, b: 0 };
  const influences = all.flatMap((one, index): readonly Influence[] => {
    const own = versions[index] as number;
    if (Math.abs(own) < SETTLED) return [];
    const side = index < a.length ? 'a' : 'b';
    const part = own / tells;
    squares[side] += part * part;
    if (side === 'a') {
      mean += Math.abs(part) * one.value;
      weight += Math.abs(part);
    }
    // The means of a cell and of a kind follow their few conversations, which makes these vary less around them.
    const free = 1 - 1 / sizeIn(cells, index) - 1 / sizeIn(kinds, index) + 1 / all.length;
    const error = ((outcomes[index] as number) - value * own) / Math.sqrt(Math.max(FREE_MIN, free));
    const { user, conversation, at } = one;
    return [{ user, conversation, at, side, by: part * error }];
  });
  return { value, a: mean / weight, influences, equal: { a: 1 / squares.a, b: 1 / squares.b } };
}

/** D̃, and the sum of its squares. Kinds are each for itself, unless so many are rare that little would be left. */
function versionsAmong(a: readonly Outcome[], b: readonly Outcome[], cells: Groups) {
  const all = [...a, ...b];
  const isB = all.map((_, index) => (index < a.length ? 0 : 1));
  const { kindOf } = kindsOf(a, b);
  const [own, merged] = [({ kind }: Outcome) => kind, ({ kind }: Outcome) => kindOf(kind)].map((kindIn) => {
    const kinds = numbered(all, kindIn);
    const versions = residuals(isB, [cells, kinds]);
    return { versions, kinds, tells: versions.reduce((sum, one) => sum + one * one, 0) };
  }) as [Known, Known];
  return own.tells >= KEPT_OF_KINDS * merged.tells ? own : merged;
}

interface Known {
  readonly versions: Float64Array;
  readonly kinds: Groups;
  readonly tells: number;
}

/**
 * Length of the cells of time: the shortest that keep most of what days would tell, had the versions come at random
 * within each day. A cell of m conversations then tells (m − 1) × the product of their shares.
 */
function lengthFor(a: readonly Sorted[], b: readonly Sorted[]): number {
  const dayOf = ({ at }: Sorted) => Math.floor(at / LONGEST);
  const [ofA, ofB] = [Map.groupBy(a, dayOf), Map.groupBy(b, dayOf)];
  const days = [...ofB].flatMap(([day, own]) => {
    const other = ofA.get(day) ?? [];
    const all = [...own, ...other];
    return { product: (own.length * other.length) / all.length ** 2, times: all.map(({ at }) => at) };
  });
  const tellingIn = (length: number) =>
    days.reduce((sum, { product, times }) => {
      const cells = new Set(times.map((at) => Math.floor(at / length)));
      return sum + product * (times.length - cells.size);
    }, 0);
  const least = KEPT * tellingIn(LONGEST);
  return LENGTHS.find((length) => tellingIn(length) >= least) ?? LONGEST;
}

function sizeIn({ of, counts }: Groups, index: number): number {
  return counts[of[index] as number] as number;
}

interface Groups {
  /** Number of the group of each. */
  readonly of: readonly number[];
  readonly counts: readonly number[];
}

function numbered<Value>(all: readonly Value[], groupOf: (value: Value) => number | string): Groups {
  const numbers = new Map<number | string, number>();
  const counts: number[] = [];
  const of = all.map((value) => {
    const group = groupOf(value);
    const number = numbers.get(group) ?? numbers.size;
    numbers.set(group, number);
    counts[number] = (counts[number] ?? 0) + 1;
    return number;
  });
  return { of, counts };
}

/** Values less the effects of their groups, by turns until both have none. */
function residuals(values: readonly number[], groups: readonly Groups[]): Float64Array {
  const left = Float64Array.from(values);
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    let moved = 0;
    for (const { of, counts } of groups) {
      const means = new Float64Array(counts.length);
      for (const [index, group] of of.entries()) means[group] = (means[group] as number) + (left[index] as number);
      for (const [group, count] of counts.entries()) means[group] = (means[group] as number) / count;
      for (const [index, group] of of.entries()) left[index] = (left[index] as number) - (means[group] as number);
      moved = Math.max(moved, ...means.map(Math.abs));
    }
    if (moved < SETTLED) break;
  }
  return left;
}
