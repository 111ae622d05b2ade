/** Whether two experiments can be held against each other at all, and what makes it doubtful. */
import type { ExperimentResult } from '../../model/experiment.ts';

export interface Comparability {
  /** They can't be compared. */
  readonly problems: readonly string[];
  /** They can, and a reader should know. */
  readonly warnings: readonly string[];
}

export function incomparable(candidate: ExperimentResult, baseline: ExperimentResult | undefined): Comparability {
  const problems: string[] = [];
  const warnings: string[] = [];
  for (const one of baseline === undefined ? [candidate] : [candidate, baseline]) {
    const { experiment, runs } = one;
    const planned = experiment.dataset.cases * experiment.repeats;
    if (runs.length === 0) problems.push(`${experiment.id} has no runs`);
    else if (experiment.endedAt === undefined)
      warnings.push(
        `${experiment.id} has not ended: ${runs.length} of ${planned} runs are there; \`assay run --resume ${experiment.id}\` goes on`,
      );
  }
  if (baseline === undefined) return { problems, warnings };
  const [after, before] = [candidate.experiment, baseline.experiment];
  for (const suite of after.suites) {
    const same = before.suites.find(({ name }) => name === suite.name);
    if (same === undefined) continue;
    if (same.version !== suite.version)
      problems.push(
        `they were scored by different versions of the suite ${suite.name}: ${before.id} by ${same.version}, ${after.id} by ${suite.version}. Run both with one version`,
      );
    else if (same.fingerprint !== suite.fingerprint)
      warnings.push(
        `the suite ${suite.name} was changed between the two, and its version is ${suite.version} in both: what moved may be the suite`,
      );
  }
  if (after.dataset.fingerprint !== before.dataset.fingerprint) warnings.push(changedCases(candidate, baseline));
  if (after.repeats !== before.repeats)
    warnings.push(
      `each case was run ${before.repeats} times in ${before.id} and ${after.repeats} times in ${after.id}`,
    );
  return { problems, warnings };
}

function changedCases(candidate: ExperimentResult, baseline: ExperimentResult): string {
  const known = new Map(baseline.runs.map((run) => [run.case, run.caseFingerprint]));
  const cases = new Map(candidate.runs.map((run) => [run.case, run.caseFingerprint]));
  let [same, changed, added] = [0, 0, 0];
  for (const [id, fingerprint] of cases) {
    const before = known.get(id);
    if (before === undefined) added += 1;
    else if (before === fingerprint) same += 1;
    else changed += 1;
  }
  const gone = [...known.keys()].filter((id) => !cases.has(id)).length;
  const all = `${same} cases are the same in both, ${changed} were changed, ${added} came, ${gone} went`;
  return same === 0
    ? `the two were run on different cases (${all}): the samples are compared, not each case with itself`
    : `the dataset was changed between the two (${all}): only cases that are the same are compared`;
}
