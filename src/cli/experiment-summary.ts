/**
 * Sums up an experiment. Its figures are means over cases, as those of `assay compare` and `assay gate`, and a run that
 * broke off and left nothing to score counts in them as a hard failure with score 0.
 */
import { suitesOf } from '../statistics/compare/compare-experiments.ts';
import { countedOf, leftNoScore, meanOf, scoreOf } from '../statistics/compare/measure.ts';
import { type SuiteRun, SuiteRuns } from '../statistics/compare/suite-runs.ts';
import type { Outcome } from '../model/evaluation.ts';
import type { CaseRun, ExperimentResult } from '../model/experiment.ts';
import { isFailure } from '../model/severity.ts';
import { type SuiteSummary, type Summary, summarize } from '../report/documents/summary.ts';

export function summaryOf(result: ExperimentResult): Summary {
  const summary = summarize(result.runs.flatMap(({ evaluations }) => evaluations));
  const suites = suitesOf(result).map((name) => new SuiteRuns(result, name));
  const figures = suites.flatMap((runs) => {
    const one = summary.suites[runs.suite] ?? summarize([]);
    return isKnown(runs) ? [[runs.suite, withFigures(one, [runs])] as const] : [];
  });
  return { ...summary, ...withFigures(summary, suites), suites: Object.fromEntries(figures) };
}

/** Runs that no suite scored, because they left nothing to score. */
export function brokenOff(runs: readonly CaseRun[]): readonly CaseRun[] {
  return runs.filter((run) => leftNoScore({ run, evaluations: run.evaluations }));
}

/** A suite that was for none of the runs has no figures. */
function isKnown({ cases }: SuiteRuns): boolean {
  return [...cases.values()].some(({ runs }) => runs.some((run) => run.evaluations.length > 0 || leftNoScore(run)));
}

function withFigures(summary: SuiteSummary, suites: readonly SuiteRuns[]): SuiteSummary {
  const cases = suites.flatMap((runs) => [...runs.cases.values()]);
  const runs = cases.flatMap((ofCase) => ofCase.runs);
  const lost = runs.filter(leftNoScore).length;
  const mean = (of: (run: SuiteRun) => number | undefined) =>
    rounded(meanOver(cases, ({ runs }) => meanOver(runs, of)));
  const { outcomes } = summary;
  const tcr = mean(scoreOf);
  const isAboutTask = summary.about === 'task' || summary.about === null;
  const successes = isAboutTask ? mean((run) => shareOf(run, 'successful_completion')) : null;
  return {
    ...summary,
    broke_off: lost,
    tcr,
    success_rate: successes,
    no_fault_rate: isAboutTask ? null : mean((run) => shareOf(run, 'no_fault_found')),
    outcomes: { ...outcomes, hard_failure: outcomes.hard_failure + lost },
  };
}

/** Share of the outcome among runs with that outcome or a failure, as in the summary of evaluations. */
function shareOf(run: SuiteRun, good: Outcome): number | undefined {
  const told = countedOf(run).filter(({ outcome }) => outcome === good || isFailure(outcome));
  return meanOf(told.map(({ outcome }) => (outcome === good ? 1 : 0)));
}

function meanOver<T>(all: readonly T[], of: (one: T) => number | undefined): number | undefined {
  return meanOf(all.map(of).filter((number) => number !== undefined));
}

function rounded(share: number | undefined): number | null {
  return share === undefined ? null : Math.round(share * 1_000_000) / 1_000_000;
}
