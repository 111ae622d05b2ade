/** The end of `assay score`, as a person reads it. */
import { counted } from '../model/counted.ts';
import { DOUBT_WORDS, doubtText } from '../model/doubts.ts';
import { ENDLESS_SIGNS, type EndlessSign } from '../model/events/scoring-events.ts';
import type { Outcome } from '../model/evaluation.ts';
import { speaksOfSuccess, wordsOf } from '../model/suite-words.ts';
import { OUTCOMES_IN_ORDER } from '../model/severity.ts';
import type { FailingCriterion, NeverDecided, SuiteSummary, Summary } from '../report/documents/summary.ts';
import type { RecordedEstimate } from '../offline/recorded-estimate.ts';
import type { TurnsWithoutEnd } from '../offline/turns-without-end.ts';
import type { ScoredFiles } from './score-files.ts';
import { printTable, type TableRow } from './print-table.ts';
import { percent, safe, type Style, type Terminal } from './terminal.ts';

const FAILING_MAX = 10;
const EXAMPLES_MAX = 3;
const KINDS_MAX = 5;
const OUTCOME_STYLES = {
  successful_completion: 'green',
  no_fault_found: 'green',
  handed_over: undefined,
  graceful_failure: 'yellow',
  partial_failure: 'yellow',
  hard_failure: 'red',
  unscored: 'dim',
} as const satisfies Record<Outcome, Style | undefined>;

export function printSummary(terminal: Terminal, summary: Summary, run: ScoredFiles): void {
  if (run.estimated !== undefined) printEstimated(terminal, run.estimated);
  printScores(terminal, summary);
  for (const sign of ENDLESS_SIGNS) printWithoutEnd(terminal, run.withoutEnd, sign);
  for (const [doubt, turns] of run.doubted) {
    terminal.out(
      `\n  ${terminal.paint('yellow', doubtText(doubt, counted(turns, 'turn')))}\n  ${DOUBT_WORDS[doubt].remedy}`,
    );
  }
  const notes = [
    `${counted(summary.conversations, 'conversation')}, ${counted(run.turns, 'turn')}, ${counted(run.records, 'span or log record', 'spans and log records')} in ${run.seconds.toFixed(1)} s`,
    ...(run.otherTraces > 0 ? [withoutAgent(run.otherTraces)] : []),
    ...(run.logsAlone > 0 ? [`${counted(run.logsAlone, 'trace')} of log records without spans`] : []),
    ...(run.rejected > 0 ? [`${counted(run.rejected, 'record')} without a valid trace or span id left out`] : []),
    ...(run.unmatched > 0 ? [`${counted(run.unmatched, 'conversation')} matched no suite`] : []),
  ];
  terminal.out(`\n  ${terminal.paint('dim', notes.join('; '))}`);
}

/** The number that counts, or the way to it. */
function printEstimated(terminal: Terminal, { estimate, toRead, ofOthers }: RecordedEstimate): void {
  const { conversations, readings, says, next, band } = estimate;
  if (conversations.spoken_for === 0) return;
  const shown = band === undefined ? '' : `   ${terminal.paint('green', band)}`;
  terminal.out(`\n  ${terminal.paint('bold', says)}${shown}\n  ${next}`);
  const first = toRead.slice(0, EXAMPLES_MAX).map((id) => safe(id, 60));
  const more = toRead.length > first.length ? ' and to_read of --json' : '';
  if (first.length > 0) terminal.out(`  First to read: ${first.join(', ')}${more}; answers come in by --readings`);
  const notes = Object.entries({
    'read out of turn, counted once all before are read': readings.out_of_turn,
    'without words to read, not spoken for': conversations.unreadable,
    'readings of conversations that are not here': ofOthers,
  }).flatMap(([what, count]) => (count > 0 ? [`${what}: ${count}`] : []));
  if (notes.length > 0) terminal.out(`  ${terminal.paint('dim', notes.join('; '))}`);
}

/** Why each turn has no end, as a predicate. */
const ENDLESS_WORDS = {
  'no-root': 'the root span never arrived, and neither did any call of a model or a tool',
  'open-call': 'the last model call asks for a tool, and nothing came after it',
} as const satisfies Record<EndlessSign, string>;

function printWithoutEnd(terminal: Terminal, all: readonly TurnsWithoutEnd[], sign: EndlessSign): void {
  const found = all.filter((one) => one.sign === sign);
  if (found.length === 0) return;
  const turns = found.reduce((sum, one) => sum + one.turns, 0);
  const shown = found.slice(0, EXAMPLES_MAX).map(({ conversation }) => safe(conversation, 60));
  const text = `${counted(turns, 'turn has', 'turns have')} no end and no score: ${ENDLESS_WORDS[sign]}. The process may have been killed.`;
  terminal.out(`\n  ${terminal.paint('yellow', text)}\n  for example ${shown.join(', ')}`);
}

/** Other services may send to the same place, and a process that was killed may leave only what its HTTP client wrote. */
export function withoutAgent(traces: number): string {
  return `${counted(traces, 'trace')} without any work of an agent`;
}

