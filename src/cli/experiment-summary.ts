/**
 * Summary of an experiment: the figures of `assay score`, taken over cases instead of over conversations. A case counts
 * with the mean of its runs, as in `assay compare` and `assay gate`. A run that broke off before anything could be scored
 * counts as a hard failure with score 0.
 */
import { suitesOf } from '../compare/compare-experiments.ts';
import { countedOf, leftNoScore, meanOf, scoreOf } from '../compare/measure.ts';
import { type SuiteRun, SuiteRuns } from '../compare/suite-runs.ts';
import type { Outcome } from '../model/evaluation.ts';
import type { CaseRun, ExperimentResult } from '../model/experiment.ts';
import { isFailure } from '../model/severity.ts';
import { bandFor, type SuiteSummary, type Summary, summarize } from '../report/documents/summary.ts';

export function summaryOf(result: ExperimentResult): Summary {
  const summary = summarize(result.runs.flatMap(({ evaluations }) => evaluations));
  const suites = suitesOf(result).map((name) => new SuiteRuns(result, name));
  const figures = suites.flatMap((runs) => {
    const one = summary.suites[runs.suite] ?? summarize([]);
    return isKnown(runs) ? [[runs.suite, withFigures(one, [runs])] as const] : [];
  });
  return { ...summary, ...withFigures(summary, suites), suites: Object.fromEntries(figures) };
}

/** Runs that broke off before any suite could score them. */
export function brokenOff(runs: readonly CaseRun[]): readonly CaseRun[] {
  return runs.filter((run) => leftNoScore({ run, evaluations: run.evaluations }));
}

/** Whether the suite scored any of the runs, or would have if they had not broken off. */
function isKnown({ cases }: SuiteRuns): boolean {
  return [...cases.values()].some(({ runs }) => runs.some((run) => run.evaluations.length > 0 || leftNoScore(run)));
}

function withFigures(summary: SuiteSummary, suites: readonly SuiteRuns[]): SuiteSummary {
  const cases = suites.flatMap((runs) => [...runs.cases.values()]);
  const runs = cases.flatMap((ofCase) => ofCase.runs);
  const lost = runs.filter(leftNoScore).length;
  const scored = runs.filter((run) => scoreOf(run) !== undefined).length / runs.length;
  const mean = (of: (run: SuiteRun) => number | undefined) =>
    rounded(meanOver(cases, ({ runs }) => meanOver(runs, of)));
  const { outcomes } = summary;
  const tcr = mean(scoreOf);
  const isAboutTask = summary.about === 'task' || summary.about === null;
  return {
    ...summary,
    broke_off: lost,
    tcr,
    band: tcr === null ? null : bandFor(tcr * 1_000_000, { scored, withEvidence: summary.with_evidence ?? 0 }),
    success_rate: isAboutTask ? mean((run) => shareOf(run, 'successful_completion')) : null,
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
