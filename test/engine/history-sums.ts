/** Adds up the history of evaluations, and the evaluations it should equal. */
import type { Evaluation } from '../../src/model/evaluation.ts';
import { added, type HistoryRow, type HistorySums } from '../../src/store/history.ts';

const NOTHING: HistorySums = { evaluations: 0, scored: 0, scores: 0, squares: 0, shared: 0, shares: 0 };

export function sumsOf(history: readonly HistoryRow[]): { readonly [outcome: string]: HistorySums } {
  const sums = new Map<string, HistorySums>();
  for (const row of history) sums.set(row.outcome, added(sums.get(row.outcome) ?? NOTHING, row));
  return Object.fromEntries([...sums].filter(([, { evaluations }]) => evaluations !== 0));
}

export function expectedOf(evaluations: readonly Evaluation[]): { readonly [outcome: string]: HistorySums } {
  const sums = new Map<string, HistorySums>();
  for (const { outcome, score, decidedShare } of evaluations)
    sums.set(
      outcome,
      added(sums.get(outcome) ?? NOTHING, {
        evaluations: 1,
        scored: score === undefined ? 0 : 1,
        scores: score ?? 0,
        squares: score === undefined ? 0 : Math.round((score * score) / 1_000_000),
        shared: decidedShare === undefined ? 0 : 1,
        shares: decidedShare ?? 0,
      }),
    );
  return Object.fromEntries(sums);
}

/** Rows of which revisions have taken everything stay, and say nothing. */
export function isLeft(row: HistoryRow): boolean {
  return row.evaluations !== 0;
}
