/** Several suites may have scored a conversation: where there is room for one, it is the worst. */
import type { ListedEvaluation } from '../../model/api/conversation-list.ts';
import { bySeverity } from '../../model/severity.ts';

export function worstOf<E extends Pick<ListedEvaluation, 'outcome'>>(evaluations: readonly E[]): E | undefined {
  return evaluations.toSorted((a, b) => bySeverity(b.outcome, a.outcome))[0];
}
