/** What two experiments differ in besides the agent, so that a difference between them may not be the agent's. */
import type { Experiment, ExperimentResult } from '../model/experiment.ts';
import type { SuiteRuns } from './suite-runs.ts';

export function comparabilityOf(a: ExperimentResult, b: ExperimentResult): string[] {
  const warnings: string[] = [];
  const [first, second] = [a.experiment, b.experiment];
  if (first.id === second.id) warnings.push('A and B are the same experiment');
  if (first.dataset.fingerprint !== second.dataset.fingerprint)
    warnings.push(`the datasets differ: ${datasetOf(first)} in A, ${datasetOf(second)} in B`);
  if (first.repeats !== second.repeats)
    warnings.push(`each case was run ${times(first.repeats)} in A and ${times(second.repeats)} in B`);
  for (const [name, { experiment, runs }] of Object.entries({ A: a, B: b })) {
    const planned = experiment.dataset.cases * experiment.repeats;
    if (experiment.endedAt === undefined)
      warnings.push(`${name} has not ended: ${runs.length} of ${planned} runs are known`);
  }
  const onlyIn = (one: Experiment, other: Experiment) =>
    one.suites.map(({ name }) => name).filter((name) => !other.suites.some((suite) => suite.name === name));
  for (const [name, suites] of Object.entries({ A: onlyIn(first, second), B: onlyIn(second, first) }))
    if (suites.length > 0) warnings.push(`only ${name} was scored by ${suites.join(', ')}`);
  return warnings;
}

export function suiteWarnings(a: SuiteRuns, b: SuiteRuns): string[] {
  const warnings: string[] = [];
  const [ofA, ofB] = [a.definition, b.definition];
  if (ofA !== undefined && ofB !== undefined && ofA.version !== ofB.version)
    warnings.push(`version ${ofA.version} of the suite scored A, version ${ofB.version} B`);
  else if (ofA !== undefined && ofB !== undefined && ofA.fingerprint !== ofB.fingerprint)
    warnings.push(`the suite was changed between A and B without a new version (${ofA.version})`);
  const changed = changedCases(a, b);
  if (changed > 0)
    warnings.push(`${changed} ${changed === 1 ? 'case was' : 'cases were'} changed between A and B, and left out`);
  for (const [name, runs] of Object.entries({ A: a, B: b })) {
    const waiting = waitingOf(runs);
    if (waiting > 0)
      warnings.push(
        waiting === 1
          ? `1 run of ${name} waits for judges, and is left out`
          : `${waiting} runs of ${name} wait for judges, and are left out`,
      );
  }
  return warnings;
}

function changedCases(a: SuiteRuns, b: SuiteRuns): number {
  const ids = new Set([...b.cases.values()].map((ofCase) => ofCase.case));
  return [...a.cases].filter(([key, ofCase]) => !b.cases.has(key) && ids.has(ofCase.case)).length;
}

function waitingOf({ cases, suite }: SuiteRuns): number {
  const runs = [...cases.values()].flatMap((ofCase) => ofCase.runs);
  return runs.filter(({ run }) =>
    run.evaluations.some((evaluation) => evaluation.suite === suite && (evaluation.waitsFor?.length ?? 0) > 0),
  ).length;
}

function datasetOf({ dataset: { name, version, cases } }: Experiment): string {
  return `${name} ${version} (${cases} cases)`;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
