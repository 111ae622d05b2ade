/** What the main thread needs to know of a suite: names and weights. The functions are the scoring thread's. */
import { isShadowKey, keyOfSuite } from '../model/suite-key.ts';
import type { CompiledSuite } from '../score/suite.ts';
import type { Weight } from '../score/weigh.ts';

export interface SuiteOutline {
  /** See `suiteKey`: that of one in shadow is not that of the live one. */
  readonly name: string;
  readonly version: string;
  readonly criteria: readonly Weight[];
  readonly totalWeight: number;
  readonly minDecided: number;
}

/** As it can be sent from one thread to another. */
export function outlineOf(suite: CompiledSuite): SuiteOutline {
  const { name, shadow, version, criteria, totalWeight, minDecided } = suite;
  return {
    name: keyOfSuite({ name, shadow }),
    version,
    criteria: criteria.map(({ name: criterion, weight, whenNotApplicable }) => ({
      name: criterion,
      weight,
      whenNotApplicable,
    })),
    totalWeight,
    minDecided,
  };
}

export function isLive({ name }: SuiteOutline): boolean {
  return !isShadowKey(name);
}
