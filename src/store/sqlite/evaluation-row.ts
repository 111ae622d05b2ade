/** A row of an evaluation, made or still waiting for verdicts, as the evaluation it holds. */
import { type Evaluation, OUTCOMES, type SuiteScope } from '../../model/evaluation.ts';
import type { ConversationId, TurnId } from '../../model/ids.ts';
import { fromSuiteKey } from '../../model/suite-key.ts';
import { decodeVerdicts } from '../verdict-codec.ts';

export function toEvaluation(row: Record<string, unknown>, conversationId: ConversationId): Evaluation {
  const outcome = OUTCOMES[Number(row.outcome)];
  if (outcome === undefined) throw new Error(`store: ${String(row.outcome)} is not the number of an outcome`);
  const turnId = String(row.turn_id);
  const scope: SuiteScope = row.scope === 'turn' ? 'turn' : 'conversation';
  return {
    conversationId,
    // The cast is the brand: the store's writer wrote it.
    turnId: turnId === '' ? undefined : (turnId as TurnId),
    ...fromSuiteKey(String(row.suite)),
    suiteVersion: String(row.suite_version),
    scope,
    revision: Number(row.revision),
    score: row.score === null ? undefined : Number(row.score),
    outcome,
    explanation: String(row.explanation),
    ...decodeVerdicts(String(row.verdicts)),
    // The cast holds because the store's writer wrote the text.
    ...(typeof row.waits_for === 'string' ? { waitsFor: JSON.parse(row.waits_for) as readonly string[] } : {}),
  };
}
