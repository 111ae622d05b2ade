/**
 * Two versions or periods of an agent online: is b worse than a? This is the one answer to it. The page, the API, the
 * command line and MCP show what this room says.
 *
 * Three things make comparisons of live traffic wrong, and each has a file here:
 *
 *  1. users have several conversations, which are alike                  related.ts
 *  2. b gets other traffic than a, at other hours                        mix.ts, beside.ts
 *  3. people look again and again until something shows                  confidence-sequence.ts
 *
 * raced.ts has the verdict of detection where it has raced the same two.
 *
 * A difference is called better or worse exactly where its interval leaves out 0. Figures that are looked at together
 * (criteria; steps, tokens and cost) share the chance of a wrong word among them (Bonferroni): their intervals hold together,
 * and agree with the words, which Holm's do not.
 */
import type { Compared } from '../../../model/comparison.ts';
import type { About } from '../../../model/evaluation.ts';
import type { EstimatedChange, NotEstimable } from '../../../model/estimated.ts';
import { speaksOfSuccess } from '../../../model/suite-words.ts';
import { figureOf, type Good, worded } from '../conclusion.ts';
import { besideEachOther } from './beside.ts';
import { sequenceOf } from './confidence-sequence.ts';
import { kindsOf, type Sorted, standardized, type Standardized } from './mix.ts';
import { type Came, type Influence, type Uncertainty, uncertaintyOf } from './related.ts';

/** From 0 to 1, of one conversation. */
export interface Valued extends Sorted {
  readonly value: number;
}

export interface Spent extends Sorted {
  readonly effort: number;
  readonly success: number;
}

/** A value for each conversation that says something of it. */
export interface OnlineSample {
  readonly scores: readonly Valued[];
  readonly successes: readonly Valued[];
  /** Passes by criterion. */
  readonly passes: ReadonlyMap<string, readonly Valued[]>;
  readonly steps: readonly Spent[];
  readonly tokens: readonly Spent[];
  readonly cost: readonly Spent[];
}

interface OnlineComparison {
  readonly score: Compared;
  readonly success: Compared;
  /** Natural logarithm of the e-value that b succeeds less often; 0 where nothing can be told. */
  readonly logWorse: number;
  /** Whether both have enough users to tell how the success rate differs. */
  readonly isEnough: boolean;
  readonly criteria: readonly { readonly criterion: string; readonly compared: Compared }[];
  readonly stepsPerSuccess: Compared;
  readonly tokensPerSuccess: Compared;
  readonly costPerSuccess: Compared;
  /** Limits of what can be said, in sentences. */
  readonly notes: readonly string[];
}

interface Asked {
  readonly alpha: number;
  readonly smallest: number;
  readonly about: About | undefined;
  /** Names of the sides, for sentences. */
  readonly called: { readonly a: string; readonly b: string };
}

/** Fewer users of a side say nothing of others. */
const UNITS_MIN = 10;
/** Users of both sides from which on their number widens an interval little. */
const UNITS_MANY = 60;
/** Differences of effort that matter, relative. */
const EFFORT_TUNED_FOR = 0.3;
/** Half of the square of the 97.5 % point: imagined observations at each end of the scale. */
const ENDS = 1.92;

export function compareOnline(
  a: OnlineSample,
  b: OnlineSample,
  { criteria, ...asked }: Asked & { readonly criteria: readonly string[] },
): OnlineComparison {
  const share = (of: (sample: OnlineSample) => readonly Valued[], together = 1) =>
    concluded(differenceOf(of(a), of(b), asked.called), 'more', asked, together);
  const effort = (of: (sample: OnlineSample) => readonly Spent[], lacking = 'report what they used') =>
    concluded(
      effortOf([of(a), of(b)], asked.called, lacking),
      speaksOfSuccess(asked.about) ? 'less' : undefined,
      asked,
      EFFORTS,
    );
  const success = differenceOf(a.successes, b.successes, asked.called);
  return {
    score: share(({ scores }) => scores),
    success: concluded(success, 'more', asked, 1),
    logWorse: 'because' in success ? 0 : success.logBelow,
    isEnough: !('because' in success) && success.isEnough,
    criteria: criteria.map((criterion) => ({
      criterion,
      compared: share(({ passes }) => passes.get(criterion) ?? [], criteria.length),
    })),
    stepsPerSuccess: effort(({ steps }) => steps),
    tokensPerSuccess: effort(({ tokens }) => tokens),
    costPerSuccess: effort(({ cost }) => cost, 'have a cost: their models may have no price'),
    notes: notesOf(a.scores, b.scores, asked.called),
  };
}

const EFFORTS = 3;

interface Change {
  readonly change: EstimatedChange;
  readonly p: number;
  readonly logBelow: number;
  /** Users, and conversations that name none. */
  readonly units: number;
  readonly isEnough: boolean;
}

