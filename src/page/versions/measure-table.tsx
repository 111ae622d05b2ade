/** Two versions side by side: each measure with its difference, its interval around nothing, and the word for it. */
import type { JSX } from 'preact';
import type { ComparedFigures } from '../../api/comparison.ts';
import type { ComparisonWord } from '../../model/comparison.ts';
import { wordText } from '../../model/suite-words.ts';
import { counted } from '../text/format.ts';
import { SpanText } from '../text/span-text.tsx';
import { Table } from '../text/table.tsx';
import { WordMark } from '../text/word-mark.tsx';
import { ChangeBar, reachOf } from './change-bar.tsx';
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

export function MeasureTable({ rows, unchanged, alike, label, ...shown }: TableProps) {
  const [absolute, relative] = [false, true].map((isRelative) =>
    reachOf(
      rows.flatMap(({ compared }) => (isCompared(compared) && compared.relative === isRelative ? [compared] : [])),
      shown.smallest,
    ),
  );
  return (
    <div>
      <Table class="measures" heads={HEADS} label={label}>
        {rows.map((row) => (
          <Row
            key={`${row.criterion ?? ''} ${row.name}`}
            row={row}
            absolute={absolute}
            relative={relative}
            {...shown}
          />
        ))}
      </Table>
      <Alike names={unchanged} words="did not change" />
      <Alike names={alike} words="show no difference that matters" />
    </div>
  );
}

interface RowProps extends Pick<TableProps, 'smallest' | 'unit' | 'behind'> {
  readonly row: MeasureRow;
  readonly absolute: number | undefined;
  readonly relative: number | undefined;
}

function Row({ row, absolute = 1, relative = 1, smallest, unit, behind }: RowProps) {
  const { name, compared, criterion } = row;
  const head = (
    <th scope="row" class={criterion === undefined ? undefined : 'criterion-name'}>
      {criterion === undefined ? name : <SpanText text={name} charactersMax={100} />}
      {behind?.(row)}
    </th>
  );
  if (!isCompared(compared))
    return (
      <tr>
        {head}
        <td colSpan={6} class="aside">{`not compared: ${compared.because}`}</td>
      </tr>
    );
  const reach = compared.relative ? relative : absolute;
  return (
    <tr class={compared.word ?? 'neither'}>
      {head}
      <td class="number" data-head="A">
        {levelText(compared.a, row.unit)}
      </td>
      <td class="number" data-head="B">
        {levelText(compared.b, row.unit)}
      </td>
      <td class="number">{changeText(compared, row.unit)}</td>
      <td class="bar-cell">
        <ChangeBar compared={compared} reach={reach} smallest={compared.relative ? 0 : smallest} />
      </td>
      <td class="interval">{intervalText(compared, row.unit)}</td>
      <td class="conclusion">
        <Conclusion compared={compared} unit={unit} />
      </td>
    </tr>
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

function Conclusion({ compared, unit }: { readonly compared: ComparedFigures; readonly unit: string }) {
  const { word, cases_needed: casesNeeded, cases, missing } = compared;
  if (word === null) return <span class="aside">neither good nor bad</span>;
  const words = wordText({ word, casesNeeded: casesNeeded ?? undefined, cases, missing }, unit);
  return <WordMark kind={word} mark={MARKS[word]} words={words} />;
}

/** Criteria that are fine take one line. */
function Alike({ names, words }: { readonly names: readonly string[]; readonly words: string }) {
  if (names.length === 0) return null;
  return (
    <details class="alike">
      <summary>{`${counted(names.length, 'criterion', 'criteria')} ${names.length === 1 ? singular(words) : words}`}</summary>
      <SpanText in="p" text={names.join(', ')} charactersMax={2_000} />
    </details>
  );
}

function singular(words: string): string {
  return words.replace(/^show /, 'shows ');
}
