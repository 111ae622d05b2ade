/** Decides whether a candidate can be compared with a baseline at all, and what a reader should know if it is. */
import type { ExperimentResult } from '../../model/experiment.ts';
import { comparabilityOf, suiteWarnings } from '../comparability.ts';
import { SuiteRuns } from '../suite-runs.ts';

interface Comparability {
  /** They can't be compared. */
  readonly problems: readonly string[];
  /** They can, and a reader should know. */
  readonly warnings: readonly string[];
}

export function incomparable(candidate: ExperimentResult, baseline: ExperimentResult | undefined): Comparability {
  const sides = baseline === undefined ? [candidate] : [candidate, baseline];
  const problems = sides
    .filter(({ runs }) => runs.length === 0)
    .map(({ experiment }) => `${experiment.id} has no runs`);
  if (baseline === undefined) return { problems, warnings: [] };
  const [before, after] = [baseline.experiment, candidate.experiment];
  const called = { a: before.id, b: after.id };
  const warnings = comparabilityOf(baseline, candidate, called);
  for (const { name, version } of after.suites) {
    const same = before.suites.find((suite) => suite.name === name);
    if (same === undefined) continue;
    // A suite says by its version that scores stop being comparable.
    if (same.version !== version)
      problems.push(
        `they were scored by different versions of the suite ${name}: ${called.a} by ${same.version}, ${called.b} by ${version}. Run both with one of them`,
      );
    else
      warnings.push(
        ...suiteWarnings(new SuiteRuns(baseline, name), new SuiteRuns(candidate, name), called).map(
          (warning) => `${name}: ${warning}`,
        ),
      );
  }
  return { problems, warnings };
}
