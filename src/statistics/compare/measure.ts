/**
 * Defines the measures of an experiment. For one case, a measure is the mean over the runs of the case.
 *
 * A run that broke off (the agent failed, timed out, or sent no spans) and has no score is a hard failure with score 0
 * (`countedOf`), so a crash never removes a case from the figures. Where the agent did end, what is unscored is left
 * out of them, as everywhere, and has a share of its own.
 */
import { decisionOf } from '../../model/decision.ts';
import { isGood, isInSuccessRate, isScored } from '../../model/severity.ts';
import type { Evaluation, Outcome } from '../../model/evaluation.ts';
import type { RunsOfCase, SuiteRun, SuiteRuns } from './suite-runs.ts';

/** Shares and scores lie between 0 and 1; `pass_at` and `pass_hat` are pass@k and pass^k. */
export type BoundedMeasure =
  | { readonly is: 'score' }
  | { readonly is: 'success' }
  | { readonly is: 'failed_runs' }
  | { readonly is: 'unscored' }
  | { readonly is: 'outcome'; readonly outcome: Outcome }
  | {
      readonly is: 'criterion';
      readonly name: string;
      /** Counts runs that broke off before the criterion was decided as failures; left out unless given. */
      readonly brokenOff?: 'fails';
    }
  | { readonly is: 'pass_hat'; readonly k: number }
  | { readonly is: 'pass_at'; readonly k: number };

/** How much all scored runs spent, for each that succeeded; `cost_efficiency` is the inverse: successes for what was spent. */
export interface EffortMeasure {
  readonly is: 'cost_per_success' | 'cost_efficiency' | 'steps_per_success' | 'tokens_per_success';
}

const EFFORTS: readonly Measure['is'][] = [
  'cost_per_success',
  'cost_efficiency',
  'steps_per_success',
  'tokens_per_success',
] satisfies readonly EffortMeasure['is'][];

export type Measure = BoundedMeasure | EffortMeasure;

export function isEffort(measure: Measure): measure is EffortMeasure {
  return EFFORTS.includes(measure.is);
}

/** Values by the key of the case, without cases that have none. */
export function valuesOf(runs: SuiteRuns, measure: BoundedMeasure): Map<string, number> {
  const values = new Map<string, number>();
  for (const [key, ofCase] of runs.cases) {
    const value = valueOfCase(ofCase, measure);
    if (value !== undefined) values.set(key, value);
  }
  return values;
}

/** Effort and successes of a case, each as the mean over its runs. */
export interface CaseEffort {
  readonly effort: number;
  readonly success: number;
}

export function effortsOf(runs: SuiteRuns, measure: EffortMeasure): Map<string, CaseEffort> {
  const efforts = new Map<string, CaseEffort>();
  for (const [key, ofCase] of runs.cases) {
    const known = ofCase.runs.flatMap((run) => {
      const effort = effortOf(run, measure);
      const success = successForEffort(run);
      return effort === undefined || success === undefined ? [] : [{ effort, success }];
    });
    const effort = meanOf(known.map((one) => one.effort));
    const success = meanOf(known.map((one) => one.success));
    if (effort !== undefined && success !== undefined) efforts.set(key, { effort, success });
  }
  return efforts;
}

/** Parts of an evaluation that figures are made of. */
type Counted = Pick<Evaluation, 'score' | 'outcome' | 'because'>;

const BROKEN_OFF: readonly Counted[] = [{ score: 0, outcome: 'hard_failure', because: undefined }];

/** Evaluations that a run counts with. A run that broke off without a score counts as a hard failure with score 0. */
export function countedOf(run: SuiteRun): readonly Counted[] {
  return leftNoScore(run) ? BROKEN_OFF : run.evaluations;
}

export function leftNoScore({ run, evaluations }: SuiteRun): boolean {
  return run.end !== 'completed' && evaluations.every(({ score }) => score === undefined);
}

/**
 * 1 or 0; a share of the turns where the suite is about turns; undefined where nothing can be told, as of a conversation that was handed over to
 * a person.
 */
export function successOf(run: SuiteRun): number | undefined {
  const told = countedOf(run).filter(({ outcome }) => isInSuccessRate(outcome));
  if (told.length === 0) return run.run.end === 'completed' ? undefined : 0;
  return meanOf(told.map(({ outcome }) => (isGood(outcome) ? 1 : 0)));
}

