/**
 * Splits a change of TCR exactly into criteria and a mix term.
 *
 * In one conversation criterion c has the share u = weight / decided weight of the score, 0 if it was not decided, and
 * brings u where it passed: the score is the sum of what the criteria bring. Over a segment g with its share of the
 * conversations, let V be that share times the mean of u, and P the mean brought over the mean of u, the pass rate.
 * Then TCR = Σ V × P over segments and criteria, and between two periods
 *
 *     ΔTCR = Σ mean of V × ΔP   (criterion c: its pass rate, over segments)
 *          + Σ mean of N × ΔH   (hard failures: what their scores lack of what their criteria brought, over segments)
 *          + Σ mean of P × ΔV   (mix: which segments came, and which criteria applied with which weight)
 *          + Δ rest             (into mix: what scores have beyond their verdicts, such as not-applicable counted as passed)
 *
 * where N is the segment's share of the conversations and H the mean of what a hard failure took away: its score is 0,
 * whatever its criteria brought. All with means of both periods, which leaves no remainder. Where a cell is missing in
 * one period its pass rate is taken from the other, so that all of it is mix. Both sides are the plain means of the
 * same conversations.
 *
 * The same change comes apart by segment as well: each adds its share of the conversations now × how its mean changed,
 * and what is left is mix.
 */

/** Stands among the criteria for what hard failures took away: it has a column as they do, of which only what was brought is used. */
export const HARD_FAILURES = 'hard failures';

/** Difference between a score of 0 and the sum of its criteria; negative only if a hard failure made it 0. */
export function takenByHardFailure(score: number, brought: number): number {
  return score === 0 ? -brought : 0;
}

/** Columns of numbers by segment; undefined where nothing came in one. */
type SplitCells = readonly (Float64Array | undefined)[];

/** Columns of a cell: count, squares of fading weights, score, then for each criterion its share and what it brought. */
export const SPLIT_FIRST = 3;

export interface TcrSplit {
  readonly baseline: number;
  readonly observed: number;
  readonly criteria: ReadonlyMap<string, number>;
  readonly mix: number;
  /** Parts by the segment's place; undefined for a segment that had no conversation in one of the periods. */
  readonly segments: readonly (number | undefined)[];
  readonly conversations: number;
}

export function splitChange(before: SplitCells, after: SplitCells, criteria: readonly string[]): TcrSplit | undefined {
  const counted = [total(before, 0), total(after, 0)] as const;
  if (!(counted[0] > 0) || !(counted[1] > 0)) return undefined;
  const baseline = total(before, 2) / counted[0];
  const observed = total(after, 2) / counted[1];
  const parts = criteria.map(() => 0);
  for (let segment = 0; segment < Math.max(before.length, after.length); segment += 1)
    for (let index = 0; index < criteria.length; index += 1) {
      const isOfAll = criteria[index] === HARD_FAILURES;
      const [share0, brought0] = cellAt(before[segment], isOfAll, index, counted[0]);
      const [share1, brought1] = cellAt(after[segment], isOfAll, index, counted[1]);
      if (!(share0 > 0) || !(share1 > 0)) continue;
      parts[index] = (parts[index] as number) + ((share0 + share1) / 2) * (brought1 / share1 - brought0 / share0);
    }
  const explained = parts.reduce((sum, part) => sum + part, 0);
  return {
    baseline,
    observed,
    criteria: new Map(criteria.map((name, index) => [name, parts[index] as number])),
    // Equal to Σ mean P × ΔV + Δ rest, by the identity above; taken as the difference it leaves no rounding over.
    mix: observed - baseline - explained,
    segments: Array.from({ length: Math.max(before.length, after.length) }, (_, segment) =>
      segmentPart(before[segment], after[segment], counted[1]),
    ),
    conversations: counted[1],
  };
}

function segmentPart(
  before: Float64Array | undefined,
  after: Float64Array | undefined,
  conversations: number,
): number | undefined {
  const [count0, count1] = [before?.[0] ?? 0, after?.[0] ?? 0];
  if (!(count0 > 0) || !(count1 > 0)) return undefined;
  return ((after?.[2] ?? 0) - ((before?.[2] ?? 0) / count0) * count1) / conversations;
}

function total(cells: SplitCells, column: number): number {
  let sum = 0;
  for (const cell of cells) sum += cell?.[column] ?? 0;
  return sum;
}

function cellAt(
  cell: Float64Array | undefined,
  isOfAll: boolean,
  index: number,
  count: number,
): readonly [share: number, brought: number] {
  const at = SPLIT_FIRST + 2 * index;
  return [(cell?.[isOfAll ? 0 : at] ?? 0) / count, (cell?.[at + 1] ?? 0) / count];
}
