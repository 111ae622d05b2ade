/**
 * How far a judge can be trusted, from labels of what it has judged, whichever verdicts the labelled things had.
 *
 * People label things that have a verdict already, and mostly look at those that the judge failed. So the share that people pass is estimated for each
 * verdict by itself, and both are weighed by how often the judge gave each:
 *
 *     q = share that the judge passes        a = share that people pass of what it passes        b = the same of what it fails
 *
 *     pass rate by people   r = q a + (1 − q) b
 *     sensitivity           q a / r                          specificity   (1 − q)(1 − b) / (1 − r)
 *     agreed                g = q a + (1 − q)(1 − b)         kappa         (g − e) / (1 − e),   e = q r + (1 − q)(1 − r)
 *
 * Labels of one verdict have to be like all things with that verdict. Without this, and without the weights, half of the labels from what was failed
 * put the pass rate 3 to 20 points too high.
 *
 * The interval: at each level z of the normal distribution, a share has a bound of Wilson's. Over pairs of levels for a and b, each with its density, the
 * figure has a distribution, of which the interval leaves out 2.5 % at either end. The uncertainty of q, whose interval is Wilson's too, is added in
 * squares.
 * A test checks that it holds the truth in about 95 of 100 samples.
 */
import type { Estimate } from '../../model/estimate.ts';
import type { Confusion } from './confusion.ts';
import { shareOf, wilsonBound, within } from './estimate.ts';

/** Counts everything that the judge was asked, not only labelled subjects. */
export interface Judgings {
  readonly passed: number;
  readonly of: number;
}

type CorrectedRate =
  | { readonly is: 'estimate'; readonly rate: Estimate }
  /** Nothing was judged, or no conversation is labelled among those that pass, or among those that fail. */
  | { readonly is: 'not-identifiable'; readonly because: 'nothing-judged' | 'none-of-passed' | 'none-of-failed' };

export interface WeighedFigures {
  /** Share of things about which people and the judge agree. */
  readonly agreed: Estimate | undefined;
  /** Share of what people pass that the judge passes too. Undefined where they pass nothing, as far as is known. */
  readonly sensitivity: Estimate | undefined;
  readonly specificity: Estimate | undefined;
  readonly kappa: Estimate | undefined;
  /** Share that would pass if people answered everything that the judge did. */
  readonly passRate: CorrectedRate;
}

type Figure = (q: number, a: number, b: number) => number;

const passRate: Figure = (q, a, b) => q * a + (1 - q) * b;
const agreed: Figure = (q, a, b) => q * a + (1 - q) * (1 - b);
const sensitivity: Figure = (q, a, b) => (q * a) / passRate(q, a, b);
const specificity: Figure = (q, a, b) => ((1 - q) * (1 - b)) / (1 - passRate(q, a, b));
const kappa: Figure = (q, a, b) => {
  const rate = passRate(q, a, b);
  const chance = q * rate + (1 - q) * (1 - rate);
  return (agreed(q, a, b) - chance) / (1 - chance);
};

/** Labels are taken for a sample of all if it is not known how often the judge gave each verdict, as of criteria that code answers. */
export function weighedByVerdict(confusion: Confusion, judgings: Judgings): WeighedFigures {
  const { passOfPass, failOfPass, passOfFail, failOfFail } = confusion;
  const ofPassed = { passed: passOfPass, of: passOfPass + passOfFail };
  const ofFailed = { passed: failOfPass, of: failOfPass + failOfFail };
  const judged = judgings.of > 0 ? judgings : { passed: ofPassed.of, of: ofPassed.of + ofFailed.of };
  const missing = missingIn(judged, ofPassed, ofFailed);
  const estimate = (figure: Figure, least: number) =>
    missing === undefined ? estimateOf(figure, { judged, ofPassed, ofFailed }, least) : undefined;
  const rate = judgings.of > 0 ? estimate(passRate, 0) : undefined;
  return {
    agreed: estimate(agreed, 0),
    sensitivity: estimate(sensitivity, 0),
    specificity: estimate(specificity, 0),
    kappa: estimate(kappa, -1),
    passRate:
      rate === undefined
        ? { is: 'not-identifiable', because: (judgings.of === 0 ? undefined : missing) ?? 'nothing-judged' }
        : { is: 'estimate', rate },
  };
}

