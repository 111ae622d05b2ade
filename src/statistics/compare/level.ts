/** How an experiment does by a measure, and between which bounds the true figure lies: that of all cases the dataset's were taken from. */
import { quantile } from './draws.ts';
import type { Estimated, NotEstimable } from '../../model/estimated.ts';
import { type CaseEffort, effortsOf, isEffort, type Measure, meanOf, valuesOf } from './measure.ts';
import { drawRatio, ratioOf } from './ratio.ts';
import type { SuiteRuns } from './suite-runs.ts';
import { lowerBound, upperBound } from './unseen-case.ts';

export function levelOf(runs: SuiteRuns, measure: Measure): Estimated | NotEstimable {
  if (isEffort(measure)) {
    const level = levelOfEffort([...effortsOf(runs, measure).values()]);
    return measure.is === 'cost_efficiency' ? inverted(level) : level;
  }
  return levelOfShares([...valuesOf(runs, measure).values()]);
}

/** Level of values between 0 and 1, one for each case. */
export function levelOfShares(values: readonly number[]): Estimated | NotEstimable {
  const value = meanOf(values);
  if (value === undefined) return { because: 'no run says anything of it' };
  return {
    value,
    cases: values.length,
    samples: 1,
    reach: { lower: value, upper: 1 - value },
    range: { lower: 0, upper: 1 },
    lower: (tail) => Math.min(value, lowerBound(values, 0, tail)),
    upper: (tail) => Math.max(value, upperBound(values, 1, tail)),
  };
}

export function levelOfEffort(cases: readonly CaseEffort[]): Estimated | NotEstimable {
  const value = ratioOf(cases);
  if (cases.length === 0) return { because: 'no run says what it took' };
  if (!Number.isFinite(value)) return { because: 'no run has a good outcome' };
  const drawn = once(() => drawRatio(cases, 1));
  return {
    value,
    cases: cases.length,
    samples: 1,
    reach: DRAWN_REACH,
    range: { lower: 0, upper: Number.POSITIVE_INFINITY },
    lower: (tail) => Math.max(0, Math.min(value, quantile(drawn().lower, tail))),
    upper: (tail) => Math.max(value, quantile(drawn().upper, 1 - tail)),
  };
}

/** The effect of the unseen case on a ratio is drawn with all others. */
export const DRAWN_REACH = { lower: 0, upper: 0 } as const;

/** Successes for what was spent, from what was spent for a success. */
function inverted(level: Estimated | NotEstimable): Estimated | NotEstimable {
  if ('because' in level) return level;
  return {
    ...level,
    value: 1 / level.value,
    lower: (tail) => 1 / level.upper(tail),
    upper: (tail) => 1 / level.lower(tail),
  };
}

/** A gate asks for the same bounds several times, and each takes an integral. */
export function perTail(bound: (tail: number) => number): (tail: number) => number {
  const known = new Map<number, number>();
  return (tail) => {
    const found = known.get(tail) ?? bound(tail);
    known.set(tail, found);
    return found;
  };
}

/** Draws take time, and not everybody asks for bounds. */
export function once<T>(make: () => T): () => T {
  let made: { readonly it: T } | undefined;
  return () => {
    made ??= { it: make() };
    return made.it;
  };
}
