/** The end of `assay score`, as a person reads it. */
import type { FailingCriterion, SuiteSummary, Summary } from '../report/documents/summary.ts';
import { printTable, type TableRow } from './print-table.ts';
import { percent, safe, type Terminal } from './terminal.ts';

const FAILING_MAX = 10;
const OUTCOME_STYLES = {
  successful_completion: 'green',
  graceful_failure: 'yellow',
  partial_failure: 'yellow',
  hard_failure: 'red',
  unscored: 'dim',
} as const;

export function printSummary(
  terminal: Terminal,
  summary: Summary,
  run: {
    readonly records: number;
    readonly rejected: number;
    readonly turns: number;
    readonly unmatched: number;
    readonly seconds: number;
  },
): void {
  printScores(terminal, summary);
  const notes = [
    `${summary.conversations} conversations, ${run.turns} turns, ${run.records} spans and log records in ${run.seconds.toFixed(1)} s`,
    ...(run.rejected > 0 ? [`${run.rejected} records without a valid trace or span id were left out`] : []),
    ...(run.unmatched > 0 ? [`${run.unmatched} conversations matched no suite`] : []),
  ];
  terminal.out(`\n  ${terminal.paint('dim', notes.join('; '))}`);
}

/** TCR and outcomes of each suite, and the criteria that fail most. */
export function printScores(terminal: Terminal, summary: Summary): void {
  const suites = Object.entries(summary.suites);
  if (suites.length === 0) terminal.out('\n  Nothing was scored.');
  for (const [suite, one] of suites) printSuite(terminal, suite, one);
  if (summary.failing_criteria.length > 0) {
    terminal.out(`\n  ${terminal.paint('bold', 'Failing most')}`);
    printTable(terminal, summary.failing_criteria.slice(0, FAILING_MAX).map(criterionRow), { align: 'lrl' });
  }
}

function printSuite(terminal: Terminal, suite: string, summary: SuiteSummary): void {
  const tcr = summary.tcr === null ? 'no score' : `TCR ${summary.tcr.toFixed(3)}`;
  const band = summary.band === null ? '' : paintBand(terminal, summary.band);
  terminal.out(`\n  ${terminal.paint('bold', suite)}   ${tcr}   ${band}`);
  const rows = Object.entries(OUTCOME_STYLES).flatMap(([outcome, style]) => {
    // The cast holds: the styles are keyed by outcome.
    const count = summary.outcomes[outcome as keyof typeof OUTCOME_STYLES];
    return count === 0 ? [] : [[{ text: outcome, style }, String(count), percent(count / summary.evaluations)]];
  });
  printTable(terminal, rows, { align: 'lrr', min: [22, 6, 7] });
}

function paintBand(terminal: Terminal, band: NonNullable<SuiteSummary['band']>): string {
  const style = band === 'production ready' ? 'green' : band === 'usable' ? 'yellow' : 'red';
  return terminal.paint(style, band);
}

function criterionRow({ suite, criterion, failed, decided, examples }: FailingCriterion): TableRow {
  const shown = examples.map((id) => safe(id, 60)).join(', ');
  return [`${suite}/${criterion}`, `failed ${failed} of ${decided}`, `for example ${shown}`];
}
