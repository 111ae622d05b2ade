/**
 * One answer of a suite for each conversation. A suite of scope `turn` evaluates every turn; for the conversation
 *
 *     score     is the mean of the scores that there are
 *     outcome   is the worst one, in the order in which people read them; `unscored` where no turn was scored
 *     decision  of a criterion is fail where it failed in any turn, pass where it passed in all that were decided
 */
import { decisionOf, isDecided } from '../../model/decision.ts';
import type { Evaluation, JudgeVersion, Outcome } from '../../model/evaluation.ts';
import { isScored, OUTCOMES_IN_ORDER } from '../../model/severity.ts';

export interface SaidOfConversation {
  readonly conversationId: string;
  /** In millionths; undefined where nothing was scored. */
  readonly score: number | undefined;
  readonly outcome: Outcome;
  /** Without the criteria that were not decided. */
  readonly decisions: readonly SaidByCriterion[];
}

/** A criterion that several versions of a judge answered, as in turns of the same conversation, is there for each of them. */
interface SaidByCriterion {
  readonly criterion: string;
  readonly judgedBy: JudgeVersion | undefined;
  readonly decision: 'pass' | 'fail';
}

/** Key of a criterion together with the version of the judge that answered it, or with code. */
export function sayerKey({ criterion, judgedBy }: Pick<SaidByCriterion, 'criterion' | 'judgedBy'>): string {
  return JSON.stringify([criterion, judgedBy?.judge, judgedBy?.version]);
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

function decisionsOf(evaluations: readonly Evaluation[]): readonly SaidByCriterion[] {
  const decisions = new Map<string, SaidByCriterion>();
  for (const { verdicts } of evaluations) {
    for (const [criterion, given] of verdicts) {
      const decision = decisionOf(given.verdict);
      if (decision === undefined) continue;
      const said = { criterion, judgedBy: isDecided(given) ? given.judgedBy : undefined, decision };
      const key = sayerKey(said);
      if (decisions.get(key)?.decision !== 'fail') decisions.set(key, said);
    }
  }
  return [...decisions.values()];
}