/** Score and outcomes of each suite, and the criteria that fail most. */
export function printScores(terminal: Terminal, summary: Summary): void {
  const suites = Object.entries(summary.suites);
  if (suites.length === 0) terminal.out('\n  Nothing was scored.');
  for (const [suite, one] of suites) {
    const failing = summary.failing_criteria.filter((criterion) => criterion.suite === suite);
    printSuite(terminal, suite, { summary: one, failing });
  }
  const terms = new Set(suites.map(([, { about }]) => wordsOf(about).spelledOut));
  if (terms.size > 0) terminal.out(`\n  ${terminal.paint('dim', [...terms].join('; '))}`);
  if (summary.failing_criteria.length > 0) {
    terminal.out(`\n  ${terminal.paint('bold', 'Failing most')}`);
    printTable(terminal, summary.failing_criteria.slice(0, FAILING_MAX).map(criterionRow), { align: 'lrl' });
  }
  if (summary.never_decided.length > 0) {
    terminal.out(`\n  ${terminal.paint('bold', 'Never decided, although the tool was called')}`);
    printTable(terminal, summary.never_decided.slice(0, FAILING_MAX).map(neverDecidedRow), { align: 'lrll' });
  }
}

function printSuite(
  terminal: Terminal,
  suite: string,
  { summary, failing }: { readonly summary: SuiteSummary; readonly failing: readonly FailingCriterion[] },
): void {
  const { tcr, success_rate: successes } = summary;
  const words = wordsOf(summary.about);
  const head = [
    terminal.paint('bold', suite),
    ...faultsText(summary),
    tcr === null ? 'no score' : `${words.score} ${tcr.toFixed(3)}`,
    ...decidedText(summary),
    ...(successes === null ? [] : [`${percent(successes)} ${words.good}`]),
  ];
  terminal.out(`\n  ${head.join('   ')}`);
  if (!speaksOfSuccess(summary.about) && failing.length > 0) terminal.out(`  ${kindsText(summary, failing)}`);
  const known = whatIsKnown(summary);
  if (known !== undefined) terminal.out(`  ${terminal.paint('dim', known)}`);
  const all = summary.evaluations + summary.broke_off;
  const rows = OUTCOMES_IN_ORDER.flatMap((outcome) => {
    const count = summary.outcomes[outcome];
    const style = OUTCOME_STYLES[outcome];
    if (count === 0) return [];
    const kinds = Object.entries(summary.because[outcome] ?? {}).map(([kind, times]) => `${times} ${safe(kind)}`);
    const name = style === undefined ? outcome : { text: outcome, style };
    return [[name, String(count), percent(count / all), { text: kinds.join(', '), style: 'dim' } as const]];
  });
  printTable(terminal, rows, { align: 'lrr', min: [22, 6, 7] });
}

/** A suite without evidence of the task counts faults. */
function faultsText({ no_fault_rate: faultless, scope, outcomes }: SuiteSummary): readonly string[] {
  if (faultless === null) return [];
  const leftOut = outcomes.handed_over > 0 ? ` (without ${outcomes.handed_over} handed over)` : '';
  return [`${((1 - faultless) * 100).toFixed(1)} of 100 ${UNITS[scope ?? 'both']} have a fault${leftOut}`];
}

const UNITS = { turn: 'turns', conversation: 'conversations', both: 'evaluations' } as const;

/** How often each of them came, for each hundred. */
function kindsText({ scope, scored }: SuiteSummary, failing: readonly FailingCriterion[]): string {
  const kinds = failing
    .slice(0, KINDS_MAX)
    .map(({ criterion, failed }) => `${criterion} ${((failed / scored) * 100).toFixed(1)}`);
  const more = failing.length > KINDS_MAX ? [counted(failing.length - KINDS_MAX, 'more kind')] : [];
  return `faults per 100 ${UNITS[scope ?? 'both']}: ${[...kinds, ...more].join(', ')}`;
}

/** Beside the score, which is a mean of what could be decided. */
function decidedText({ decided_share: decided }: Pick<SuiteSummary, 'decided_share'>): readonly string[] {
  return decided === null ? [] : [`${percent(decided)} decided`];
}

/** Limits of the number, as a sentence; undefined if all of it has evidence of the task. */
function whatIsKnown({ about, with_evidence: share, scored, outcomes }: SuiteSummary): string | undefined {
  const asked = scored + outcomes.unscored;
  if (outcomes.unscored >= scored && scored > 0) return `only ${scored} of ${asked} could be scored: too few to go by`;
  const { limit } = wordsOf(about);
  if (limit !== undefined) return limit;
  if (about === null || share === null || share === 1) return undefined;
  return `criteria about the task were decided in ${percent(share)} of ${scored} scored; the rest is known by form alone`;
}

function neverDecidedRow({ suite, criterion, argument_absent, reason, examples }: NeverDecided): TableRow {
  const shown = examples.map((id) => safe(id, 60)).join(', ');
  return [`${suite}/${criterion}`, `in ${argument_absent}`, safe(reason, 100), `for example ${shown}`];
}

function criterionRow({ suite, criterion, failed, decided, examples }: FailingCriterion): TableRow {
  const shown = examples.map((id) => safe(id, 60)).join(', ');
  return [`${suite}/${criterion}`, `failed ${failed} of ${decided}`, `for example ${shown}`];
}
