/** Decides whether a candidate can be compared with a baseline at all, and what a reader should know if it is. */
import { unusedTracesOf } from '../../../model/compared-traces.ts';
import type { Experiment, ExperimentResult } from '../../../model/experiment.ts';
import { comparabilityOf, earlyEndWarnings, suiteWarnings } from '../comparability.ts';
import { SuiteRuns } from '../suite-runs.ts';

interface Comparability {
  /** Reasons why they cannot be compared. */
  readonly problems: readonly string[];
  /** Warnings for a reader of the comparison. */
  readonly warnings: readonly string[];
}

export function incomparable(candidate: ExperimentResult, baseline: ExperimentResult | undefined): Comparability {
  const sides = baseline === undefined ? [candidate] : [candidate, baseline];
  const problems = sides
    .filter(({ runs }) => runs.length === 0)
    .map(({ experiment }) => `${experiment.id} has no runs`);
  const untried = unusedTracesOf(candidate);
  if (baseline === undefined) return { problems, warnings: untried };
  const [before, after] = [baseline.experiment, candidate.experiment];
  const called = { a: before.id, b: after.id };
  // The gate allows for the looks of the candidate, and not for those of the baseline.
  const warnings = [
    ...untried,
    ...comparabilityOf(baseline, candidate, called),
    ...earlyEndWarnings([[called.a, baseline]]),
  ];
  problems.push(...otherVersions(after, before));
  for (const { name, version } of after.suites) {
    if (before.suites.some((suite) => suite.name === name && suite.version === version))
      warnings.push(
        ...suiteWarnings(new SuiteRuns(baseline, name), new SuiteRuns(candidate, name), called).map(
          (warning) => `${name}: ${warning}`,
        ),
      );
  }
  return { problems, warnings };
}

/** A suite says by its version that scores stop being comparable. */
export function otherVersions(candidate: Experiment, baseline: Experiment): readonly string[] {
  return candidate.suites.flatMap(({ name, version }) => {
    const same = baseline.suites.find((suite) => suite.name === name);
    if (same === undefined || same.version === version) return [];
    return `they were scored by different versions of the suite ${name}: ${baseline.id} by ${same.version}, ${candidate.id} by ${version}. Run both with one of them`;
  });
}