function missingIn(judged: Judgings, ofPassed: Judgings, ofFailed: Judgings) {
  if (judged.of === 0) return 'nothing-judged';
  if (judged.passed > 0 && ofPassed.of === 0) return 'none-of-passed';
  return judged.passed < judged.of && ofFailed.of === 0 ? 'none-of-failed' : undefined;
}

interface Known {
  readonly judged: Judgings;
  readonly ofPassed: Judgings;
  readonly ofFailed: Judgings;
}

/** Undefined where it is none, such as a share of nothing. */
function estimateOf(figure: Figure, { judged, ofPassed, ofFailed }: Known, least: number): Estimate | undefined {
  const q = judged.passed / judged.of;
  const value = figure(q, plainShare(ofPassed), plainShare(ofFailed));
  if (!Number.isFinite(value)) return undefined;
  const { lower, upper } = middleOf((a, b) => figure(q, a, b), ofPassed, ofFailed);
  const ends = shareOf(judged.passed, judged.of) ?? { lower: q, upper: q };
  const moved = [0];
  for (const a of innerShares(ofPassed))
    for (const b of innerShares(ofFailed))
      for (const end of [ends.lower, ends.upper]) moved.push(figure(end, a, b) - figure(q, a, b));
  const down = Math.hypot(Math.max(0, value - lower), Math.min(...moved));
  const up = Math.hypot(Math.max(0, upper - value), Math.max(...moved));
  return within({ value, lower: value - down, upper: value + up }, least);
}

const STEP = 0.16;
const LEVELS = Array.from({ length: 41 }, (_, index) => (index - 20) * STEP);
const TAIL = 0.025;

function middleOf(figure: (a: number, b: number) => number, ofPassed: Judgings, ofFailed: Judgings) {
  const [as, bs] = [boundsOf(ofPassed), boundsOf(ofFailed)];
  const points: { readonly value: number; readonly weight: number }[] = [];
  for (const a of as)
    for (const b of bs) {
      const value = figure(a.value, b.value);
      if (Number.isFinite(value)) points.push({ value, weight: a.weight * b.weight });
    }
  points.sort((one, other) => one.value - other.value);
  const all = points.reduce((sum, { weight }) => sum + weight, 0);
  let below = 0;
  let lower: number | undefined;
  let upper = points.at(-1)?.value ?? 1;
  for (const { value, weight } of points) {
    below += weight;
    if (below >= TAIL * all) lower ??= value;
    if (below >= (1 - TAIL) * all) {
      upper = value;
      break;
    }
  }
  return { lower: lower ?? -1, upper };
}

function boundsOf({ passed, of }: Judgings): readonly { readonly value: number; readonly weight: number }[] {
  // A verdict that the judge never gave: its share counts for nothing.
  if (of === 0) return [{ value: 0, weight: 1 }];
  return LEVELS.map((z) => ({ value: wilsonBound(passed, of, z), weight: Math.exp(-(z ** 2) / 2) }));
}

function plainShare({ passed, of }: Judgings): number {
  return of === 0 ? 0 : passed / of;
}

/** Not the share itself: at 0 and 1 it would seem as if nothing depended on q. Anything may hold of a verdict that was never given. */
function innerShares({ passed, of }: Judgings): readonly number[] {
  return of === 0 ? [0, 1] : [(passed + 1) / (of + 2)];
}

/**
 * The verdict of which the next label tells more about the pass rate: it lessens that verdict's part of the variance, which
 * is the weight squared times the variance of a share.
 */
export function nextToLabel(confusion: Confusion, judgings: Judgings): 'passed' | 'failed' {
  const { passOfPass, failOfPass, passOfFail, failOfFail } = confusion;
  const q = judgings.of > 0 ? (judgings.passed + 1) / (judgings.of + 2) : 0.5;
  const gain = (weight: number, passed: number, of: number) => {
    const share = (passed + 1) / (of + 2);
    return (weight ** 2 * share * (1 - share)) / (of + 1) ** 2;
  };
  const ofPassed = gain(q, passOfPass, passOfPass + passOfFail);
  return ofPassed >= gain(1 - q, failOfPass, failOfPass + failOfFail) ? 'passed' : 'failed';
}