/** With its word; the interval is wider where several are looked at together. */
function concluded(
  measured: Change | NotEstimable,
  good: Good,
  { alpha, smallest, about }: Asked,
  together: number,
): Compared {
  if ('because' in measured) return { is: 'not_compared', because: measured.because };
  const { change, p, units, isEnough } = measured;
  const level = { alpha: alpha / together, smallest, about, lookedAt: 1 };
  const test = { p, below: p / 2, above: p / 2, by: 'sequential', isExact: false } as const;
  const compared = worded(
    figureOf(change, () => test, level.alpha),
    good,
    level,
  );
  if (compared.is === 'not_compared') return compared;
  const found = { ...compared, adjustedP: Math.min(1, p * together) };
  const few = units < change.cases ? 'users' : 'conversations';
  if (!isEnough) return { ...found, casesNeeded: undefined, missing: `too few ${few}` };
  // More conversations of the same users would tell little.
  const { word, casesNeeded, cases } = found;
  const isShort = casesNeeded === undefined ? units < UNITS_MANY : casesNeeded > cases;
  return word === 'not_enough_evidence' && few === 'users' && isShort
    ? { ...found, casesNeeded: undefined, missing: 'more users would tell' }
    : found;
}

/** The mean of b less that of a, had both met the same traffic. */
export function differenceOf(
  a: readonly Valued[],
  b: readonly Valued[],
  called: Asked['called'],
): Change | NotEstimable {
  if (a.length === 0 || b.length === 0)
    return { because: `no conversation of ${a.length === 0 ? called.a : called.b} has a value for it` };
  const kinds = kindsOf(a, b);
  const of = ({ value }: Valued) => value;
  const [ofA, ofB] = [standardized(a, kinds, { side: 'a', of }), standardized(b, kinds, { side: 'b', of })];
  const figures = { cases: a.length + b.length, isRelative: false, reach: NO_REACH, ...SAMPLES };
  const units = unitsOf(a) + unitsOf(b);
  if (!isEnough(ofA) || !isEnough(ofB)) {
    const [meanA, meanB] = [meanOf(a), meanOf(b)];
    const range = { lower: -meanA, upper: 1 - meanA };
    return { ...unknown({ ...figures, value: meanB - meanA, a: meanA, b: meanB, range }), units };
  }
  const found = uncertaintyOf([...ofA.influences.map(less), ...ofB.influences]);
  const floor = [ofA, ofB].reduce((sum, { cells }) => sum + floorOf(cells, found), 0);
  const sequence = sequenceOf({ ...found, variance: found.variance + floor });
  return changeOf({ value: ofB.mean - ofA.mean, a: ofA.mean, b: ofB.mean, cases: figures.cases }, sequence, units);
}

interface BesideComparison {
  readonly success: Compared;
  /** Natural logarithm of the e-value that b succeeds less often; 0 where nothing can be told. */
  readonly logWorse: number;
  readonly isEnough: boolean;
  /** Conversations that ran beside each other. */
  readonly a: number;
  readonly b: number;
}

/** Success of b less that of a, as both ran beside each other. */
export function compareBeside(a: readonly Valued[], b: readonly Valued[], asked: Asked): BesideComparison {
  const found = besideEachOther(a, b);
  const sides = { a: [] as Influence[], b: [] as Influence[] };
  for (const one of found?.influences ?? []) sides[one.side].push(one);
  const counts = { a: sides.a.length, b: sides.b.length };
  if (found === undefined || unitsOf(sides.a) < UNITS_MIN || unitsOf(sides.b) < UNITS_MIN) {
    const because = `${asked.called.a} has too little traffic beside ${asked.called.b}`;
    return { success: { is: 'not_compared', because }, logWorse: 0, isEnough: false, ...counts };
  }
  const { value, a: mean, equal } = found;
  const uncertainty = uncertaintyOf(found.influences);
  const floor = [equal.a, equal.b].reduce((sum, count) => sum + floorOf([{ share: 1, count }], uncertainty), 0);
  const change = changeOf(
    { value, a: mean, b: mean + value, cases: counts.a + counts.b },
    sequenceOf({ ...uncertainty, variance: uncertainty.variance + floor }),
    unitsOf(sides.a) + unitsOf(sides.b),
  );
  return { success: concluded(change, 'more', asked, 1), logWorse: change.logBelow, isEnough: true, ...counts };
}

function changeOf(
  means: { readonly value: number; readonly a: number; readonly b: number; readonly cases: number },
  sequence: ReturnType<typeof sequenceOf>,
  units: number,
): Change {
  const { value, a } = means;
  const change = {
    ...{ ...means, isRelative: false, reach: NO_REACH, ...SAMPLES },
    range: { lower: -a, upper: 1 - a },
    lower: (tail: number) => value - sequence.radius(2 * tail),
    upper: (tail: number) => value + sequence.radius(2 * tail),
  };
  return { change, p: sequence.p(value), logBelow: sequence.logBelow(value), units, isEnough: true };
}

