/**
 * Several suites may have scored a conversation. The worst of them is shown; among equals the one that says
 * most about the task, and then the one with the lowest score.
 */
import { type About, ABOUTS, type Outcome } from './evaluation.ts';
import { bySeverity } from './severity.ts';

interface Scored {
  readonly outcome: Outcome;
  readonly about?: About | undefined;
  readonly score?: number | null | undefined;
}

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
