/**
 * Which cases speak against the candidate, the worst first: where to begin reading. If cases are paired with the
 * baseline's, names only cases that are in the figure.
 */
import { shareCases } from '../change.ts';
import { effortsOf, isEffort, type Measure, valuesOf } from '../measure.ts';
import type { SuiteRuns } from '../suite-runs.ts';

const EXAMPLES_MAX = 5;

export function casesAgainst(
  measure: Measure,
  candidate: SuiteRuns,
  baseline: SuiteRuns | undefined,
): readonly string[] {
  const before = baseline === undefined ? new Map<string, number>() : badnessOf(measure, baseline);
  const isPaired = baseline !== undefined && shareCases(baseline, candidate);
  return [...badnessOf(measure, candidate)]
    .filter(([key]) => !isPaired || before.has(key))
    .map(([key, bad]) => ({ id: candidate.cases.get(key)?.case ?? key, worse: bad - (before.get(key) ?? 0) }))
    .filter(({ worse }) => worse > 0)
    .sort((a, b) => b.worse - a.worse || (a.id < b.id ? -1 : 1))
    .slice(0, EXAMPLES_MAX)
    .map(({ id }) => id);
}

/** Badness by the key of the case. */
function badnessOf(measure: Measure, runs: SuiteRuns): ReadonlyMap<string, number> {
  if (isEffort(measure))
    return new Map([...effortsOf(runs, measure)].map(([key, { effort }]) => [key, effort] as const));
  const isMoreWorse = measure.is === 'failed_runs' || measure.is === 'unscored';
  return new Map([...valuesOf(runs, measure)].map(([key, value]) => [key, isMoreWorse ? value : 1 - value] as const));
}
