/**
 * Several suites may have scored a conversation. A row shows the worst of them; among equals the one that says
 * most about the task, and then the one with the lowest score.
 */
import type { ListedEvaluation } from '../../model/api/conversation-list.ts';
import { ABOUTS } from '../../model/evaluation.ts';
import { bySeverity } from '../../model/severity.ts';

type Scored = Pick<ListedEvaluation, 'outcome' | 'about' | 'score'>;

export function worstOf<E extends Scored>(evaluations: readonly E[]): E | undefined {
  return worstFirst(evaluations)[0];
}

export function worstFirst<E extends Scored>(evaluations: readonly E[]): readonly E[] {
  return evaluations.toSorted(
    (a, b) => bySeverity(b.outcome, a.outcome) || strength(b) - strength(a) || (a.score ?? 1) - (b.score ?? 1),
  );
}

function strength({ about }: Scored): number {
  return about === undefined ? -1 : ABOUTS.indexOf(about);
}
