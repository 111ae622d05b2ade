/** `assay compare` for a person: what changed, how certain that is, and in which cases. */
import { counted } from '../../model/counted.ts';
import type { Comparison, ComparisonWord, FlippedCase, Reliability, SuiteComparison } from '../../model/comparison.ts';
import type { Experiment } from '../../model/experiment.ts';
import { flippedWord, wordsOf, wordText } from '../../model/suite-words.ts';
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
  splitPhrase,
  unchangedPhrase,
} from './comparison-rows.ts';
import { aside, type Block, command, type Document, joined, line, list, listed, name } from './document.ts';
import { note, type Phrase, type Row, say, section, subject, type Tone, toned } from './document.ts';

const NAME_MAX = 48;
const FLAKY_MAX = 10;

export function comparisonDocument(comparison: Comparison, { flippedMax }: { readonly flippedMax: number }): Document {
  const { a, b, confidence, smallest, warnings, suites } = comparison;
  const interval = `${Number((confidence * 100).toFixed(1))} % interval`;
  return {
    title: say`${name(b.name)} beside ${name(a.name)}`,
    blocks: [
      line(say`A  ${sideOf(a)}`),
      line(say`B  ${sideOf(b)}`),
      ...warnings.map(note),
      ...(suites.length === 0 ? [line('No suite scored both.')] : []),
      ...suites.map((suite) => suiteSection(suite, { interval, flippedMax })),
      ...(suites.length === 0 ? [] : legend(smallest)),
    ],
  };
}

function legend(smallest: number): readonly Block[] {
  return [
    aside(
      'The intervals are for all cases that the dataset stands for: they leave room for one that was not seen, and so may have 0 in them where p, for these cases, is small.',
    ),
    aside('p of criteria is adjusted for their number (Holm).'),
    aside(
      `About so many cases would tell whether more is lost than ${smallest}, the smallest difference that matters.`,
    ),
  ];
}

function sideOf({ id, name: called, agent, git, dataset, repeats }: Experiment): Phrase {
  const version = agent.version === undefined ? '' : say`, version ${name(agent.version)}`;
  const changes = git?.isDirty === true ? ' with changes' : '';
  const commit = git === undefined ? '' : say`, commit ${name(git.commit.slice(0, 12))}${changes}`;
  const cases = say`${counted(dataset.cases, 'case')} of ${name(dataset.name)}${repeats > 1 ? `, ${repeats} times` : ''}`;
  return say`${subject(called)} (${name(id, 130)}${version}${commit}, ${cases})`;
}

function suiteSection(
  suite: SuiteComparison,
  { interval, flippedMax }: { readonly interval: string; readonly flippedMax: number },
): Block {
  const { about, split, reliability } = suite;
  return section(say`${name(suite.suite)}   ${casesText(suite)}`, [
    ...knownText(suite).map(aside),
    ...suite.warnings.map(note),
    {
      is: 'table',
      align: 'lrrrrr',
      rows: rowGroups(suite)
        .filter(({ rows }) => rows.length > 0)
        .flatMap(({ title, rows }) => [
          { head: [title, 'A', 'B', 'change', interval, 'p', ''] },
          ...rowsOf(title, rows),
        ]),
    },
    ...(split === undefined ? [] : [line(say`What moved the ${wordsOf(about).score}: ${splitPhrase(split)}`)]),
    flippedBlock(suite, flippedMax),
    ...repeatsSections('A', reliability.a),
    ...repeatsSections('B', reliability.b),
  ]);
}

/** Criteria that are the same in each case are folded. */
function rowsOf(title: string, rows: readonly ComparisonRow[]): readonly Row[] {
  const same = title === 'criteria' ? rows.filter(isUnchanged) : [];
  const moved = rows.filter((row) => !same.includes(row)).map(rowOf);
  if (same.length === 0) return moved;
  return [...moved, { short: [[unchangedPhrase(same.map((row) => row.name))]], folded: same.map(rowOf) }];
}

