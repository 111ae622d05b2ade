/**
 * Facts of a conversation, by which a prediction tells it from others: what happened in its turns
 * (`engine/turn-facts.ts`), and which criteria failed. They only become more.
 */
import type { Evaluation } from '../model/evaluation.ts';
import { failedCriteria } from './evaluation-columns.ts';

type Facts = readonly string[] | undefined;

const FACTS_MAX = 64;
const FAILED = 'failed: ';

/** The same object where nothing is new. Sorted, so that of too many the same ones stay in whatever order they came. */
export function withFacts(known: Facts, more: readonly string[] = []): Facts {
  const fresh = more.filter((fact) => known?.includes(fact) !== true);
  return fresh.length === 0 ? known : [...(known ?? []), ...fresh].toSorted().slice(0, FACTS_MAX);
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
