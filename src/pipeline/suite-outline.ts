/** What the main thread needs to know of a suite: names and weights. The functions are the scoring thread's. */
import type { CompiledSuite } from '../score/suite.ts';

export interface SuiteOutline {
  readonly name: string;
  readonly criteria: readonly { readonly name: string; readonly weight: number }[];
  readonly totalWeight: number;
}

/** As it can be sent from one thread to another. */
export function outlineOf({ name, criteria, totalWeight }: CompiledSuite): SuiteOutline {
  return {
    name,
    criteria: criteria.map((criterion) => ({ name: criterion.name, weight: criterion.weight })),
    totalWeight,
  };
}
