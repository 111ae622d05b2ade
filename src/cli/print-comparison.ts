/** `assay compare`, as a person reads it. */
import type {
  Compared,
  Comparison,
  ComparisonWord,
  FlippedCase,
  Reliability,
  SuiteComparison,
} from '../model/comparison.ts';
import type { Experiment } from '../model/experiment.ts';
import {
  type ComparisonRow,
  casesText,
  counted,
  formatChange,
  formatInterval,
  formatLevel,
  formatP,
  formatShare,
  formatWord,
  rowGroups,
  splitText,
} from '../report/documents/comparison-rows.ts';
import { safe, type Terminal } from './terminal.ts';

const NAME_MAX = 48;
const FLAKY_MAX = 10;

export function printComparison(
  terminal: Terminal,
  comparison: Comparison,
  { flippedMax }: { readonly flippedMax: number },
): void {
  const { paint, out } = terminal;
  const { a, b, confidence, warnings, suites } = comparison;
  out(`\n  A  ${sideText(terminal, a)}`);
  out(`  B  ${sideText(terminal, b)}`);
  for (const warning of warnings) out(`  ${paint('yellow', 'note')}  ${safe(warning, 400)}`);
  if (suites.length === 0) out('\n  No suite scored both.');
  for (const suite of suites) printSuite(terminal, suite, { confidence, flippedMax });
  if (suites.length === 0) return;
  const percent = Number((confidence * 100).toFixed(1));
  out(
    paint(
      'dim',
      `\n  Intervals at ${percent} %, for all cases that the dataset stands for: they leave room for one that was not seen, and so may have 0 in them\n  where p, for these cases, is small. p of criteria is adjusted for their number (Holm). More cases: to find a difference of ${comparison.smallest}, the\n  smallest that matters, four times of five.`,
    ),
  );
}

function sideText({ paint }: Terminal, { id, name, agent, git, dataset, repeats }: Experiment): string {
  const notes = [
    safe(id, 130),
    ...(agent.version === undefined ? [] : [`version ${safe(agent.version, 60)}`]),
    ...(git === undefined ? [] : [`commit ${safe(git.commit.slice(0, 12))}${git.isDirty ? ' with changes' : ''}`]),
    `${counted(dataset.cases, 'case')} of ${safe(dataset.name, 60)}${repeats > 1 ? `, ${repeats} times` : ''}`,
  ];
  return `${paint('bold', safe(name, 60))}  ${paint('dim', notes.join(', '))}`;
}

function printSuite(
  terminal: Terminal,
  suite: SuiteComparison,
  { confidence, flippedMax }: { readonly confidence: number; readonly flippedMax: number },
): void {
  const { paint, out } = terminal;
  out(`\n  ${paint('bold', safe(suite.suite, 80))}   ${casesText(suite)}`);
  for (const warning of suite.warnings) out(`  ${paint('yellow', 'note')}  ${safe(warning, 400)}`);
  const groups = rowGroups(suite).filter(({ rows }) => rows.length > 0);
  const percent = Number((confidence * 100).toFixed(1));
  const table = groups.map(({ title, rows }) => ({
    head: [title, 'A', 'B', 'change', `${percent} % interval`, 'p'],
    rows: rows.map((row) => ({ row, cells: cellsOf(row) })),
  }));
  const lines = table.flatMap(({ head, rows }) => [head, ...rows.map(({ cells }) => cells)]);
  // A reason in place of figures may be as long as it likes.
  const widths = [0, 1, 2, 3, 4, 5].map((column) =>
    Math.max(
      ...lines.map((cells) =>
        cells.length > 2 ? (cells[column]?.length ?? 0) : column === 0 ? (cells[0]?.length ?? 0) : 0,
      ),
    ),
  );
  const inColumns = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  for (const { head, rows } of table) {
    out('');
    out(`    ${paint('dim', inColumns(head))}`);
    for (const { row, cells } of rows) {
      if (row.compared.is === 'not_compared')
        out(`    ${inColumns(cells.slice(0, 1))}  ${paint('dim', cells[1] ?? '')}`);
      else out(`    ${inColumns(cells)}  ${paintWord(terminal, row.compared)}`);
    }
  }
  if (suite.split !== undefined) out(`\n    What moved TCR: ${splitText(suite.split, (name) => safe(name, NAME_MAX))}`);
  printFlipped(terminal, suite.flipped, flippedMax);
  printReliability(terminal, suite);
}

