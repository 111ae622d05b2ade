/** The columns that an evaluation has, made or still waiting for verdicts, and a row of them as the evaluation it holds. */
import { type Evaluation, OUTCOMES, type SuiteScope } from '../../model/evaluation.ts';
import type { ConversationId, TurnId } from '../../model/ids.ts';
import { fromSuiteKey, suiteKey } from '../../model/suite-key.ts';
import type { EvaluationPlace } from '../engine-store.ts';
import { decodeVerdicts, encodeVerdicts } from '../verdict-codec.ts';

export const EVALUATION_COLUMNS =
  'conversation, trace, turn_id, suite, suite_version, scope, revision, score, outcome, explanation, verdicts';

/** What stands in them. */
export function evaluationValues(
  evaluation: Evaluation,
  { conversation, trace }: Pick<EvaluationPlace, 'conversation' | 'trace'>,
) {
  return [
    conversation,
    trace,
    evaluation.turnId ?? '',
    suiteKey(evaluation),
    evaluation.suiteVersion,
    evaluation.scope,
    evaluation.revision,
    evaluation.score ?? null,
    OUTCOMES.indexOf(evaluation.outcome),
    evaluation.explanation,
    encodeVerdicts(evaluation),
  ] as const;
}

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
