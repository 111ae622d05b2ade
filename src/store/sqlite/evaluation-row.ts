/** A row of SQLite as the evaluation it holds, made or still waiting for verdicts. */
import type { Evaluation } from '../../model/evaluation.ts';
import type { ConversationId } from '../../model/ids.ts';
import { type EvaluationCells, evaluationFrom } from '../evaluation-columns.ts';

export function toEvaluation(row: Record<string, unknown>, conversationId: ConversationId): Evaluation {
  // The casts hold because the store's writer wrote the row and the text.
  const cells = row as unknown as EvaluationCells;
  return {
    ...evaluationFrom(conversationId, cells, (stored) => stored),
    ...(typeof row.waits_for === 'string' ? { waitsFor: JSON.parse(row.waits_for) as readonly string[] } : {}),
  };
}
