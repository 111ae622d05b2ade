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
import {
  aside,
  type Block,
  command,
  type Document,
  joined,
  line,
  list,
  listed,
  name,
  note,
  type Phrase,
  type Piece,
  type Row,
  section,
  type Table,
  type Tone,
  toned,
} from './document.ts';

const FLAKY_MAX = 10;

export function comparisonDocument(comparison: Comparison, { flippedMax }: { readonly flippedMax: number }): Document {
  const { a, b, confidence, smallest, warnings, suites } = comparison;
  const interval = `${Number((confidence * 100).toFixed(1))} % interval`;
  return {
    title: [name(b.name), ' beside ', name(a.name)],
    blocks: [
      line('A  ', ...sideOf(a)),
      line('B  ', ...sideOf(b)),
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

function sideOf({ id, name: called, agent, git, dataset, repeats }: Experiment): readonly Piece[] {
  const commit = git === undefined ? [] : [name(git.commit.slice(0, 12))];
  return [
    name(called, { tone: 'strong' }),
    ' (',
    name(id, { max: 130 }),
    ...(agent.version === undefined ? [] : [', version ', name(agent.version)]),
    ...commit.flatMap((named) => [', commit ', named, git?.isDirty === true ? ' with changes' : '']),
    `, ${counted(dataset.cases, 'case')} of `,
    name(dataset.name),
    `${repeats > 1 ? `, ${repeats} times` : ''})`,
  ];
}

function suiteSection(
  suite: SuiteComparison,
  { interval, flippedMax }: { readonly interval: string; readonly flippedMax: number },
): Block {
  const { about, split, reliability } = suite;
  return section(
    [name(suite.suite), `   ${casesText(suite)}`],
    [
      ...knownText(suite).map(aside),
      ...suite.warnings.map(note),
      ...rowGroups(suite)
        .filter(({ rows }) => rows.length > 0)
        .map(({ title, rows }) => figuresTable([title, 'A', 'B', 'change', interval, 'p', ''], rows)),
      ...(split === undefined ? [] : [line(`What moved the ${wordsOf(about).score}: `, ...splitPhrase(split))]),
      flippedBlock(suite, flippedMax),
      ...repeatsSections('A', reliability.a),
      ...repeatsSections('B', reliability.b),
    ],
  );
}

/** Criteria that are the same in each case are folded. */
function figuresTable(head: readonly [string, ...string[]], rows: readonly ComparisonRow[]): Table {
  const folded = head[0] === 'criteria' ? rows.filter(isUnchanged) : [];
  return {
    is: 'table',
    head,
    align: 'lrrrrr',
    rows: rows.filter((row) => !folded.includes(row)).map(rowOf),
    folded: {
      short: folded.length === 0 ? [] : [{ cells: [unchangedPhrase(folded.map((row) => row.name))] }],
      rows: folded.map(rowOf),
    },
  };
}

function rowOf({ name: called, unit, compared }: ComparisonRow): Row {
  const named = name(called, { max: 48 });
  if (compared.is === 'not_compared') return { cells: [named, toned('aside', compared.because)] };
  return {
    cells: [
      named,
      formatLevel(compared.a, unit),
      formatLevel(compared.b, unit),
      formatChange(compared.change, unit, compared.isRelative),
      formatInterval(compared, unit),
      formatP(compared.adjustedP),
      compared.word === undefined ? '' : toned(TONES[compared.word], wordText(compared)),
    ],
  };
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
    ...(first === undefined ? [] : [line('both conversations of one: ', command(`--transcripts ${first.case}`))]),
  ]);
}

function flippedRow(one: FlippedCase, about: SuiteComparison['about']): Row {
  const scores = [one.score.a, one.score.b].map((score) =>
    score === undefined ? 'none' : formatLevel(score, 'score'),
  );
  const moved = (word: string, criteria: FlippedCase['criteria']): readonly Phrase[] =>
    criteria.length === 0 ? [] : [[`${word} `, ...listed(criteria.map(({ criterion }) => criterion))]];
  const notes = [
    ...moved(
      'lost',
      one.criteria.filter(({ a, b }) => b < a),
    ),
    ...moved(
      'won',
      one.criteria.filter(({ a, b }) => b > a),
    ),
    ...new Set(one.ends.b),
  ];
  return {
    cells: [
      toned(one.direction === 'worse' ? 'bad' : 'good', flippedWord(one.direction, about)),
      name(one.case, { max: 48 }),
      `score ${scores.join(' → ')}`,
      joined(notes, '; '),
    ],
  };
}

/** Nothing where each case was run once. */
export function repeatsSections(title: string, reliability: Reliability): readonly Block[] {
  const { repeats, passes, flakyCases, flakyCriteria } = reliability;
  if (passes.length === 0) return [];
  const left = flakyCases.length - FLAKY_MAX;
  const flaky = flakyCases
    .slice(0, FLAKY_MAX)
    .map(
      (one): Phrase => [
        'flaky: ',
        name(one.case, { max: 48 }),
        ` passes ${one.passes} of ${one.runs}`,
        ...one.criteria.flatMap(({ criterion, passes: some, runs }) => ['; ', name(criterion), ` ${some} of ${runs}`]),
      ],
    );
  const criteria = flakyCriteria.map(
    ({ criterion, cases, of }): Phrase => [name(criterion), ` in ${cases} of ${of} cases`],
  );
  return [
    section(`${title}, ${repeats} runs a case`, [
      {
        is: 'table',
        head: ['k', ['at least one of k passes (', name('pass@k'), ')'], ['all k pass (', name('pass^k'), ')']],
        align: 'rrr',
        rows: passes.map(({ k, passAt, passHat }) => ({
          cells: [String(k), formatShare(passAt), formatShare(passHat)],
        })),
      },
      ...(criteria.length === 0 ? [] : [line('repeats do not agree on ', ...joined(criteria))]),
      ...(flaky.length === 0 ? [] : [list([...flaky, ...(left > 0 ? [`and ${left} more`] : [])])]),
    ]),
  ];
}
