/**
 * Facts of a conversation, by which a prediction tells it from others: what happened in its turns
 * (`engine/turn-facts.ts`), how it ended (`engine/end-facts.ts`), and which criteria failed. Except for its end, they
 * only become more.
 */
import type { Evaluation } from '../model/evaluation.ts';
import { failedCriteria } from './evaluation-columns.ts';

type Facts = readonly string[] | undefined;

const FACTS_MAX = 72;
/** How it ended: another turn may change that, and nothing else. */
const ENDED = 'ended: ';

/** The same object where nothing is new. Sorted, so that of too many the same ones stay in whatever order they came. */
export function withFacts(known: Facts, more: readonly string[] = []): Facts {
  const fresh = more.filter((fact) => known?.includes(fact) !== true);
  return fresh.length === 0 ? known : [...(known ?? []), ...fresh].toSorted().slice(0, FACTS_MAX);
}

/** Facts of a conversation that has been scored as a whole. */
export function withEnd(known: Facts, facts: readonly string[] | undefined): Facts {
  if (facts === undefined) return known;
  const end = facts.find((fact) => fact.startsWith(ENDED));
  return withFacts(
    known?.filter((fact) => fact === end || !fact.startsWith(ENDED)),
    facts,
  );
}

export function failuresIn(evaluation: Evaluation): readonly string[] {
  return failedCriteria(evaluation).map((criterion) => `failed: ${evaluation.suite}/${criterion}`);
}
