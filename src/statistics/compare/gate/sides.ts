/** Both sides of a gate through the eyes of one suite. */
import type { ExperimentResult } from '../../../model/experiment.ts';
import { SuiteRuns } from '../suite-runs.ts';

export interface Sides {
  readonly candidate: SuiteRuns;
  /** Undefined if there is none, or if another suite scored it. */
  readonly baseline: SuiteRuns | undefined;
  /** Builds before the baseline that the suite scored as it is now. */
  readonly earlier: readonly SuiteRuns[];
  /** Why there is no baseline, as a clause. */
  readonly noBaseline: string;
}

export interface Experiments {
  readonly candidate: ExperimentResult;
  readonly baseline: ExperimentResult | undefined;
  /** Builds before the baseline. */
  readonly earlier?: readonly ExperimentResult[] | undefined;
}

export function sidesOf({ candidate, baseline, earlier = [] }: Experiments, suite: string): Sides {
  const definitionOf = (one: ExperimentResult | undefined) => one?.experiment.suites.find(({ name }) => name === suite);
  const [before, now] = [definitionOf(baseline), definitionOf(candidate)];
  const sides = {
    candidate: new SuiteRuns(candidate, suite),
    baseline: undefined,
    earlier: earlier
      .filter((one) => definitionOf(one)?.fingerprint === now?.fingerprint)
      .map((one) => new SuiteRuns(one, suite)),
  };
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