function cellsOf({ name, unit, compared }: ComparisonRow): string[] {
  if (compared.is === 'not_compared') return [safe(name, NAME_MAX), safe(compared.because)];
  return [
    safe(name, NAME_MAX),
    formatLevel(compared.a, unit),
    formatLevel(compared.b, unit),
    formatChange(compared.change, unit, compared.isRelative),
    formatInterval(compared, unit),
    formatP(compared.adjustedP),
  ];
}

const STYLES = {
  better: 'green',
  worse: 'red',
  no_difference_shown: 'dim',
  not_enough_evidence: 'yellow',
} as const satisfies Record<ComparisonWord, string>;

function paintWord({ paint }: Terminal, compared: Extract<Compared, { is: 'compared' }>): string {
  return compared.word === undefined ? '' : paint(STYLES[compared.word], formatWord(compared));
}

function printFlipped({ paint, out }: Terminal, flipped: readonly FlippedCase[], most: number): void {
  if (flipped.length === 0) return;
  const worse = flipped.filter(({ direction }) => direction === 'worse').length;
  out(`\n    Flipped: ${counted(worse, 'case')} worse, ${flipped.length - worse} better`);
  const shown = flipped.slice(0, most);
  if (shown.length === 0) return;
  const width = Math.max(...shown.map((one) => safe(one.case, NAME_MAX).length));
  for (const one of shown) {
    const scores = [one.score.a, one.score.b].map((score) => (score === undefined ? 'none' : score.toFixed(2)));
    const lost = one.criteria.filter(({ a, b }) => b < a).map(({ criterion }) => safe(criterion, NAME_MAX));
    const won = one.criteria.filter(({ a, b }) => b > a).map(({ criterion }) => safe(criterion, NAME_MAX));
    const notes = [
      ...(lost.length > 0 ? [`lost ${lost.join(', ')}`] : []),
      ...(won.length > 0 ? [`won ${won.join(', ')}`] : []),
      ...[...new Set(one.ends.b)],
    ];
    const name = safe(one.case, NAME_MAX).padEnd(width);
    const style = one.direction === 'worse' ? 'red' : 'green';
    out(`      ${paint(style, one.direction.padEnd(6))}  ${name}  score ${scores.join(' → ')}  ${notes.join('; ')}`);
  }
  if (flipped.length > most) out(paint('dim', `      and ${flipped.length - most} more (--flipped ${flipped.length})`));
  out(paint('dim', `      both conversations of one: --transcripts ${safe(shown[0]?.case ?? '', NAME_MAX)}`));
}

function printReliability(terminal: Terminal, { reliability }: SuiteComparison): void {
  for (const [name, one] of [
    ['A', reliability.a],
    ['B', reliability.b],
  ] as const)
    printRepeats(terminal, name, one);
}

/** Nothing where each case was run once. */
export function printRepeats({ paint, out }: Terminal, name: string, reliability: Reliability): void {
  const { repeats, passes, flakyCases, flakyCriteria } = reliability;
  if (passes.length === 0) return;
  out(`\n    ${name}, ${repeats} runs a case`);
  out(
    paint('dim', `      ${'k'.padStart(3)}  ${'at least one of k passes'.padStart(26)}  ${'all k pass'.padStart(26)}`),
  );
  for (const { k, passAt, passHat } of passes)
    out(`      ${String(k).padStart(3)}  ${formatShare(passAt).padStart(26)}  ${formatShare(passHat).padStart(26)}`);
  if (flakyCriteria.length > 0) {
    const criteria = flakyCriteria.map(
      ({ criterion, cases, of }) => `${safe(criterion, NAME_MAX)} in ${cases} of ${of} cases`,
    );
    out(`      repeats do not agree on ${criteria.join(', ')}`);
  }
  for (const flaky of flakyCases.slice(0, FLAKY_MAX)) {
    const criteria = flaky.criteria.map(
      ({ criterion, passes: some, runs }) => `${safe(criterion, NAME_MAX)} ${some} of ${runs}`,
    );
    out(
      `      flaky  ${safe(flaky.case, NAME_MAX)}  passes ${flaky.passes} of ${flaky.runs}  ${paint('dim', criteria.join(', '))}`,
    );
  }
  if (flakyCases.length > FLAKY_MAX) out(paint('dim', `      and ${flakyCases.length - FLAKY_MAX} more`));
}
