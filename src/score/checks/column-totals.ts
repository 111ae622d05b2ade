/**
 * Totals that an agent may tell although no result has them: the sum and the mean of a column, over all results and in each list, and how
 * many rows there are.
 *
 *     {"price": 130}, {"price": 215}      345, 172.5
 *     [{…}, {…}, {…}]                     3
 *     {"north": 3, "west": 5, "east": 1}   9, 3
 */
import type { Json } from '../../model/json.ts';
import { parseExactly } from '../../model/exact-json.ts';

const VALUES_MAX = 2000;
const DEPTH_MAX = 12;
const TEXT_READ_MAX = 200_000;

export function columnTotals(results: readonly string[]): ReadonlySet<number> {
  const totals = new Set<number>();
  /** Columns of all results, and those of each list that is being read. */
  const open: Map<string, number[]>[] = [new Map()];
  let left = VALUES_MAX;
  const read = (value: Json, name: string, depth: number): void => {
    if (depth > DEPTH_MAX || left <= 0) return;
    left -= 1;
    const number = numberIn(value);
    if (number !== undefined) {
      for (const columns of open) {
        const column = columns.get(name);
        if (column === undefined) columns.set(name, [number]);
        else column.push(number);
      }
    } else if (Array.isArray(value)) {
      if (value.length > 1) totals.add(value.length);
      open.push(new Map());
      for (const one of value as readonly Json[]) read(one, name, depth + 1);
      addTotals(open.pop(), totals);
    } else if (typeof value === 'object' && value !== null) {
      addTotals(new Map([[name, numbersOnly(Object.values(value))]]), totals);
      for (const [key, member] of Object.entries(value))
        read(member as Json, `${name.slice(name.lastIndexOf('.') + 1)}.${key}`, depth + 1);
    }
  };
  for (const result of results) read(jsonIn(result), '', 0);
  addTotals(open.pop(), totals);
  return totals;
}

function addTotals(columns: ReadonlyMap<string, readonly number[]> | undefined, totals: Set<number>): void {
  for (const column of columns?.values() ?? []) {
    if (column.length < 2) continue;
    const sum = column.reduce((all, one) => all + one, 0);
    totals.add(sum);
    totals.add(sum / column.length);
  }
}

/** Fewer are often different things, such as a price and an id. */
const COLUMN_MIN = 3;

/** An object of numbers alone is a column: its names are the rows. */
function numbersOnly(members: readonly Json[]): readonly number[] {
  const numbers = members.flatMap((member) => numberIn(member) ?? []);
  return numbers.length === members.length && numbers.length >= COLUMN_MIN ? numbers : [];
}

function numberIn(value: Json): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d{1,12}(?:\.\d{1,6})?$/.test(value) ? Number(value) : undefined;
}

function jsonIn(text: string): Json {
  if (text.length > TEXT_READ_MAX || !/^\s*[[{]/.test(text)) return null;
  try {
    // The cast is what JSON is.
    return parseExactly(text) as Json;
  } catch {
    return null;
  }
}
