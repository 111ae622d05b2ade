/**
 * A ranking from comparisons of two at a time (Bradley and Terry, 1952): each has a strength, and
 *
 *     P(a wins over b) = 1 / (1 + exp(strength of b − strength of a))
 *
 * A tie is half a win for each. The strengths are those under which the results are likeliest, with 0 as their mean; Newton's method finds them. Intervals come
 * from the curvature there (the observed information): how sure a strength is beside the mean of all.
 *
 * Two things can be wrong with the comparisons. Where they fall apart into groups that were never compared with one another, there is no ranking of all, and the
 * groups are the answer. Where some never lost to the others, not even by a tie, nothing says how much stronger they are: the likeliest strength is infinite. Then each
 * pair that was compared gets half a win more for either side, which bounds the strengths, and the ranking says so.
 */
import type { Ranking } from '../../model/ranking.ts';
import { normalPoint } from './normal.ts';

export interface Comparisons {
  readonly a: string;
  readonly b: string;
  readonly wins_a: number;
  readonly wins_b: number;
  readonly ties: number;
}

export function rank(comparisons: readonly Comparisons[], confidence = 0.95): Ranking {
  const names = [...new Set(comparisons.flatMap(({ a, b }) => [a, b]))];
  if (names.length === 0) return { is: 'ranked', ranked: [], unbeaten: [] };
  const wins = winsOf(comparisons, names);
  const were = wins.map((row, i) => row.map((won, j) => won + at(wins, j, i)));
  const groups = groupsOf(were);
  if (groups.length > 1)
    return { is: 'not_connected', groups: groups.map((group) => group.map((i) => nameAt(names, i))) };
  const unbeaten = unbeatenOf(wins);
  const bounded =
    unbeaten.length === 0 ? wins : wins.map((row, i) => row.map((won, j) => (at(were, i, j) > 0 ? won + 0.5 : 0)));
  const { strengths, spread } = likeliest(bounded);
  const z = normalPoint(1 - (1 - confidence) / 2);
  const ranked = names.map((name, i) => {
    // The casts hold: there is one for each name.
    const strength = strengths[i] as number;
    const standardError = Math.sqrt(Math.max(0, at(spread, i, i)));
    return {
      name,
      rank: 1 + strengths.filter((other) => other > strength + 1e-9).length,
      strength,
      standardError,
      lower: strength - z * standardError,
      upper: strength + z * standardError,
      winRate:
        names.length === 1
          ? 0.5
          : (strengths.reduce((sum, other) => sum + chanceToWin(strength, other), 0) - 0.5) / (names.length - 1),
    };
  });
  ranked.sort((x, y) => x.rank - y.rank || (x.name < y.name ? -1 : 1));
  return { is: 'ranked', ranked, unbeaten: unbeaten.map((i) => nameAt(names, i)) };
}

export function chanceToWin(strength: number, other: number): number {
  return 1 / (1 + Math.exp(other - strength));
}

/** wins[i][j]: how often i won over j. */
function winsOf(comparisons: readonly Comparisons[], names: readonly string[]): number[][] {
  const place = new Map(names.map((name, index) => [name, index]));
  const wins = names.map(() => names.map(() => 0));
  const add = (winner: string, loser: string, count: number) => {
    const [i, j] = [place.get(winner), place.get(loser)];
    const row = i === undefined ? undefined : wins[i];
    if (row !== undefined && j !== undefined && i !== j) row[j] = (row[j] ?? 0) + count;
  };
  for (const { a, b, wins_a, wins_b, ties } of comparisons) {
    add(a, b, wins_a + ties / 2);
    add(b, a, wins_b + ties / 2);
  }
  return wins;
}

/**
 * Newton's method on the logarithm of the likelihood, which has one peak: with p the chance that i wins over j,
 *
 *     gradient i = Σ wins − n p        information ii = Σ n p (1 − p),  ij = − n p (1 − p)
 *
 * Strengths are known up to what is added to all of them, so 1/m is added to each entry of the information: its inverse
 * is then right for strengths whose mean is 0, once 1/m is subtracted.
 */