/** Effort for a success in b over that in a, less 1, had both met the same traffic. */
function effortOf(
  [a, b]: readonly [readonly Spent[], readonly Spent[]],
  called: Asked['called'],
  lacking: string,
): Change | NotEstimable {
  if (a.length === 0 || b.length === 0) return { because: `no conversations of one of them ${lacking}` };
  const kinds = kindsOf(a, b);
  const sides = [ratioOf(a, kinds, 'a'), ratioOf(b, kinds, 'b')] as const;
  const [ofA, ofB] = sides;
  for (const [side, name] of [
    [ofA, called.a],
    [ofB, called.b],
  ] as const)
    if (side !== undefined && !Number.isFinite(side.ratio))
      return { because: `no conversation of ${name} has a good outcome` };
  if (ofA?.ratio === 0) return { because: `it took nothing in ${called.a}, and no change is relative to nothing` };
  const figures = { cases: a.length + b.length, isRelative: true, reach: NO_REACH, ...SAMPLES, range: RELATIVE };
  if (ofA === undefined || ofB === undefined || ofB.ratio === 0)
    return { because: `there are too few users of ${ofA === undefined ? called.a : called.b}` };
  const log = Math.log(ofB.ratio / ofA.ratio);
  const sequence = sequenceOf(uncertaintyOf([...ofA.influences.map(less), ...ofB.influences]), EFFORT_TUNED_FOR);
  const change = {
    ...figures,
    ...{ value: Math.expm1(log), a: ofA.ratio, b: ofB.ratio },
    lower: (tail: number) => Math.expm1(log - sequence.radius(2 * tail)),
    upper: (tail: number) => Math.expm1(log + sequence.radius(2 * tail)),
  };
  const logBelow = sequence.logBelow(log);
  return { change, p: sequence.p(log), logBelow, units: unitsOf(a) + unitsOf(b), isEnough: true };
}

/** A conversation moves the logarithm of a ratio by its part of the effort less its part of the successes. */
function ratioOf(values: readonly Spent[], kinds: ReturnType<typeof kindsOf>, side: 'a' | 'b') {
  const effort = standardized(values, kinds, { side, of: (one) => one.effort });
  const success = standardized(values, kinds, { side, of: (one) => one.success });
  if (!isEnough(effort)) return undefined;
  const influences = effort.influences.map((one, index) => ({
    ...one,
    by: one.by / effort.mean - (success.influences[index]?.by ?? 0) / success.mean,
  }));
  return { ratio: effort.mean / success.mean, influences };
}

const SAMPLES = { samples: 2, isPaired: false, moved: undefined } as const;
const NO_REACH = { lower: 0, upper: 0 } as const;
const RELATIVE = { lower: -1, upper: Number.POSITIVE_INFINITY } as const;

function less<Part extends { readonly by: number }>(part: Part): Part {
  return { ...part, by: -part.by };
}

function isEnough({ influences }: Standardized): boolean {
  return unitsOf(influences) >= UNITS_MIN;
}

/** Users, and conversations that name none. */
function unitsOf(came: readonly Came[]): number {
  return new Set(came.map(({ user, conversation }) => (user === undefined ? `of ${conversation}` : user))).size;
}

function notesOf(a: readonly Valued[], b: readonly Valued[], called: Asked['called']): readonly string[] {
  const few = [
    { name: called.a, units: unitsOf(a) },
    { name: called.b, units: unitsOf(b) },
  ].filter(({ units }) => units < UNITS_MIN);
  const { share } = kindsOf(a, b);
  const leftOut = Math.round((1 - share) * 100);
  return [
    ...few.map(({ name, units }) => `Too few users of ${name}: ${units}, and a comparison takes ${UNITS_MIN}.`),
    ...(few.length === 0 && leftOut > 0
      ? [
          `${leftOut} % of the conversations are of kinds that only one of the two had, and are left out of the differences.`,
        ]
      : []),
  ];
}

/** Too few users: anything is possible. */
function unknown(figures: Omit<EstimatedChange, 'lower' | 'upper'>): Omit<Change, 'units'> {
  const { lower, upper } = figures.range;
  return { change: { ...figures, lower: () => lower, upper: () => upper }, p: 1, logBelow: 0, isEnough: false };
}

/** The next conversation may differ although all so far agree: variance by Agresti's and Coull's imagined observations. */
function floorOf(cells: Standardized['cells'], { effect }: Uncertainty): number {
  return cells.reduce((sum, { share, count }) => sum + ENDS * (share / (count / effect + 2 * ENDS)) ** 2, 0);
}

function meanOf(values: readonly Valued[]): number {
  return values.reduce((sum, { value }) => sum + value, 0) / values.length;
}
