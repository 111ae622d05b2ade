/** Evaluations by what they are of: a suite on a conversation, or on one of its turns. Each revision replaces the one before. */
import type { Evaluation } from '../../model/evaluation.ts';

/** In the order in which the evaluations stand; the last revision is the last of each list. */
export function byRevision(evaluations: readonly Evaluation[]): readonly (readonly [Evaluation, ...Evaluation[]])[] {
  const grouped = Map.groupBy(evaluations, ({ conversationId, suite, turnId }) =>
    JSON.stringify([conversationId, suite, turnId ?? '']),
  );
  return [...grouped.values()].flatMap((group) => {
    const [first, ...others] = group.toSorted((a, b) => a.revision - b.revision);
    return first === undefined ? [] : [[first, ...others] as const];
  });
}

/** The current evaluations; earlier revisions do not count. */
export function lastRevisions(evaluations: readonly Evaluation[]): readonly Evaluation[] {
  return byRevision(evaluations).map(([first, ...others]) => others.at(-1) ?? first);
}
