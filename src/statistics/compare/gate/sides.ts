/** Both sides of a gate through the eyes of one suite. */
import type { ExperimentResult } from '../../../model/experiment.ts';
import { SuiteRuns } from '../suite-runs.ts';

export interface Sides {
  readonly candidate: SuiteRuns;
  /** Undefined if there is none, or if another suite scored it. */
  readonly baseline: SuiteRuns | undefined;
  /** Why there is none, as a clause. */
  readonly noBaseline: string;
}

export function sidesOf(candidate: ExperimentResult, baseline: ExperimentResult | undefined, suite: string): Sides {
  const [before, now] = [baseline, candidate].map((one) => one?.experiment.suites.find(({ name }) => name === suite));
  const sides = { candidate: new SuiteRuns(candidate, suite), baseline: undefined };
  if (baseline === undefined || before === undefined)
    return { ...sides, noBaseline: `there is no baseline that was scored by the suite ${suite}` };
  // A new version is announced: `comparabilityOf` warns of it. Without one, the difference would be taken for the agent's.
  if (before.version === now?.version && before.fingerprint !== now.fingerprint)
    return {
      ...sides,
      noBaseline: `the suite ${suite} was changed since the baseline without a new version (${before.version}), so run the baseline again`,
    };
  return { ...sides, baseline: new SuiteRuns(baseline, suite), noBaseline: '' };
}
