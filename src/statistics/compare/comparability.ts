/**
 * Finds what two experiments differ in besides the agent, because a difference between them may then not be the
 * agent's.
 */
import type { Experiment, ExperimentResult } from '../../model/experiment.ts';
import { counted } from '../../model/counted.ts';
import { earlyEndOf, earlyEndText } from '../../model/until-decided.ts';
import { changedCases } from './changed-cases.ts';
import { type SuiteRuns, waitingOf } from './suite-runs.ts';

/** Names of the two experiments. */
interface Called {
  readonly a: string;
  readonly b: string;
}

const NAMED_MAX = 5;
const LETTERS: Called = { a: 'A', b: 'B' };

export function comparabilityOf(a: ExperimentResult, b: ExperimentResult, called: Called = LETTERS): string[] {
  const warnings: string[] = [];
  const [first, second] = [a.experiment, b.experiment];
  if (first.id === second.id) warnings.push(`${called.a} and ${called.b} are the same experiment`);
  if (first.dataset.fingerprint !== second.dataset.fingerprint)
    warnings.push(`the datasets differ: ${datasetOf(first)} in ${called.a}, ${datasetOf(second)} in ${called.b}`);
  if (first.repeats !== second.repeats)
    warnings.push(
      `each case was run ${times(first.repeats)} in ${called.a} and ${times(second.repeats)} in ${called.b}`,
    );
  for (const [name, { experiment, runs }] of [
    [called.a, a],
    [called.b, b],
  ] as const) {
    const unended = unendedText({ experiment, runs });
    if (unended !== undefined) warnings.push(`${name} ${unended}`);
    const { size } = new Set(runs.map((run) => run.case));
    if (experiment.endedAt !== undefined && earlyEndOf(experiment) === undefined && size < experiment.dataset.cases)
      warnings.push(`${name} has ended, and runs of only ${size} of its ${experiment.dataset.cases} cases are kept`);
  }
  warnings.push(...fewerRuns([called.a, a], [called.b, b]), ...fewerRuns([called.b, b], [called.a, a]));
  const onlyIn = (one: Experiment, other: Experiment) =>
    one.suites.map(({ name }) => name).filter((name) => !other.suites.some((suite) => suite.name === name));
  for (const [name, suites] of [
    [called.a, onlyIn(first, second)],
    [called.b, onlyIn(second, first)],
  ] as const)
    if (suites.length > 0) warnings.push(`only ${name} was scored by ${suites.join(', ')}`);
  return warnings;
}

/** Undefined of one that has ended. */
export function unendedText({ experiment, runs }: ExperimentResult): string | undefined {
  if (experiment.endedAt !== undefined) return undefined;
  const planned = counted(experiment.dataset.cases * experiment.repeats, 'run');
  return `has not ended: ${runs.length} of ${planned} ${runs.length === 1 ? 'is' : 'are'} known`;
}

/** Experiments whose number of cases depended on their results. */
export function earlyEndWarnings(named: readonly (readonly [string, ExperimentResult])[]): readonly string[] {
  return named.flatMap(([name, { experiment }]) => {
    const early = earlyEndText(experiment);
    return early === undefined
      ? []
      : [`${name} ${early}. Its figures lean to that side, and intervals do not allow for it`];
  });
}

/** Cases that one should have run as often as the other: the failing repeats may be those that are not there. */
function fewerRuns(
  [nameOfMore, more]: readonly [string, ExperimentResult],
  [nameOfFewer, fewer]: readonly [string, ExperimentResult],
): readonly string[] {
  const { endedAt, repeats } = fewer.experiment;
  if (endedAt === undefined) return [];
  const [before, now] = [repeatsByCase(more), repeatsByCase(fewer)];
  const found = [...now].flatMap(([id, { size }]) => {
    const expected = Math.min(before.get(id)?.size ?? 0, repeats);
    return size < expected ? [`${id} (${size} of ${expected})`] : [];
  });
  if (found.length === 0) return [];
  const named = `${found.slice(0, NAMED_MAX).join(', ')}${found.length > NAMED_MAX ? ', …' : ''}`;
  const who = found.length === 1 ? '1 case has' : `${found.length} cases have`;
  return [`${who} fewer runs in ${nameOfFewer} than in ${nameOfMore}: ${named}`];
}

