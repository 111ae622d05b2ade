/**
 * The cheapest alignment where order does not matter: an assignment problem, solved by the Hungarian method with potentials
 * (shortest augmenting paths), steps² × (steps + calls).
 *
 * Where order does matter, its cost is a bound from below, and its potentials say how much worse each single decision is than
 * the bound at least: `join-orders.ts` searches by that.
 */
import type { Candidates, Part } from './candidates.ts';

export interface Assignment {
  /** Call of each step, by their numbers in the part. */
  readonly callOf: readonly number[];
  /** Saving, compared with leaving everything out. */
  readonly gain: number;
  /** Upper bound of a step's, or a call's, effect on the total, as numbers of zero or less: see `reduced…` below. */
  readonly stepPotential: readonly number[];
  readonly callPotential: readonly number[];
}

export function assign({ starts, calls, gains }: Candidates, part: Part): Assignment {
  const [stepCount, callCount] = [part.steps.length, part.calls.length];
  const places = new Map(part.calls.map((call, place) => [call, place]));
  // Compared with leaving both unpaired, a pair gains; each step may also take a column of its own, which gains nothing.
  const columns = callCount + stepCount;
  const costs: number[] = Array(stepCount * columns).fill(Number.POSITIVE_INFINITY);
  for (const [row, step] of part.steps.entries()) {
    costs[row * columns + callCount + row] = 0;
    for (let pair = starts[step] as number; pair < (starts[step + 1] as number); pair += 1) {
      const place = places.get(calls[pair] as number);
      if (place !== undefined) costs[row * columns + place] = -(gains[pair] as number);
    }
  }
  const { stepOf, row, column } = hungarian(costs, stepCount, columns);
  const callOf = Array.from({ length: stepCount }, () => -1);
  let gain = 0;
  for (let call = 0; call < callCount; call += 1) {
    const step = stepOf[call] ?? -1;
    if (step < 0) continue;
    callOf[step] = call;
    gain -= costs[step * columns + call] ?? 0;
  }
  return { callOf, gain, stepPotential: row, callPotential: column.slice(0, callCount) };
}

/** Rows are inserted one by one; `row[i] + column[j] <= cost[i][j]` holds throughout, with equality for what is matched. */
function hungarian(cost: readonly number[], rows: number, columns: number) {
  // Numbered from 1 inside; column 0 holds the row that is being inserted.
  const zeros = (count: number): number[] => Array(count).fill(0);
  const row = zeros(rows + 1);
  const column = zeros(columns + 1);
  const rowOf = zeros(columns + 1);
  const cameFrom = zeros(columns + 1);
  const least = zeros(columns + 1);
  const used = zeros(columns + 1);
  for (let inserted = 1; inserted <= rows; inserted += 1) {
    rowOf[0] = inserted;
    least.fill(Number.POSITIVE_INFINITY);
    used.fill(0);
    let current = 0;
    do {
      used[current] = 1;
      const i = rowOf[current] as number;
      const base = (i - 1) * columns - 1;
      const potential = row[i] as number;
      let delta = Number.POSITIVE_INFINITY;
      let next = 0;
      for (let j = 1; j <= columns; j += 1) {
        if (used[j] === 1) continue;
        const slack = (cost[base + j] as number) - potential - (column[j] as number);
        if (slack < (least[j] as number)) {
          least[j] = slack;
          cameFrom[j] = current;
        }
        if ((least[j] as number) < delta) {
          delta = least[j] as number;
          next = j;
        }
      }
      for (let j = 0; j <= columns; j += 1) {
        if (used[j] === 1) {
          const moved = rowOf[j] as number;
          row[moved] = (row[moved] as number) + delta;
          column[j] = (column[j] as number) - delta;
        } else least[j] = (least[j] as number) - delta;
      }
      current = next;
    } while (rowOf[current] !== 0);
    while (current !== 0) {
      const from = cameFrom[current] as number;
      rowOf[current] = rowOf[from] as number;
      current = from;
    }
  }
  const stepOf = Array.from({ length: columns }, (_, j) => (rowOf[j + 1] ?? 0) - 1);
  return { stepOf, row: row.slice(1), column: column.slice(1) };
}
