/**
 * The runs of an experiment by case, as a suite evaluated them. The case is the unit of every comparison, because the
 * repeats of a case are not independent. A case that was run ten times reveals no more about cases outside the dataset
 * than one that was run once.
 */
import type { Evaluation } from '../../model/evaluation.ts';
import type { CaseRun, Experiment, ExperimentResult, ExperimentSuite } from '../../model/experiment.ts';

export interface RunsOfCase {
  readonly case: string;
  readonly fingerprint: string;
  readonly tags: readonly string[];
  /** Runs by repeat. */
  readonly runs: readonly SuiteRun[];
}

export interface SuiteRun {
  readonly run: CaseRun;
  /** Evaluations of the suite: one, or one for each turn; empty if none counts (yet). */
  readonly evaluations: readonly Evaluation[];
}

export class SuiteRuns {
  readonly suite: string;
  readonly experiment: Experiment;
  /** Undefined where the experiment was not scored by it. */
  readonly definition: ExperimentSuite | undefined;
  /** In the suite's order. */
  readonly criteria: readonly string[];
  /** Cases by `keyOf`, in the order of their ids. A case that was changed between two experiments has two keys. */
  readonly cases: ReadonlyMap<string, RunsOfCase>;

  constructor({ experiment, runs }: ExperimentResult, suite: string) {
    this.suite = suite;
    this.experiment = experiment;
    const byKey = Map.groupBy(runs, (run) => keyOf(run.case, run.caseFingerprint));
    const found = [...byKey.values()].map((ofCase) => runsOfCase(ofCase, suite));
    found.sort((a, b) => inOrder(a.case, b.case) || inOrder(a.fingerprint, b.fingerprint));
    this.cases = new Map(found.map((one) => [keyOf(one.case, one.fingerprint), one]));
    const evaluations = found.flatMap((one) => one.runs.flatMap((run) => run.evaluations));
    this.definition = experiment.suites.find(({ name }) => name === suite);
    const defined = this.definition?.criteria.map(({ name }) => name) ?? [];
    this.criteria = [...new Set([...defined, ...evaluations.flatMap(({ verdicts }) => [...verdicts.keys()])])];
  }
}

/** Names a case as it was when it was run. */
function keyOf(id: string, fingerprint: string): string {
  return JSON.stringify([id, fingerprint]);
}

export function inOrder(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** How many runs wait for judges. */
export function waitingOf({ cases, suite }: SuiteRuns): number {
  const runs = [...cases.values()].flatMap((ofCase) => ofCase.runs);
  return runs.filter(({ run }) =>
    run.evaluations.some((evaluation) => evaluation.suite === suite && (evaluation.waitsFor?.length ?? 0) > 0),
  ).length;
}

function runsOfCase(runs: readonly CaseRun[], suite: string): RunsOfCase {
  // A run that was made again after an interruption replaces the one before.
  const byRepeat = new Map(runs.map((run) => [run.repeat, run]));
  const [first] = runs as readonly [CaseRun];
  return {
    case: first.case,
    fingerprint: first.caseFingerprint,
    tags: first.tags,
    runs: [...byRepeat.values()]
      .sort((a, b) => a.repeat - b.repeat)
      .map((run) => ({ run, evaluations: lastOf(run.evaluations.filter((evaluation) => evaluation.suite === suite)) })),
  };
}

/** The last revision of each turn or conversation, without what still waits for verdicts. */
function lastOf(evaluations: readonly Evaluation[]): Evaluation[] {
  const last = new Map<string, Evaluation>();
  for (const evaluation of evaluations) {
    const subject = evaluation.turnId ?? '';
    const known = last.get(subject);
    if (known === undefined || known.revision <= evaluation.revision) last.set(subject, evaluation);
  }
  return [...last.values()].filter(({ waitsFor }) => waitsFor === undefined || waitsFor.length === 0);
}
