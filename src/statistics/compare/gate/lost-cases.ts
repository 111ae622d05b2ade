/**
 * Cases that the suite scored in the baseline and does not score now. A limit on a mean would leave them out, and a
 * version whose hard cases cannot be scored any more would pass on the easy ones.
 */
import { isInSuccessRate, isScored } from '../../../model/severity.ts';
import { countedOf, isEffort, type Measure, scoreOf, valueOfCase } from '../measure.ts';
import type { RunsOfCase } from '../suite-runs.ts';
import type { Sides } from './sides.ts';

/** Lost cases by key. Empty for a measure of which a missing score says nothing. */
export function lostCases(measure: Measure, { candidate, baseline }: Sides): readonly string[] {
  if (baseline === undefined || isEffort(measure) || !ASKS_FOR_SCORE[measure.is]) return [];
  return [...candidate.cases].flatMap(([key, now]) => {
    const before = baseline.cases.get(key);
    if (before === undefined || !hasScore(before) || hasScore(now) || isHandedOver(now)) return [];
    return valueOfCase(before, measure) === undefined || valueOfCase(now, measure) !== undefined ? [] : [key];
  });
}

const ASKS_FOR_SCORE = {
  score: true,
  success: true,
  criterion: true,
  pass_hat: true,
  pass_at: true,
  failed_runs: false,
  unscored: false,
  outcome: false,
} satisfies Record<Exclude<Measure, { is: `${string}_per_success` | 'cost_efficiency' }>['is'], boolean>;

function hasScore({ runs }: RunsOfCase): boolean {
  return runs.some((run) => scoreOf(run) !== undefined);
}

/** A conversation that was handed over to a person may have no score, and is no failure for it. */
function isHandedOver({ runs }: RunsOfCase): boolean {
  return runs.some((run) => countedOf(run).some(({ outcome }) => isScored(outcome) && !isInSuccessRate(outcome)));
}