/** Success as detection and the recording rules count it: a hand-over is effort without success. */
function successForEffort(run: SuiteRun): number | undefined {
  const scored = countedOf(run).filter(({ outcome }) => isScored(outcome));
  if (scored.length === 0) return run.run.end === 'completed' ? undefined : 0;
  return meanOf(scored.map(({ outcome }) => (isGood(outcome) ? 1 : 0)));
}

/** Between 0 and 1. */
export function scoreOf(run: SuiteRun): number | undefined {
  return meanOf(countedOf(run).flatMap(({ score }) => (score === undefined ? [] : [score / 1_000_000])));
}

export function passRateOf({ evaluations }: SuiteRun, criterion: string): number | undefined {
  return meanOf(evaluations.flatMap((evaluation) => passed(evaluation, criterion)));
}

export function meanOf(numbers: readonly number[]): number | undefined {
  if (numbers.length === 0) return undefined;
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

/** The mean over its runs of what each says; undefined where none says anything. */
export function valueOfCase({ runs }: RunsOfCase, measure: BoundedMeasure): number | undefined {
  switch (measure.is) {
    case 'score':
      return meanOfKnown(runs.map(scoreOf));
    case 'success':
      return meanOfKnown(runs.map(successOf));
    case 'failed_runs':
      return meanOf(runs.map(({ run }) => (run.end === 'completed' ? 0 : 1)));
    case 'unscored':
      // A suite could say nothing of a run that broke off either: were it left out, a crash would make this better.
      return outcomeRate(runs, (run) => (leftNoScore(run) ? UNSCORED : countedOf(run)), 'unscored');
    case 'outcome':
      return outcomeRate(runs, countedOf, measure.outcome);
    case 'criterion': {
      const undecided = (run: SuiteRun) =>
        measure.brokenOff === 'fails' && run.run.end !== 'completed' ? 0 : undefined;
      return meanOfKnown(runs.map((run) => passRateOf(run, measure.name) ?? undecided(run)));
    }
    case 'pass_hat':
    case 'pass_at': {
      // A run passes as a whole: with a suite about turns, where each of them succeeded.
      const known = runs.map(successOf).filter((success) => success !== undefined);
      const passes = known.filter((success) => success === 1).length;
      const counted = { runs: known.length, passes };
      return measure.is === 'pass_hat' ? passHat(counted, measure.k) : passAt(counted, measure.k);
    }
  }
}

/**
 * The chance that k runs of a case all pass, from n of which c did: of all choices of k among the n, the share in which all passed,
 *
 *     pass^k = C(c, k) / C(n, k)
 *
 * which is right on average for any k ≤ n (Yao et al., τ-bench, 2024). Undefined where k runs were not made.
 */
export function passHat({ runs, passes }: { readonly runs: number; readonly passes: number }, k: number) {
  if (!(Number.isInteger(k) && k >= 1) || runs < k) return undefined;
  let share = 1;
  for (let drawn = 0; drawn < k; drawn += 1) share *= Math.max(0, passes - drawn) / (runs - drawn);
  return share;
}

/** The chance that at least one of k runs passes: 1 − C(n − c, k) / C(n, k) (Chen et al., Codex, 2021). */
export function passAt({ runs, passes }: { readonly runs: number; readonly passes: number }, k: number) {
  const noneOf = passHat({ runs, passes: runs - passes }, k);
  return noneOf === undefined ? undefined : 1 - noneOf;
}

function passed({ verdicts }: Evaluation, criterion: string): number[] {
  const decision = decisionOf(verdicts.get(criterion)?.verdict ?? 'skipped');
  if (decision === undefined) return [];
  return [decision === 'pass' ? 1 : 0];
}

const UNSCORED: readonly Counted[] = [{ score: undefined, outcome: 'unscored' }];

function outcomeRate(
  runs: readonly SuiteRun[],
  counted: (run: SuiteRun) => readonly Counted[],
  outcome: Outcome,
): number | undefined {
  return meanOfKnown(runs.map((run) => meanOf(counted(run).map((one) => (one.outcome === outcome ? 1 : 0)))));
}

function meanOfKnown(numbers: readonly (number | undefined)[]): number | undefined {
  return meanOf(numbers.filter((number) => number !== undefined));
}

function effortOf({ run: { effort } }: SuiteRun, { is }: EffortMeasure): number | undefined {
  switch (is) {
    case 'cost_per_success':
    case 'cost_efficiency':
      return effort.costUsd;
    case 'steps_per_success':
      return effort.steps;
    case 'tokens_per_success':
      if (effort.inputTokens === undefined && effort.outputTokens === undefined) return undefined;
      return (effort.inputTokens ?? 0) + (effort.outputTokens ?? 0);
  }
}
