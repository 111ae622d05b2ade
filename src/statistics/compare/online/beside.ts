/**
 * Conversations of two versions that ran beside each other. A new version gets its traffic step by step, and traffic is
 * easier at one hour than at the next. Compared over all hours together, a version that came late would have the merit,
 * or the blame, of the late hours. So time is cut into cells, and each cell is compared for itself (`mix.ts`).
 *
 * A cell has enough conversations of both, in an hour or more, and not in more than a day. Conversations of one version
 * count from when the other is there until it is not: one smoke test does not make a month of the old version count, and
 * what replaced another at once ran beside nothing.
 */
import type { Sorted } from './mix.ts';

/** Conversations of each side in a cell, for each kind of traffic. */
const CELL_MIN = 10;
/** More kinds than these share a cell. */
const KINDS_MAX = 5;
/** So many make a cell of less than an hour. */
const CELL_MANY = 100;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Beside<Value> {
  readonly a: readonly Value[];
  readonly b: readonly Value[];
}

interface Open<Value> {
  readonly value: Value;
  readonly isA: boolean;
}

export function besideEachOther<Value extends Sorted>(a: readonly Value[], b: readonly Value[]): Beside<Value> {
  const least = CELL_MIN * Math.min(KINDS_MAX, Math.max(1, commonKinds(a, b)));
  const all: Open<Value>[] = [
    ...a.map((value) => ({ value, isA: true })),
    ...b.map((value) => ({ value, isA: false })),
  ];
  all.sort((x, y) => x.value.at - y.value.at);
  const cells: Open<Value>[][] = [];
  let cell: Open<Value>[] = [];
  let first = 0;
  let [ofA, ofB] = [0, 0];
  const drop = (one: Open<Value>) => {
    first += 1;
    if (one.isA) ofA -= 1;
    else ofB -= 1;
  };
  for (const one of all) {
    cell.push(one);
    if (one.isA) ofA += 1;
    else ofB += 1;
    for (
      let oldest = cell[first];
      oldest !== undefined && one.value.at - oldest.value.at > DAY_MS;
      oldest = cell[first]
    )
      drop(oldest);
    // One side alone: its newest is where the cell begins.
    for (
      let oldest = cell[first];
      oldest !== undefined && oldest !== one && Math.min(ofA, ofB) === 0;
      oldest = cell[first]
    )
      drop(oldest);
    const few = Math.min(ofA, ofB);
    const lasted = one.value.at - (cell[first] ?? one).value.at;
    if (few < least || (lasted < HOUR_MS && few < CELL_MANY)) continue;
    cells.push(cell.slice(first));
    cell = [];
    [ofA, ofB, first] = [0, 0, 0];
  }
  const left = cell.slice(first);
  const isWhole = Math.min(ofA, ofB) >= least;
  if (isWhole) cells.push(left.slice(0, 1 + lastOfBoth(left)));
  else cells.at(-1)?.push(...left.slice(0, 1 + lastOfBoth(left)));
  const sideOf = (isA: boolean) =>
    cells.flatMap((of, at) => of.filter((one) => one.isA === isA).map(({ value }) => ({ ...value, cell: at })));
  return { a: sideOf(true), b: sideOf(false) };
}

/** Place of the last conversation that has one of the other side after it, or beside it. */
function lastOfBoth<Value>(of: readonly Open<Value>[]): number {
  return Math.min(
    of.findLastIndex(({ isA }) => isA),
    of.findLastIndex(({ isA }) => !isA),
  );
}

function commonKinds(a: readonly Sorted[], b: readonly Sorted[]): number {
  const ofB = new Set(b.map(({ kind }) => kind));
  return new Set(a.map(({ kind }) => kind).filter((kind) => ofB.has(kind))).size;
}
