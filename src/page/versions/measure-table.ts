/** Two versions side by side: each measure with its difference, its interval around nothing, and the word for it. */
import { h, type JSX } from 'preact';
import { TableHead } from '../text/table-head.ts';
import type { ComparedFigures } from '../../api/comparison.ts';
import type { ComparisonWord } from '../../model/comparison.ts';
import { wordText } from '../../model/suite-words.ts';
import { counted } from '../text/format.ts';
import { SpanText } from '../text/span-text.ts';
import { ChangeBar, reachOf } from './change-bar.ts';
import { changeText, intervalText, isCompared, levelText, type MeasureRow } from './measures.ts';

interface TableProps {
  readonly rows: readonly MeasureRow[];
  readonly unchanged: readonly string[];
  readonly alike: readonly string[];
  /** The smallest difference that matters. */
  readonly smallest: number;
  /** Name of the unit that is compared, in the plural. */
  readonly unit: string;
  readonly label: string;
  /** Links to the conversations behind a row. */
  readonly behind?: (row: MeasureRow) => JSX.Element | undefined;
}

const HEADS = {
  Measure: '',
  A: 'number',
  B: 'number',
  Difference: 'number',
  'Drawn around 0': 'bar-head',
  '95 % interval': 'interval-head',
  Conclusion: 'conclusion-head',
} as const;

export function MeasureTable({ rows, unchanged, alike, label, ...shown }: TableProps): JSX.Element {
  const [absolute, relative] = [false, true].map((isRelative) =>
    reachOf(
      rows.flatMap(({ compared }) => (isCompared(compared) && compared.relative === isRelative ? [compared] : [])),
      shown.smallest,
    ),
  );
  return h(
    'div',
    null,
    h(
      'div',
      { class: 'table-frame', tabIndex: 0, role: 'region', 'aria-label': label },
      h(
        'table',
        { class: 'measures' },
        h(TableHead, { heads: HEADS }),
        h(
          'tbody',
          null,
          ...rows.map((row) =>
            h(Row, { key: `${row.criterion ?? ''} ${row.name}`, row, absolute, relative, ...shown }),
          ),
        ),
      ),
    ),
    h(Alike, { names: unchanged, words: 'did not change' }),
    h(Alike, { names: alike, words: 'show no difference that matters' }),
  );
}

interface RowProps extends Pick<TableProps, 'smallest' | 'unit' | 'behind'> {
  readonly row: MeasureRow;
  readonly absolute: number | undefined;
  readonly relative: number | undefined;
}

function Row({ row, absolute = 1, relative = 1, smallest, unit, behind }: RowProps): JSX.Element {
  const { name, compared, criterion } = row;
  const head = h(
    'th',
    { scope: 'row', class: criterion === undefined ? undefined : 'criterion-name' },
    criterion === undefined ? name : h(SpanText, { text: name, charactersMax: 100 }),
    behind?.(row),
  );
  if (!isCompared(compared))
    return h('tr', null, head, h('td', { colSpan: 6, class: 'aside' }, `not compared: ${compared.because}`));
  const reach = compared.relative ? relative : absolute;
  return h(
    'tr',
    { class: compared.word ?? 'neither' },
    head,
    h('td', { class: 'number', 'data-head': 'A' }, levelText(compared.a, row.unit)),
    h('td', { class: 'number', 'data-head': 'B' }, levelText(compared.b, row.unit)),
    h('td', { class: 'number' }, changeText(compared, row.unit)),
    h('td', { class: 'bar-cell' }, h(ChangeBar, { compared, reach, smallest: compared.relative ? 0 : smallest })),
    h('td', { class: 'interval' }, intervalText(compared, row.unit)),
    h('td', { class: 'conclusion' }, h(Conclusion, { compared, unit })),
  );
}

const MARKS: Readonly<Record<ComparisonWord, string>> = {
  worse: '▼',
  more_faults: '▼',
  better: '▲',
  fewer_faults: '▲',
  no_difference_shown: '=',
  not_enough_evidence: '?',
};

function Conclusion({ compared, unit }: { readonly compared: ComparedFigures; readonly unit: string }): JSX.Element {
  const { word, cases_needed: casesNeeded, cases, missing } = compared;
  if (word === null) return h('span', { class: 'aside' }, 'neither good nor bad');
  return h(
    'span',
    { class: `word ${word}` },
    h('span', { class: 'mark', 'aria-hidden': 'true' }, MARKS[word]),
    wordText({ word, casesNeeded: casesNeeded ?? undefined, cases, missing }, unit),
  );
}

/** Criteria that are fine take one line. */
function Alike({ names, words }: { readonly names: readonly string[]; readonly words: string }): JSX.Element | null {
  if (names.length === 0) return null;
  return h(
    'details',
    { class: 'alike' },
    h(
      'summary',
      null,
      `${counted(names.length, 'criterion', 'criteria')} ${names.length === 1 ? singular(words) : words}`,
    ),
    h('p', null, h(SpanText, { text: names.join(', '), charactersMax: 2_000 })),
  );
}

function singular(words: string): string {
  return words.replace(/^show /, 'shows ');
}
