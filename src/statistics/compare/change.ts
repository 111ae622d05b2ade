/**
 * How b differs from a by a measure. Cases that both ran unchanged are compared case by case, so that harder and easier cases
 * do not blur the difference. Cases that only one of them ran are left out then. If they share no case, the two are compared as
 * samples of different cases.
 */
import { type Drawn, quantile } from './draws.ts';
import { drawMeans } from './draw-means.ts';
import type { EstimatedChange, NotEstimable } from '../../model/estimated.ts';
import { DRAWN_REACH, once, perTail } from './level.ts';
import {
  type BoundedMeasure,
  type CaseEffort,
  type EffortMeasure,
  effortsOf,
  isEffort,
  type Measure,
  meanOf,
  valuesOf,
} from './measure.ts';
import { drawChange, drawPairedChange, ratioOf } from './ratio.ts';
import { pairedShareChange, unpairedShareChange } from './share-of-baseline.ts';
import type { SuiteRuns } from './suite-runs.ts';
import { lowerBound, upperBound } from './unseen-case.ts';

export interface ChangeOptions {
  /** Values of b for cases of which a says something and b nothing; left out unless given. */
  readonly unknownInB?: ReadonlyMap<string, number>;
}

export function changeOf(
  a: SuiteRuns,
  b: SuiteRuns,
  measure: Measure,
  options: ChangeOptions = {},
): EstimatedChange | NotEstimable {
  return isEffort(measure) ? effortChange(a, b, measure) : boundedChange(a, b, measure, options);
}

/** Change as a share of the value in a, also for a share: from 0.90 to 0.855 is −5 %. */
export function relativeChangeOf(
  a: SuiteRuns,
  b: SuiteRuns,
  measure: Measure,
  { unknownInB }: ChangeOptions = {},
): EstimatedChange | NotEstimable {
  if (isEffort(measure)) return effortChange(a, b, measure);
  const [ofA, ofB] = [valuesOf(a, measure), new Map([...(unknownInB ?? []), ...valuesOf(b, measure)])];
  if (shareCases(a, b)) return pairedShareChange(pairsOf(ofA, ofB));
  return unpairedShareChange([...ofA.values()], [...ofB.values()]);
}

/** Each case beside itself: [in a, in b]. Empty where the two share no case that was not changed. */
export function pairsOf<T>(a: ReadonlyMap<string, T>, b: ReadonlyMap<string, T>): (readonly [T, T])[] {
  const pairs: (readonly [T, T])[] = [];
  for (const [key, ofA] of a) {
    const ofB = b.get(key);
    if (ofB !== undefined) pairs.push([ofA, ofB]);
  }
  return pairs;
}

/** Whether the two have cases in common, whatever can be told of them. */
export function shareCases(a: SuiteRuns, b: SuiteRuns): boolean {
  return [...a.cases.keys()].some((key) => b.cases.has(key));
}

/** Differences of values between 0 and 1, one pair a case. */
export function pairedChange(pairs: readonly (readonly [number, number])[]): EstimatedChange | NotEstimable {
  const a = meanOf(pairs.map(([ofA]) => ofA));
  const b = meanOf(pairs.map(([, ofB]) => ofB));
  if (a === undefined || b === undefined) return { because: 'no case has a value for it in both' };
  const differences = pairs.map(([ofA, ofB]) => ofB - ofA);
  return {
    value: b - a,
    a,
    b,
    cases: pairs.length,
    ...endsOf(a, b),
    samples: 1,
    isRelative: false,
    isPaired: true,
    moved: differences.filter((difference) => difference !== 0).length,
    lower: perTail((tail) => Math.min(b - a, lowerBound(differences, -1, tail))),
    upper: perTail((tail) => Math.max(b - a, upperBound(differences, 1, tail))),
  };
}

/** Change of values between 0 and 1, of two different sets of cases. */
export function unpairedChange(ofA: readonly number[], ofB: readonly number[]): EstimatedChange | NotEstimable {
  const [a, b] = [meanOf(ofA), meanOf(ofB)];
  if (a === undefined || b === undefined)
    return { because: `no run of ${a === undefined ? 'A' : 'B'} says anything of it` };
  const drawn = once((): Drawn => {
    const [meansOfA, meansOfB] = [drawMeans(ofA, 1), drawMeans(ofB, 2)];
    return {
      lower: meansOfB.lower.map((mean, draw) => mean - (meansOfA.upper[draw] as number)).sort(),
      upper: meansOfB.upper.map((mean, draw) => mean - (meansOfA.lower[draw] as number)).sort(),
    };
  });
  return {
    value: b - a,
    a,
    b,
    cases: ofA.length + ofB.length,
    ...endsOf(a, b),
    samples: 2,
    isRelative: false,
    isPaired: false,
    moved: undefined,
    lower: (tail) => Math.min(b - a, quantile(drawn().lower, tail)),
    upper: (tail) => Math.max(b - a, quantile(drawn().upper, 1 - tail)),
  };
}

