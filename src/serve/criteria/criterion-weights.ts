/** Computes a criterion's share of its suite. A suite that says `normalize` need not sum to 1 as written. */
import { isLive, type SuiteOutline } from '../../engine/suite-outline.ts';

interface CriterionWeight {
  readonly suite: string;
  readonly criterion: string;
  readonly weight: number;
}

export function criterionWeights(suites: readonly SuiteOutline[]): readonly CriterionWeight[] {
  return suites
    .filter(isLive)
    .flatMap(({ name: suite, criteria, totalWeight }) =>
      criteria.map(({ name, weight }) => ({ suite, criterion: name, weight: weight / totalWeight })),
    );
}
