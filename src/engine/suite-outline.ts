/** Parts of a suite that the main thread needs: names and weights. The functions are the scoring thread's. */
import { isShadowKey, keyOfSuite } from '../model/suite-key.ts';
import type { CompiledSuite } from '../score/suite.ts';
import type { Weighing } from '../score/weigh.ts';

export interface SuiteOutline extends Weighing {
  /** See `suiteKey`: that of one in shadow is not that of the live one. */
  readonly name: string;
  readonly version: string;
  readonly totalWeight: number;
  /** A criterion of it reads the truth of a task. */
  readonly readsTaskTruth: boolean;
}

/** As it can be sent from one thread to another. */
export function outlineOf(suite: CompiledSuite): SuiteOutline {
  const { name, shadow, version, criteria, totalWeight, minDecided, hardFailureScores, whenBroken } = suite;
  return {
    name: keyOfSuite({ name, shadow }),
    version,
    criteria: criteria.map(({ name: criterion, weight, whenNotApplicable, capsAt }) => ({
      name: criterion,
      weight,
      whenNotApplicable,
      capsAt,
    })),
    totalWeight,
    readsTaskTruth: readsTaskTruth(suite),
    minDecided,
    hardFailureScores,
    whenBroken,
  };
}

export function isLive({ name }: SuiteOutline): boolean {
  return !isShadowKey(name);
}

/** For mistakes of a truth: they are mistakes only where a suite reads it as that of a task. */
export function readsTaskTruth({ criteria }: Pick<CompiledSuite, 'criteria'>): boolean {
  return criteria.some((criterion) => criterion.readsTaskTruth);
}
