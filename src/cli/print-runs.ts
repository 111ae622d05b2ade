/** The end of `assay run`, as a person reads it, and as JSON. */
import { counted } from '../model/counted.ts';
import type { CaseRun, ExperimentResult, RunEnd } from '../model/experiment.ts';
import type { ExperimentEnd } from '../offline/run/run-experiment.ts';
import type { Summary } from '../report/documents/summary.ts';
import type { ExperimentFolder } from '../store/experiment/experiment-folder.ts';
import { toExperimentJson } from '../store/experiment/experiment-json.ts';
import { brokenOff, summaryOf } from './experiment-summary.ts';
import { printScores } from './print-summary.ts';
import { safe, type Terminal } from './terminal.ts';

const FAILED_MAX = 10;
const IN_WORDS: Readonly<Record<RunEnd, string>> = {
  completed: 'completed',
  agent_failed: 'ended with an error',
  timed_out: 'did not end in time',
  no_spans: 'showed no spans',
};

export function printRuns(
  terminal: Terminal,
  { folder, experiment, runs }: ExperimentFolder,
  end: ExperimentEnd,
): void {
  printKeptRuns(terminal, { experiment, runs });
  if (end.is !== 'ended') return;
  const unscored = runs.filter((run) => run.end === 'completed' && run.evaluations.length === 0);
  const notes = [
    ...(unscored.length > 0 ? [`${unscored.length} completed runs are what no suite is for`] : []),
    ...(end.lateSpans > 0
      ? [`${end.lateSpans} spans came when their run had been scored: a longer --settle waits for them`]
      : []),
    ...(end.unclaimedTraces > 0 ? [`${end.unclaimedTraces} traces came that are of no run`] : []),
  ];
  for (const note of notes) terminal.out(`  ${terminal.paint('yellow', note)}`);
  terminal.out(`\n  Experiment ${experiment.id} is in ${folder}`);
  terminal.out(`  Details:             npx assay show ${experiment.id}`);
  terminal.out(`  Compare:             npx assay compare <baseline> ${experiment.id}`);
}

/** Prints the summary of the runs, and the runs that failed or were odd. */
export function printKeptRuns(terminal: Terminal, result: ExperimentResult): void {
  const { experiment, runs } = result;
  printScores(terminal, withCases(summaryOf(result), runs));
  const broken = brokenOff(runs).length;
  if (broken > 0) {
    const text = `${broken} of ${counted(runs.length, 'run')} broke off and left nothing to score: each counts as a hard failure with score 0`;
    terminal.out(`\n  ${terminal.paint('red', text)}`);
  }
  const failed = runs.filter((run) => run.end !== 'completed');
  const counts = Object.entries(countsOf(runs)).filter(([, count]) => count > 0);
  // The casts hold: the counts are keyed by how runs end.
  const ends = counts.map(([runEnd, count]) => `${count} ${IN_WORDS[runEnd as RunEnd]}`);
  terminal.out(`\n  ${terminal.paint('dim', `${counted(runs.length, 'run')}: ${ends.join(', ')}`)}`);
  for (const run of failed.slice(0, FAILED_MAX)) terminal.out(`    ${described(run, experiment.repeats)}`);
  if (failed.length > FAILED_MAX) terminal.out(`    … and ${failed.length - FAILED_MAX} more`);
  const odd = runs.filter((run) => run.end === 'completed' && run.problem !== undefined);
  if (odd.length > 0) {
    terminal.out(`\n  ${terminal.paint('dim', `${odd.length} completed runs were odd`)}`);
    for (const run of odd.slice(0, FAILED_MAX)) terminal.out(`    ${described(run, experiment.repeats)}`);
  }
}

/** Runs are named after their cases, because people look for those. */
function withCases(summary: Summary, runs: readonly CaseRun[]): Summary {
  const cases = new Map(
    runs.flatMap((run) => run.evaluations.map(({ conversationId }) => [String(conversationId), run.case])),
  );
  const failing = summary.failing_criteria.map((criterion) => ({
    ...criterion,
    examples: [...new Set(criterion.examples.map((id) => cases.get(id) ?? id))],
  }));
  return { ...summary, failing_criteria: failing };
}

export function runsJson(result: ExperimentResult) {
  const { experiment, runs } = result;
  return {
    experiment: toExperimentJson(experiment),
    runs: { kept: runs.length, ...countsOf(runs), without_score: brokenOff(runs).length },
    summary: summaryOf(result),
  };
}

function countsOf(runs: readonly CaseRun[]): { readonly [end in RunEnd]: number } {
  const count = (wanted: RunEnd) => runs.filter(({ end }) => end === wanted).length;
  return {
    completed: count('completed'),
    agent_failed: count('agent_failed'),
    timed_out: count('timed_out'),
    no_spans: count('no_spans'),
  };
}

function described(run: CaseRun, repeats: number): string {
  const repeat = repeats === 1 ? '' : ` (${run.repeat} of ${repeats})`;
  return `${safe(run.case, 60)}${repeat}: ${safe(run.problem ?? IN_WORDS[run.end])}`;
}

export function leftText(left: number, planned: number): string {
  return `${left} of ${counted(planned, 'run')} ${left === 1 ? 'is' : 'are'} left.`;
}
