/**
 * Facts of a conversation, by which a prediction tells it from others: what happened in its turns
 * (`engine/turn-facts.ts`), how it ended, and which criteria failed. Except for its end, they
 * only become more.
 */
import type { Evaluation } from '../model/evaluation.ts';
import { failedCriteria } from './evaluation-columns.ts';

type Facts = readonly string[] | undefined;

const FACTS_MAX = 72;
/** How it ended is one fact, which a later turn replaces. */
const ENDED = 'ended: ';
const FAILED = 'failed: ';

/**
 * The same object where nothing is new. Sorted, so that of too many the same ones stay in whatever order they came.
 * `isLater` is true of facts of turns that ended after all that are known.
 */
export function withFacts(
  known: Facts,
  more: readonly string[] = [],
  { isLater }: { readonly isLater: boolean } = { isLater: false },
): Facts {
  const end = known?.find((fact) => fact.startsWith(ENDED));
  const newEnd = more.find((fact) => fact.startsWith(ENDED));
  const old = end === newEnd || newEnd === undefined ? undefined : isLater ? end : end && newEnd;
  const fresh = more.filter((fact) => fact !== old && known?.includes(fact) !== true);
  if (fresh.length === 0) return known;
  const kept = (known ?? []).filter((fact) => fact !== old);
  return [...kept, ...fresh].toSorted().slice(0, FACTS_MAX);
}

export function failuresIn(evaluation: Evaluation): readonly string[] {
  return failedCriteria(evaluation).map((criterion) => failureOf(evaluation.suite, criterion));
}

/** Criteria that failed, as suite/criterion. */
export function failuresAmong(facts: Facts): readonly string[] {
  return (facts ?? []).flatMap((fact) => (fact.startsWith(FAILED) ? fact.slice(FAILED.length) : []));
}

export function failureOf(suite: string, criterion: string): string {
  return `${FAILED}${suite}/${criterion}`;
}
