/** `assay compare`, as a person reads it. */
import { flippedWord, wordsOf, wordText } from '../model/suite-words.ts';
import { counted } from '../model/counted.ts';
import type { Comparison, ComparisonWord, Reliability, SuiteComparison } from '../model/comparison.ts';
import type { Experiment } from '../model/experiment.ts';
import {
  type ComparisonRow,
  casesText,
  formatChange,
  formatInterval,
  formatLevel,
  formatP,
  formatShare,
  isUnchanged,
  knownText,
  rowGroups,
  splitText,
  unchangedText,
} from '../report/documents/comparison-rows.ts';
import { headRow, printTable, type TableRow } from './print-table.ts';
import { safe, type Terminal } from './terminal.ts';

const NAME_MAX = 48;
const NOTES_MAX = 1000;
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
      `\n  Intervals at ${percent} %, for all cases that the dataset stands for: they leave room for one that was not seen, and so may have 0 in them\n  where p, for these cases, is small. p of criteria is adjusted for their number (Holm). About so many cases\n  would tell whether more is lost than ${comparison.smallest}, the smallest difference that matters.`,
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
  for (const known of knownText(suite)) out(`  ${paint('dim', known)}`);
  for (const warning of suite.warnings) out(`  ${paint('yellow', 'note')}  ${safe(warning, 400)}`);
  const groups = rowGroups(suite).filter(({ rows }) => rows.length > 0);
  const percent = Number((confidence * 100).toFixed(1));
  const rows = groups.flatMap((group) => [
    '',
    headRow(group.title, 'A', 'B', 'change', `${percent} % interval`, 'p', ''),
    ...rowsOf(group),
  ]);
  printTable(terminal, rows, { align: 'lrrrrr' });
  if (suite.split !== undefined)
    out(
      `\n    What moved the ${wordsOf(suite.about).score}: ${splitText(suite.split, (name) => safe(name, NAME_MAX))}`,
    );
  printFlipped(terminal, suite, flippedMax);
  printReliability(terminal, suite);
}

/** Criteria that are the same in each case are one line. */
function rowsOf({ title, rows }: ReturnType<typeof rowGroups>[number]): readonly TableRow[] {
  if (title !== 'criteria') return rows.map(cellsOf);
  const unchanged = unchangedText(rows.filter(isUnchanged).map(({ name }) => safe(name, NAME_MAX)));
  const moved = rows.filter((row) => !isUnchanged(row)).map(cellsOf);
  return unchanged === undefined ? moved : [...moved, `    ${unchanged}`];
}

function cellsOf({ name, unit, compared }: ComparisonRow): TableRow {
  const first = { text: name, max: NAME_MAX };
  if (compared.is === 'not_compared') return [first, { text: compared.because, style: 'dim' }];
  return [
    first,
    formatLevel(compared.a, unit),
    formatLevel(compared.b, unit),
    formatChange(compared.change, unit, compared.isRelative),
    formatInterval(compared, unit),
    formatP(compared.adjustedP),
    compared.word === undefined ? '' : { text: wordText(compared), style: STYLES[compared.word] },
  ];
}

const STYLES = {
  better: 'green',
  worse: 'red',
  fewer_faults: 'green',
  more_faults: 'red',
  no_difference_shown: 'dim',
  not_enough_evidence: 'yellow',
} as const satisfies Record<ComparisonWord, string>;

function printFlipped(
  terminal: Terminal,
  { flipped, about }: Pick<SuiteComparison, 'flipped' | 'about'>,
  most: number,
): void {
  if (flipped.length === 0) return;
  const { paint, out } = terminal;
  const worse = flipped.filter(({ direction }) => direction === 'worse').length;
  const [lost, won] = [flippedWord('worse', about), flippedWord('better', about)];
  out(`\n    Flipped: ${counted(worse, 'case')} ${lost}, ${flipped.length - worse} ${won}`);
  const shown = flipped.slice(0, most);
  if (shown.length === 0) return;
  const rows = shown.map((one) => {
    const scores = [one.score.a, one.score.b].map((score) => (score === undefined ? 'none' : score.toFixed(2)));
    const lost = one.criteria.filter(({ a, b }) => b < a).map(({ criterion }) => safe(criterion, NAME_MAX));
    const won = one.criteria.filter(({ a, b }) => b > a).map(({ criterion }) => safe(criterion, NAME_MAX));
    const notes = [
      ...(lost.length > 0 ? [`lost ${lost.join(', ')}`] : []),
      ...(won.length > 0 ? [`won ${won.join(', ')}`] : []),
      ...[...new Set(one.ends.b)],
    ];
    return [
      { text: flippedWord(one.direction, about), style: one.direction === 'worse' ? 'red' : 'green' },
      { text: one.case, max: NAME_MAX },
      `score ${scores.join(' → ')}`,
      { text: notes.join('; '), max: NOTES_MAX },
    ] as const;
  });
  printTable(terminal, rows, { indent: 6 });
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
export function printRepeats(terminal: Terminal, name: string, reliability: Reliability): void {
  const { paint, out } = terminal;
  const { repeats, passes, flakyCases, flakyCriteria } = reliability;
  if (passes.length === 0) return;
  out(`\n    ${name}, ${repeats} runs a case`);
  const rows = passes.map(({ k, passAt, passHat }) => [String(k), formatShare(passAt), formatShare(passHat)]);
  const head = headRow('k', 'at least one of k passes', 'all k pass');
  printTable(terminal, [head, ...rows], { align: 'rrr', indent: 6 });
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
