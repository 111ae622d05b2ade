/** The rows of a comparison, in the order in which people ask, and how their figures are written. */
import type { ComparedFigures, ComparedJson } from '../../api/comparison.ts';
import type { ComparisonWord } from '../../model/comparison.ts';
import type { About } from '../../model/evaluation.ts';
import { wordsOf } from '../../model/suite-words.ts';
import { capitalized } from '../text/capitalized.ts';
import { dollars, percent, points, scoreText } from '../text/format.ts';

type Unit = 'score' | 'share' | 'number' | 'usd';

export interface MeasureRow {
  readonly name: string;
  readonly unit: Unit;
  readonly compared: ComparedJson;
  /** Name of the criterion that it is about. */
  readonly criterion?: string;
}

interface Measured {
  readonly about?: About | null | undefined;
  readonly score: ComparedJson;
  readonly success: ComparedJson;
  readonly failed_runs?: ComparedJson;
  readonly criteria: readonly (ComparedJson & { readonly criterion: string })[];
  readonly steps_per_success: ComparedJson;
  readonly tokens_per_success: ComparedJson;
  readonly cost_per_success: ComparedJson;
}

interface Rows {
  readonly shown: readonly MeasureRow[];
  /** Criteria that are the same in each case, and those of which no difference was shown. */
  readonly unchanged: readonly string[];
  readonly alike: readonly string[];
}

export function rowsOf(measured: Measured): Rows {
  const criteria = measured.criteria.map(
    (compared): MeasureRow => ({ name: compared.criterion, unit: 'share', compared, criterion: compared.criterion }),
  );
  const unchanged = criteria.filter(({ compared }) => isCompared(compared) && isSame(compared));
  const rest = criteria.filter((row) => !unchanged.includes(row));
  const alike = rest.filter(({ compared }) => compared.word === 'no_difference_shown');
  const { failed_runs: failed } = measured;
  const words = wordsOf(measured.about);
  const whole: readonly MeasureRow[] = [
    { name: `${capitalized(words.score)}, the mean score`, unit: 'score', compared: measured.score },
    { name: capitalized(words.goodRate), unit: 'share', compared: measured.success },
    ...(failed !== undefined && isCompared(failed) && failed.a + failed.b > 0
      ? [{ name: 'Runs that failed', unit: 'share', compared: failed } as const]
      : []),
  ];
  const effort: readonly MeasureRow[] = [
    { name: `Steps per ${words.one}`, unit: 'number', compared: measured.steps_per_success },
    { name: `Tokens per ${words.one}`, unit: 'number', compared: measured.tokens_per_success },
    { name: `Cost per ${words.one}`, unit: 'usd', compared: measured.cost_per_success },
  ];
  return {
    shown: [
      ...whole,
      ...rest.filter((row) => !alike.includes(row)).toSorted((x, y) => attention(x) - attention(y)),
      ...effort,
    ],
    unchanged: unchanged.map(({ name }) => name),
    alike: alike.map(({ name }) => name),
  };
}

export function isCompared(compared: ComparedJson): compared is ComparedFigures {
  return !('because' in compared);
}

/** The same in each case; where cases are different ones, the same figure with no spread at all. Sums are rounded. */
function isSame({ cases_moved: moved, change, a }: ComparedFigures): boolean {
  const isNothing = (number: number) => Math.abs(number) < 1e-9;
  return moved === 0 || (moved === null && isNothing(change) && (isNothing(a) || isNothing(1 - a)));
}

const ATTENTION = {
  worse: 0,
  more_faults: 0,
  better: 1,
  fewer_faults: 1,
  not_enough_evidence: 2,
  no_difference_shown: 3,
} as const satisfies Record<ComparisonWord, number>;

function attention({ compared }: MeasureRow): number {
  return compared.word === null ? 4 : ATTENTION[compared.word];
}

export function levelText(value: number, unit: Unit): string {
  switch (unit) {
    case 'score':
      return scoreText(value, 3);
    case 'share':
      return percent(value);
    case 'number':
      return value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
    case 'usd':
      return dollars(value);
    default:
      return unit satisfies never;
  }
}

/** `−4.2 points`, or `−12.5 %` of what it was. */
export function changeText({ change, relative }: ComparedFigures, unit: Unit): string {
  if (unit === 'score' && !relative) return signedScore(change);
  return `${points(change)}${relative ? ' %' : ' points'}`;
}

/** Null is a bound that is not known: `any more`. From nothing to any more is all that can be. */
export function intervalText({ lower, upper, relative }: ComparedFigures, unit: Unit): string {
  if (relative && upper === null && (lower ?? -1) <= -1) return 'not known';
  const bound = (value: number | null, without: string) => {
    if (value === null) return without;
    return unit === 'score' && !relative ? signedScore(value) : `${points(value)}${relative ? ' %' : ''}`;
  };
  return `${bound(lower, 'any less')} to ${bound(upper, 'any more')}`;
}

function signedScore(value: number): string {
  const text = scoreText(Math.abs(value), 3);
  if (Number(text) === 0) return text;
  return `${value < 0 ? '−' : '+'}${text}`;
}
