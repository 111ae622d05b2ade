/** Computes a criterion's share of its suite. A suite that says `normalize` need not sum to 1 as written. */
import type { About } from '../../model/evaluation.ts';
import { isLive, type SuiteOutline } from '../../engine/suite-outline.ts';

interface CriterionWeight {
  readonly suite: string;
  readonly criterion: string;
  readonly about: About;
  readonly weight: number;
}

export function criterionWeights(suites: readonly SuiteOutline[]): readonly CriterionWeight[] {
  return suites
    .filter(isLive)
    .flatMap(({ name: suite, criteria, totalWeight }) =>
      criteria.map(({ name, about, weight }) => ({ suite, criterion: name, about, weight: weight / totalWeight })),
    );
}
