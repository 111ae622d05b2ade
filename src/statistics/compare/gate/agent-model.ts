/**
 * An agent to plan a gate with: experiments like those it would make, of as many cases and repeats as wanted. Each run
 * is one that was seen, so scores, outcomes, criteria and costs go together as they did.
 *
 * Runs of a case are alike. A case has a run of its own, drawn from all that were seen; each of its runs is that one
 * with the chance s, and otherwise any. Two runs of a case are then correlated by s², whatever the figure, and the
 * figures of all cases together are distributed as they were seen.
 */
import type { Evaluation, Verdict } from '../../../model/evaluation.ts';
import type { CaseRun, ExperimentResult } from '../../../model/experiment.ts';
import { countedOf, scoreOf, successOf } from '../measure.ts';
import { SuiteRuns } from '../suite-runs.ts';

/** How far runs of one case agree: 0 if the case says nothing, 1 if its runs are all alike. */
export interface Agreement {
  readonly low: number;
  readonly likely: number;
  readonly high: number;
  /** The repeats that were seen, or nothing that is known of this agent. */
  readonly from: 'repeats' | 'assumption';
}

export const ASSUMED_AGREEMENT: Agreement = { low: 0.3, likely: 0.6, high: 0.9, from: 'assumption' };

/** Draws of cases for the interval of the agreement, of which it leaves out a tenth at each end. */
const DRAWN_CASES = 200;
const DRAWN_TAIL = 0.1;

interface Pair {
  readonly baseline: ExperimentResult;
  readonly candidate: ExperimentResult;
}

export interface Trial {
  readonly cases: number;
  readonly repeats: number;
  readonly agreement: number;
  /** The share of the candidate's runs that fail entirely, whatever they did. */
  readonly lost: number;
}

/** The agent once as the baseline and once as the candidate, on the same cases. */
export function tryAgent(seen: ExperimentResult, trial: Trial, random: () => number): Pair {
  const pick = () => seen.runs[Math.floor(random() * seen.runs.length)] as CaseRun;
  const own = Math.sqrt(trial.agreement);
  const [ofBaseline, ofCandidate]: [CaseRun[], CaseRun[]] = [[], []];
  for (let index = 0; index < trial.cases; index += 1) {
    const ofCase = pick();
    const place = { case: `case-${index}`, caseFingerprint: `case-${index}`, tags: [] };
    const run = (repeat: number) => ({ ...(random() < own ? ofCase : pick()), ...place, repeat });
    for (let repeat = 1; repeat <= trial.repeats; repeat += 1) {
      ofBaseline.push(run(repeat));
      const candidate = run(repeat);
      ofCandidate.push(random() < trial.lost ? failed(candidate) : candidate);
    }
  }
  const { experiment } = seen;
  const told = {
    ...experiment,
    dataset: { ...experiment.dataset, cases: trial.cases },
    repeats: trial.repeats,
    endedAt: experiment.startedAt,
  };
  return { baseline: { experiment: told, runs: ofBaseline }, candidate: { experiment: told, runs: ofCandidate } };
}

/** The mean score of what was seen, over its suites. */
export function meanScore({ experiment, runs }: ExperimentResult): number | undefined {
  const scores = experiment.suites.flatMap(({ name }) =>
    [...new SuiteRuns({ experiment, runs }, name).cases.values()].flatMap((ofCase) =>
      ofCase.runs.flatMap((run) => scoreOf(run) ?? []),
    ),
  );
  return scores.length === 0 ? undefined : scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

/**
 * From the repeats of the cases: of the variance of single runs, the part that lies between cases. Undefined if no case
 * was run twice, or if all runs are the same.
 */
export function agreementOf(seen: ExperimentResult, random: () => number): Agreement | undefined {
  const cases = seen.experiment.suites.flatMap(({ name }) =>
    [...new SuiteRuns(seen, name).cases.values()].map(({ runs }) =>
      runs.filter((run) => countedOf(run).length > 0).flatMap((run) => scoreOf(run) ?? successOf(run) ?? []),
    ),
  );
  const repeated = cases.filter((runs) => runs.length > 1);
  const likely = correlation(repeated);
  if (likely === undefined) return undefined;
  const drawn = Array.from({ length: DRAWN_CASES }, () =>
    correlation(repeated.map(() => repeated[Math.floor(random() * repeated.length)] as readonly number[])),
  )
    .filter((one) => one !== undefined)
    .sort((a, b) => a - b);
  const at = (share: number) => drawn[Math.floor(share * (drawn.length - 1))] ?? likely;
  return {
    low: Math.min(likely, at(DRAWN_TAIL)),
    likely,
    high: Math.max(likely, at(1 - DRAWN_TAIL)),
    from: 'repeats',
  };
}

/** Analysis of variance of one factor, with the case as the factor. */
function correlation(cases: readonly (readonly number[])[]): number | undefined {
  const runs = cases.reduce((sum, ofCase) => sum + ofCase.length, 0);
  if (cases.length < 2) return undefined;
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const all = mean(cases.flat());
  let [between, within] = [0, 0];
  for (const ofCase of cases) {
    const middle = mean(ofCase);
    between += ofCase.length * (middle - all) ** 2;
    for (const value of ofCase) within += (value - middle) ** 2;
  }
  const squares = cases.reduce((sum, { length }) => sum + length ** 2, 0);
  const size = (runs - squares / runs) / (cases.length - 1);
  const meanWithin = within / (runs - cases.length);
  const ofCases = Math.max(0, (between / (cases.length - 1) - meanWithin) / size);
  return ofCases + meanWithin === 0 ? undefined : ofCases / (ofCases + meanWithin);
}

function failed(run: CaseRun): CaseRun {
  return { ...run, evaluations: run.evaluations.map(failedEvaluation) };
}

function failedEvaluation(evaluation: Evaluation): Evaluation {
  const verdicts = [...evaluation.verdicts].map(([criterion, verdict]): readonly [string, Verdict] => [
    criterion,
    'evidence' in verdict ? { ...verdict, verdict: 'fail' } : verdict,
  ]);
  const score = evaluation.score === undefined ? undefined : 0;
  return { ...evaluation, score, outcome: 'hard_failure', verdicts: new Map(verdicts) };
}
