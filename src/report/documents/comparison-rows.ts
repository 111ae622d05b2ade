/** Figures of a comparison as a person reads them, the same in a terminal and in a pull request: shares in percent, their differences in points, scores as they are. */
import { counted } from '../../model/counted.ts';
import type { Compared, Interval, SuiteComparison } from '../../model/comparison.ts';
import { wordsOf } from '../../model/suite-words.ts';
import { isGood } from '../../model/severity.ts';
import { unreachable } from '../../model/unreachable.ts';
import { joined, listed, name, type Phrase, say } from './document.ts';

export interface ComparisonRow {
  readonly name: string;
  readonly unit: Unit;
  readonly compared: Compared;
}

type Unit = 'score' | 'share' | 'number' | 'usd';

interface RowGroup {
  readonly title: string;
  readonly rows: readonly ComparisonRow[];
}

/**
 * Rows of a comparison, in the order in which people ask. Outcomes that never came, and what no span says, are left
 * out.
 */
export function rowGroups(suite: SuiteComparison): readonly RowGroup[] {
  const outcomes = suite.outcomes
    .filter(({ outcome, compared }) => !isGood(outcome) && isThere(compared))
    .map(({ outcome, compared }) => ({ name: outcome, unit: 'share', compared }) as const);
  const words = wordsOf(suite.about);
  return [
    {
      title: 'overall',
      rows: [
        { name: words.score, unit: 'score', compared: suite.score },
        { name: words.goodRate, unit: 'share', compared: suite.success },
        ...outcomes,
        ...(isThere(suite.failedRuns)
          ? [{ name: 'runs that failed', unit: 'share', compared: suite.failedRuns } as const]
          : []),
      ],
    },
    {
      title: 'criteria',
      rows: suite.criteria.map(({ criterion, compared }) => ({ name: criterion, unit: 'share', compared })),
    },
    {
      title: `per ${words.one}`,
      rows: [
        { name: 'steps', unit: 'number', compared: suite.stepsPerSuccess },
        { name: 'tokens', unit: 'number', compared: suite.tokensPerSuccess },
        { name: 'cost', unit: 'usd', compared: suite.costPerSuccess },
      ],
    },
  ];
}

/** In at least one of the two. */
function isThere(compared: Compared): boolean {
  return compared.is === 'compared' && (compared.a !== 0 || compared.b !== 0);
}

const MINUS = '\u2212';

export function formatLevel(value: number, unit: Unit): string {
  switch (unit) {
    case 'score':
      return fixed(value, 3);
    case 'share':
      return `${fixed(value * 100, 1)} %`;
    case 'number':
      return significant(value);
    case 'usd':
      return `$${significant(value)}`;
    default:
      return unreachable(unit);
  }
}

export function formatChange(value: number, unit: Unit, isRelative: boolean): string {
  if (!Number.isFinite(value)) return value > 0 ? 'any more' : 'any less';
  if (isRelative) return `${signed(fixed(value * 100, 1))} %`;
  return unit === 'score' ? signed(fixed(value, 3)) : `${signed(fixed(value * 100, 1))} pt`;
}

export function formatInterval(compared: Extract<Compared, { is: 'compared' }>, unit: Unit): string {
  const [lower, upper] = [compared.lower, compared.upper].map((bound) =>
    formatChange(bound, unit, compared.isRelative),
  );
  return `${lower} to ${upper}`;
}

export function formatP(p: number): string {
  return p < 0.001 ? '<0.001' : p.toFixed(3);
}

/** "9 criteria unchanged: a, b, c". */
export function unchangedPhrase(names: readonly string[]): Phrase {
  return say`${counted(names.length, 'criterion', 'criteria')} unchanged: ${listed(names)}`;
}

/** The same in each case. */
export function isUnchanged({ compared }: ComparisonRow): boolean {
  return compared.is === 'compared' && compared.moved === 0;
}

export function formatShare({ value, lower, upper }: Interval): string {
  return `${formatLevel(value, 'share')} (${fixed(lower * 100, 1)} to ${fixed(upper * 100, 1)})`;
}

/** "−0.131 = booked −0.120, mix −0.011": the part that moved it most comes first, and parts that moved nothing are left out. */
export function splitPhrase(split: NonNullable<SuiteComparison['split']>): Phrase {
  const parts = split.criteria
    .filter(({ part }) => Math.abs(part) >= 0.0005)
    .toSorted((x, y) => Math.abs(y.part) - Math.abs(x.part));
  const rest = split.change - parts.reduce((sum, { part }) => sum + part, 0);
  const signed = (change: number) => formatChange(change, 'score', false);
  const shown = [
    ...parts.map(({ criterion, part }) => say`${name(criterion)} ${signed(part)}`),
    ...(Math.abs(rest) >= 0.0005 ? [`mix ${signed(rest)}`] : []),
  ];
  return shown.length === 0 ? signed(split.change) : say`${signed(split.change)} = ${joined(shown)}`;
}

/** The basis of a suite's figures, as sentences for a person. */
export function knownText({ about, decidedShare: { a, b } }: SuiteComparison): readonly string[] {
  const { limit } = wordsOf(about);
  const shares = [a, b].map((share) => (share === null ? 'not known' : formatLevel(share, 'share')));
  return [
    ...(limit === undefined ? [] : [limit]),
    ...(a === null && b === null ? [] : [`weight decided: A ${shares[0]}, B ${shares[1]}`]),
  ];
}

export function casesText({ cases, score, success }: SuiteComparison): string {
  const shown = score.is === 'compared' ? score : success;
  if (cases.shared === 0)
    return `no case in common: ${counted(cases.onlyInA, 'case')} of A beside ${cases.onlyInB} of B`;
  const left = [
    ...(cases.changed > 0 ? [`${cases.changed} changed`] : []),
    ...(cases.onlyInA > 0 ? [`${cases.onlyInA} only in A`] : []),
    ...(cases.onlyInB > 0 ? [`${cases.onlyInB} only in B`] : []),
  ];
  const scored =
    shown.is === 'compared' && shown.cases < cases.shared ? `, ${shown.cases} of them with a score in both` : '';
  return `${counted(cases.shared, 'case')} compared case by case${scored}${left.length > 0 ? `; left out: ${left.join(', ')}` : ''}`;
}

/** Half up, as a person rounds: a number that differs from a half only in the last bit of a double is a half. */
function fixed(value: number, places: number): string {
  return (value + Math.sign(value) * 1e-12).toFixed(places);
}

function signed(digits: string): string {
  const isZero = Number(digits) === 0;
  if (isZero) return digits.replace('-', '');
  return digits.startsWith('-') ? `${MINUS}${digits.slice(1)}` : `+${digits}`;
}

/** Three digits, and all of those before the point. */
function significant(value: number): string {
  return value >= 100 || value === 0 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}
