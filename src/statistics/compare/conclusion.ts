/**
 * The conclusion about one measure of two experiments or two samples: its change, how likely so large a change is by
 * chance, and the word for both.
 */
import type { Compared, ComparisonWord } from '../../model/comparison.ts';
import type { About } from '../../model/evaluation.ts';
import { changeWords } from '../../model/suite-words.ts';
import type { EstimatedChange, NotEstimable } from '../../model/estimated.ts';
import { casesNeeded } from './cases-needed.ts';
import { holm, type TestResult } from './exact-tests.ts';
import { intervalOf } from './interval.ts';

export interface Level {
  readonly alpha: number;
  readonly smallest: number;
  /** How many criteria the suite has. */
  readonly lookedAt: number;
  /** The most that is known by what is compared. */
  readonly about: About | undefined;
}

/** The good direction of a measure; undefined if it has none. */
export type Good = 'more' | 'less' | undefined;

export type Measured =
  | (Omit<Extract<Compared, { is: 'compared' }>, 'word' | 'casesNeeded'> & { readonly figure: EstimatedChange })
  | Extract<Compared, { is: 'not_compared' }>;

/** Without its word; the reason where it cannot be worked out. The test is asked only where there is a change. */
export function figureOf(
  change: EstimatedChange | NotEstimable,
  testOf: () => TestResult | NotEstimable,
  alpha: number,
): Measured {
  if ('because' in change) return { is: 'not_compared', because: change.because };
  const test = testOf();
  if ('because' in test) return { is: 'not_compared', because: test.because };
  return {
    is: 'compared',
    a: change.a,
    b: change.b,
    change: change.value,
    ...intervalOf(change, alpha / 2),
    isRelative: change.isRelative,
    isPaired: change.isPaired,
    cases: change.cases,
    moved: change.moved,
    p: test.p,
    adjustedP: test.p,
    test: test.by,
    figure: change,
  };
}

/** With their p values adjusted together. */
export function adjusted(all: readonly Measured[]): Measured[] {
  const values = all.map((one) => (one.is === 'compared' ? one.p : undefined));
  const corrected = holm(values.filter((p) => p !== undefined));
  let next = 0;
  return all.map((one) => {
    if (one.is !== 'compared') return one;
    const adjustedP = corrected[next] ?? one.p;
    next += 1;
    return { ...one, adjustedP };
  });
}

export function worded(measure: Measured, good: Good, asked: Level): Compared {
  if (measure.is === 'not_compared') return measure;
  const { figure, ...found } = measure;
  if (good === undefined) return { ...found, word: undefined, casesNeeded: undefined };
  const word = wordOf(measure, good, asked);
  if (word !== 'not_enough_evidence') return { ...found, word, casesNeeded: undefined };
  const isMoreBetter = good === 'more';
  const limit = isMoreBetter ? -asked.smallest : asked.smallest;
  const { alpha, lookedAt } = asked;
  return { ...found, word, casesNeeded: casesNeeded({ figure, limit, isMoreBetter, confidence: 1 - alpha, lookedAt }) };
}

function wordOf(
  { figure, adjustedP }: Pick<Extract<Measured, { is: 'compared' }>, 'figure' | 'adjustedP'>,
  good: 'more' | 'less',
  { alpha, smallest, about }: Level,
): ComparisonWord {
  if (adjustedP <= alpha) return changeWords(about)[figure.value > 0 === (good === 'more') ? 'good' : 'bad'];
  return figure.lower(alpha / 2) >= -smallest && figure.upper(alpha / 2) <= smallest
    ? 'no_difference_shown'
    : 'not_enough_evidence';
}
