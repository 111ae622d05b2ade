/**
 * Decides which criteria of a changed suite must be evaluated again for the conversation, and which stored verdicts
 * still hold. A verdict holds if the definition of its criterion and the material that it sees are unchanged. The id of
 * a definition is stored with the verdicts and shows what made them; verdicts of an unknown definition are not reused.
 */
import { callKey } from '../score/suite/judge-version.ts';
import type { CompiledCriterion, CompiledSuite } from '../score/suite/suite.ts';

export interface WhatToAsk {
  /** The suite by which the stored verdicts were made, as far as verdicts depend on it; undefined where it is not known. */
  readonly madeBy: CompiledSuite | undefined;
  /** Criteria of the changed suite, by name; all of them where nothing holds. */
  readonly criteria: ReadonlySet<string>;
  /** Whether `completed` and `failed` are as stored. */
  readonly conditionsHold: boolean;
  /** Whether it is for the same conversations. */
  readonly matchHolds: boolean;
}

/** `known`: suites whose definitions are at hand. */
export function whatToAsk(
  changed: CompiledSuite,
  definition: string | undefined,
  known: readonly CompiledSuite[],
): WhatToAsk {
  const madeBy = known.find((suite) => suite.definition.id === definition);
  if (madeBy === undefined)
    return { madeBy, criteria: namesOf(changed.criteria), conditionsHold: false, matchHolds: false };
  const { sight, match, completed, failed } = changed.definition;
  const isSame = (one: string | undefined, other: string | undefined) => one !== undefined && one === other;
  const seesTheSame = isSame(sight, madeBy.definition.sight) && changed.scope === madeBy.scope;
  const before = new Map(madeBy.criteria.map((criterion) => [criterion.name, criterion]));
  const asked = changed.criteria.filter(
    ({ name, definition: own }) => !seesTheSame || !isSame(own, before.get(name)?.definition),
  );
  return {
    madeBy,
    criteria: namesOf(withCompany(asked, changed.criteria)),
    conditionsHold:
      seesTheSame && isSame(completed, madeBy.definition.completed) && isSame(failed, madeBy.definition.failed),
    matchHolds: isSame(match, madeBy.definition.match) && changed.scope === madeBy.scope,
  };
}

/** Criteria that share a call are asked together, because the judge receives all of them. */
function withCompany(
  asked: readonly CompiledCriterion[],
  all: readonly CompiledCriterion[],
): readonly CompiledCriterion[] {
  const calls = new Set(asked.flatMap(({ name, judged }) => (judged === undefined ? [] : [callKey(name, judged)])));
  return all.filter(
    (criterion) =>
      asked.includes(criterion) ||
      (criterion.judged !== undefined && calls.has(callKey(criterion.name, criterion.judged))),
  );
}

function namesOf(criteria: readonly CompiledCriterion[]): ReadonlySet<string> {
  return new Set(criteria.map(({ name }) => name));
}