function rowOf({ name: called, unit, compared }: ComparisonRow): Row {
  const named = name(called, NAME_MAX);
  if (compared.is === 'not_compared') return [named, toned('aside', compared.because)];
  return [
    named,
    formatLevel(compared.a, unit),
    formatLevel(compared.b, unit),
    formatChange(compared.change, unit, compared.isRelative),
    formatInterval(compared, unit),
    formatP(compared.adjustedP),
    compared.word === undefined ? '' : toned(TONES[compared.word], wordText(compared)),
  ];
}

const TONES = {
  better: 'good',
  worse: 'bad',
  fewer_faults: 'good',
  more_faults: 'bad',
  no_difference_shown: 'aside',
  not_enough_evidence: 'unsure',
} as const satisfies Record<ComparisonWord, Tone>;

function flippedBlock({ flipped, about }: SuiteComparison, most: number): Block {
  if (flipped.length === 0) return line('No case flipped.');
  const worse = flipped.filter(({ direction }) => direction === 'worse').length;
  const [lost, won] = [flippedWord('worse', about), flippedWord('better', about)];
  const shown = flipped.slice(0, most);
  const left = flipped.length - shown.length;
  const [first] = shown;
  return section(`Flipped: ${counted(worse, 'case')} ${lost}, ${flipped.length - worse} ${won}`, [
    { is: 'table', rows: shown.map((one) => flippedRow(one, about)) },
    ...(left > 0 && first !== undefined ? [aside(`and ${left} more (--flipped ${flipped.length})`)] : []),
    ...(first === undefined ? [] : [line(say`both conversations of one: ${command(`--transcripts ${first.case}`)}`)]),
  ]);
}

function flippedRow(one: FlippedCase, about: SuiteComparison['about']): Row {
  const scores = [one.score.a, one.score.b].map((score) =>
    score === undefined ? 'none' : formatLevel(score, 'score'),
  );
  const { lost = [], won = [] } = Object.groupBy(one.criteria, ({ a, b }) => (b < a ? 'lost' : 'won'));
  const notes = [
    ...(lost.length === 0 ? [] : [say`lost ${listed(lost.map(({ criterion }) => criterion))}`]),
    ...(won.length === 0 ? [] : [say`won ${listed(won.map(({ criterion }) => criterion))}`]),
    ...new Set(one.ends.b),
  ];
  return [
    toned(one.direction === 'worse' ? 'bad' : 'good', flippedWord(one.direction, about)),
    name(one.case, NAME_MAX),
    `score ${scores.join(' → ')}`,
    joined(notes, '; '),
  ];
}

/** Nothing where each case was run once. */
export function repeatsSections(title: string, reliability: Reliability): readonly Block[] {
  const { repeats, passes, flakyCases, flakyCriteria } = reliability;
  if (passes.length === 0) return [];
  const left = flakyCases.length - FLAKY_MAX;
  const criteria = flakyCriteria.map(({ criterion, cases, of }) => say`${name(criterion)} in ${cases} of ${of} cases`);
  const flaky = flakyCases.slice(0, FLAKY_MAX).map((one) => {
    const each = one.criteria.map((of) => say`${name(of.criterion)} ${of.passes} of ${of.runs}`);
    return joined([say`flaky: ${name(one.case)} passes ${one.passes} of ${one.runs}`, ...each], '; ');
  });
  const head = ['k', say`at least one of k passes (${name('pass@k')})`, say`all k pass (${name('pass^k')})`];
  return [
    section(`${title}, ${repeats} runs a case`, [
      {
        is: 'table',
        align: 'rrr',
        rows: [
          { head },
          ...passes.map(({ k, passAt, passHat }) => [String(k), formatShare(passAt), formatShare(passHat)]),
        ],
      },
      ...(criteria.length === 0 ? [] : [line(say`repeats do not agree on ${joined(criteria)}`)]),
      ...(flaky.length === 0 ? [] : [list([...flaky, ...(left > 0 ? [`and ${left} more`] : [])])]),
    ]),
  ];
}