/** Relative: what a success takes in b over what it takes in a, less 1. */
export function pairedEffortChange(
  pairs: readonly (readonly [CaseEffort, CaseEffort])[],
): EstimatedChange | NotEstimable {
  const [a, b] = [ratioOf(pairs.map(([ofA]) => ofA)), ratioOf(pairs.map(([, ofB]) => ofB))];
  const moved = pairs.filter(([one, other]) => one.effort !== other.effort || one.success !== other.success).length;
  return relative({ a, b, cases: pairs.length, samples: 1, isPaired: true, moved }, () => drawPairedChange(pairs));
}

export function unpairedEffortChange(
  ofA: readonly CaseEffort[],
  ofB: readonly CaseEffort[],
): EstimatedChange | NotEstimable {
  const [a, b] = [ratioOf(ofA), ratioOf(ofB)];
  const cases = ofA.length + ofB.length;
  return relative({ a, b, cases, samples: 2, isPaired: false, moved: undefined }, () => drawChange(ofA, ofB));
}

function boundedChange(
  a: SuiteRuns,
  b: SuiteRuns,
  measure: BoundedMeasure,
  { unknownInB }: ChangeOptions,
): EstimatedChange | NotEstimable {
  const [ofA, ofB] = [valuesOf(a, measure), new Map([...(unknownInB ?? []), ...valuesOf(b, measure)])];
  if (shareCases(a, b)) return pairedChange(pairsOf(ofA, ofB));
  return unpairedChange([...ofA.values()], [...ofB.values()]);
}

function effortChange(a: SuiteRuns, b: SuiteRuns, measure: EffortMeasure): EstimatedChange | NotEstimable {
  const [ofA, ofB] = [effortsOf(a, measure), effortsOf(b, measure)];
  const change = shareCases(a, b)
    ? pairedEffortChange(pairsOf(ofA, ofB))
    : unpairedEffortChange([...ofA.values()], [...ofB.values()]);
  return measure.is === 'cost_efficiency' ? inverted(change) : change;
}

/** Successes for what was spent, from what was spent for a success. */
function inverted(change: EstimatedChange | NotEstimable): EstimatedChange | NotEstimable {
  if ('because' in change) return change;
  const inverse = (risen: number) => 1 / (1 + risen) - 1;
  return {
    ...change,
    value: inverse(change.value),
    a: 1 / change.a,
    b: 1 / change.b,
    lower: (tail) => inverse(change.upper(tail)),
    upper: (tail) => inverse(change.lower(tail)),
  };
}

/** The case that was not seen differs by 1 at most. */
function endsOf(a: number, b: number): Pick<EstimatedChange, 'reach' | 'range'> {
  return { reach: { lower: 1 + b - a, upper: 1 - b + a }, range: { lower: -a, upper: 1 - a } };
}

function relative(
  figures: Pick<EstimatedChange, 'a' | 'b' | 'cases' | 'samples' | 'isPaired' | 'moved'>,
  draw: () => Drawn,
): EstimatedChange | NotEstimable {
  const { a, b } = figures;
  if (Number.isNaN(a) || Number.isNaN(b)) return { because: 'no runs of one of them report what they used' };
  if (!Number.isFinite(a) || !Number.isFinite(b))
    return { because: `no run of ${Number.isFinite(a) ? 'B' : 'A'} has a good outcome` };
  if (a === 0) return { because: 'it took nothing in A, and no change is relative to nothing' };
  const drawn = once(draw);
  const value = b / a - 1;
  return {
    value,
    ...figures,
    reach: DRAWN_REACH,
    range: { lower: -1, upper: Number.POSITIVE_INFINITY },
    isRelative: true,
    lower: (tail) => Math.max(-1, Math.min(value, quantile(drawn().lower, tail) - 1)),
    upper: (tail) => Math.max(value, quantile(drawn().upper, 1 - tail) - 1),
  };
}
