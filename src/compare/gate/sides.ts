/** Both sides of a gate through the eyes of one suite. */
import type { ExperimentResult } from '../../model/experiment.ts';
import { SuiteRuns } from '../suite-runs.ts';

export interface Sides {
  readonly candidate: SuiteRuns;
  /** Undefined where there is none, or the suite did not score it. */
  readonly baseline: SuiteRuns | undefined;
}

export function sidesOf(candidate: ExperimentResult, baseline: ExperimentResult | undefined, suite: string): Sides {
  const isScored = baseline?.experiment.suites.some(({ name }) => name === suite) === true;
  return {
    candidate: new SuiteRuns(candidate, suite),
    baseline: baseline !== undefined && isScored ? new SuiteRuns(baseline, suite) : undefined,
  };
}