function repeatsByCase({ runs }: ExperimentResult): ReadonlyMap<string, ReadonlySet<number>> {
  const byCase = Map.groupBy(runs, (run) => run.case);
  return new Map([...byCase].map(([id, ofCase]) => [id, new Set(ofCase.map(({ repeat }) => repeat))]));
}

export function suiteWarnings(a: SuiteRuns, b: SuiteRuns, called: Called = LETTERS): string[] {
  const warnings: string[] = [];
  const [ofA, ofB] = [a.definition, b.definition];
  if (ofA !== undefined && ofB !== undefined && ofA.version !== ofB.version)
    warnings.push(`version ${ofA.version} of the suite scored ${called.a}, version ${ofB.version} ${called.b}`);
  else if (ofA !== undefined && ofB !== undefined && ofA.fingerprint !== ofB.fingerprint)
    warnings.push(`the suite was changed between ${called.a} and ${called.b} without a new version (${ofA.version})`);
  const changed = changedCases(a, b).length;
  if (changed > 0)
    warnings.push(
      `${changed} ${changed === 1 ? 'case was' : 'cases were'} changed between ${called.a} and ${called.b}, and left out`,
    );
  for (const [name, runs] of [
    [called.a, a],
    [called.b, b],
  ] as const) {
    const { known, unknown } = costOfBrokenOff(runs);
    if (known && unknown > 0)
      warnings.push(
        `${counted(unknown, 'run')} of ${name} broke off and ${unknown === 1 ? 'does' : 'do'} not say what ${unknown === 1 ? 'it' : 'they'} cost: cost per success may be higher than shown`,
      );
  }
  const [judgedA, judgedB] = [judgedRuns(a), judgedRuns(b)];
  // A version that is called otherwise, or leaves other spans, may not be meant by the suite any more.
  if (judgedA.of > 0 && judgedB.of > 0 && judgedA.some / judgedA.of !== judgedB.some / judgedB.of)
    warnings.push(
      `it says something of ${judgedA.some} of ${judgedA.of} runs of ${called.a}, and of ${judgedB.some} of ${judgedB.of} runs of ${called.b}`,
    );
  for (const [name, { of, all }] of [
    [called.a, judgedA],
    [called.b, judgedB],
  ] as const)
    if (of === 0 && all > 0)
      warnings.push(
        all === 1
          ? `the only run of ${name} did not come to its end`
          : `none of the ${all} runs of ${name} came to its end`,
      );
  for (const [name, runs] of [
    [called.a, a],
    [called.b, b],
  ] as const) {
    const waiting = waitingOf(runs);
    if (waiting > 0)
      warnings.push(
        waiting === 1
          ? `1 run of ${name} waits for judges, and is left out`
          : `${counted(waiting, 'run')} of ${name} ${waiting === 1 ? 'waits for judges, and is' : 'wait for judges, and are'} left out`,
      );
  }
  return warnings;
}

/** How many of the runs that came to their end (`of`) the suite says something of. */
function judgedRuns({ cases, suite }: SuiteRuns): Record<'some' | 'of' | 'all', number> {
  const all = [...cases.values()].flatMap((ofCase) => ofCase.runs);
  const runs = all.filter(({ run }) => run.end === 'completed');
  const some = runs.filter(({ run }) => run.evaluations.some((evaluation) => evaluation.suite === suite)).length;
  return { some, of: runs.length, all: all.length };
}

/** Whether the cost of any run is known, and how many runs broke off without theirs. */
function costOfBrokenOff({ cases }: SuiteRuns): { readonly known: boolean; readonly unknown: number } {
  const runs = [...cases.values()].flatMap((ofCase) => ofCase.runs.map(({ run }) => run));
  return {
    known: runs.some(({ effort }) => effort.costUsd !== undefined),
    unknown: runs.filter(({ end, effort }) => end !== 'completed' && effort.costUsd === undefined).length,
  };
}

function datasetOf({ dataset: { name, version, cases } }: Experiment): string {
  return `${name} ${version} (${counted(cases, 'case')})`;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