function likeliest(wins: readonly (readonly number[])[]): { strengths: number[]; spread: number[][] } {
  const count = wins.length;
  let strengths = wins.map(() => 0);
  let spread: number[][] = [];
  for (let round = 0; round < 100; round += 1) {
    const gradient = wins.map(() => 0);
    const information = wins.map(() => wins.map(() => 1 / count));
    for (let i = 0; i < count; i += 1)
      for (let j = 0; j < count; j += 1) {
        const met = at(wins, i, j) + at(wins, j, i);
        if (i === j || met === 0) continue;
        const chance = chanceToWin(strengths[i] ?? 0, strengths[j] ?? 0);
        const known = met * chance * (1 - chance);
        gradient[i] = (gradient[i] ?? 0) + at(wins, i, j) - met * chance;
        // The cast holds: there is a row for each.
        const row = information[i] as number[];
        row[i] = (row[i] ?? 0) + known;
        row[j] = (row[j] ?? 0) - known;
      }
    spread = inverse(information).map((row) => row.map((value) => value - 1 / count));
    const step = spread.map((row) => row.reduce((sum, value, j) => sum + value * (gradient[j] ?? 0), 0));
    // A step from far away may go too far; one that moves a strength by more than 1 is shortened.
    const longest = Math.max(...step.map(Math.abs));
    strengths = strengths.map((strength, i) => strength + (step[i] ?? 0) / Math.max(1, longest));
    if (longest < 1e-12) break;
  }
  return { strengths, spread };
}

/** Gauss and Jordan, with the largest pivot. */
function inverse(matrix: readonly (readonly number[])[]): number[][] {
  const size = matrix.length;
  const rows = matrix.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))]);
  for (let column = 0; column < size; column += 1) {
    let pivot = column;
    for (let i = column + 1; i < size; i += 1)
      if (Math.abs(at(rows, i, column)) > Math.abs(at(rows, pivot, column))) pivot = i;
    // The casts hold: both are rows of it.
    const [chosen, displaced] = [rows[pivot] as number[], rows[column] as number[]];
    rows[pivot] = displaced;
    const scale = chosen[column] ?? 1;
    rows[column] = chosen.map((value) => value / scale);
    for (let i = 0; i < size; i += 1) {
      if (i === column) continue;
      const factor = at(rows, i, column);
      rows[i] = (rows[i] ?? []).map((value, j) => value - factor * at(rows, column, j));
    }
  }
  return rows.map((row) => row.slice(size));
}

/** Groups of experiments that comparisons connect, whichever of them won. */
function groupsOf(were: readonly (readonly number[])[]): number[][] {
  const left = new Set(were.keys());
  const groups: number[][] = [];
  for (const first of were.keys()) {
    if (!left.has(first)) continue;
    const group = reachable(first, (i, j) => at(were, i, j) > 0, were.length);
    for (const i of group) left.delete(i);
    groups.push([...group].sort((x, y) => x - y));
  }
  return groups;
}

/**
 * Some of them never lost to the rest, where not everybody can be reached from everybody by losses. They are those who are reached by nobody else's wins: from whom
 * going up, from loser to winner, leads to nobody new.
 */
function unbeatenOf(wins: readonly (readonly number[])[]): number[] {
  const count = wins.length;
  const beatenBy = (i: number, j: number) => at(wins, j, i) > 0;
  const above = wins.map((_, i) => reachable(i, beatenBy, count));
  if (above.every((group) => group.size === count)) return [];
  // Members of a group at the top: whatever is above one of them is also below it.
  return [...wins.keys()].filter((i) => [...(above[i] ?? [])].every((j) => above[j]?.has(i) === true));
}

function reachable(from: number, isStep: (i: number, j: number) => boolean, count: number): Set<number> {
  const found = new Set([from]);
  // A set goes on with what is added while it is gone through.
  for (const i of found) for (let j = 0; j < count; j += 1) if (isStep(i, j)) found.add(j);
  return found;
}

function at(matrix: readonly (readonly number[])[], i: number, j: number): number {
  return matrix[i]?.[j] ?? 0;
}

function nameAt(names: readonly string[], index: number): string {
  return names[index] ?? '';
}
