/**
 * One answer of a suite for each conversation. A suite of scope `turn` evaluates every turn; for the conversation
 *
 *     score     is the mean of the scores that there are
 *     outcome   is the worst one, in the order in which people read them; `unscored` where no turn was scored
 *     decision  of a criterion is fail where it failed in any turn, pass where it passed in all that were decided
 */
import { decisionOf } from '../model/decision.ts';
import type { Evaluation, Outcome } from '../model/evaluation.ts';
import { isScored, OUTCOMES_IN_ORDER } from '../model/severity.ts';

export interface SaidOfConversation {
  readonly conversationId: string;
  /** In millionths; undefined where nothing was scored. */
  readonly score: number | undefined;
  readonly outcome: Outcome;
  /** Without the criteria that were not decided. */
  readonly decisions: ReadonlyMap<string, 'pass' | 'fail'>;
}

/** The evaluations are those of one suite. */
export function saidOfConversations(evaluations: readonly Evaluation[]): readonly SaidOfConversation[] {
  const byConversation = Map.groupBy(evaluations, ({ conversationId }) => conversationId as string);
  return [...byConversation].map(([conversationId, own]) => ({
    conversationId,
    score: meanScore(own),
    outcome: worstOutcome(own),
    decisions: decisionsOf(own),
  }));
}

function meanScore(evaluations: readonly Evaluation[]): number | undefined {
  const scores = evaluations.flatMap(({ score }) => (score === undefined ? [] : [score]));
  return scores.length === 0 ? undefined : scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

function worstOutcome(evaluations: readonly Evaluation[]): Outcome {
  const outcomes = new Set(evaluations.map(({ outcome }) => outcome));
  return OUTCOMES_IN_ORDER.findLast((outcome) => isScored(outcome) && outcomes.has(outcome)) ?? 'unscored';
}

function decisionsOf(evaluations: readonly Evaluation[]): ReadonlyMap<string, 'pass' | 'fail'> {
  const decisions = new Map<string, 'pass' | 'fail'>();
  for (const { verdicts } of evaluations) {
    for (const [criterion, { verdict }] of verdicts) {
      const decision = decisionOf(verdict);
      if (decision !== undefined && decisions.get(criterion) !== 'fail') decisions.set(criterion, decision);
    }
  }
  return decisions;
}
