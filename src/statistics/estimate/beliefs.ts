/**
 * Beliefs of each cell before each draw: with which chance a conversation of it goes well. Beliefs make intervals
 * narrower where they are right and wider where they are wrong; no interval is ever false by them.
 *
 * Four voices say a chance, and are heard in proportion to how well they foretold the readings before:
 *
 *     alike        all cells are the same: the share so far, with half a reading of either kind added
 *     by group     the share of the cell's group so far, drawn to that of all by two readings
 *     predicted    as the prediction says
 *     calibrated   logit p = a + b × (logit of the prediction − its mean), for a grid of a and b, each heard by its merit
 */
import type { Draw } from './evidence.ts';

interface Known {
  /** Suites, users and outcomes say this of the cell's conversations. */
  readonly group: string;
  /** Chance that a prediction gives; undefined where none may speak. */
  readonly predicted?: number | undefined;
  readonly size: number;
}

/** By draw, then by cell; one more than there are draws, which is what is believed after all of them. */
export function beliefsOf(known: readonly Known[], draws: readonly Draw[]): readonly (readonly number[])[] {
  const voices: readonly Voice[] = [new Alike(known), new ByGroup(known), new Predicted(known), new Calibrated(known)];
  const merits = new Merits(PRIORS);
  const rows: number[][] = [];
  for (const draw of [...draws, undefined]) {
    const said = voices.map((voice) => voice.chances());
    rows.push(known.map((_, cell) => within(merits.mean((voice) => said[voice]?.[cell] ?? 0.5))));
    if (draw === undefined) break;
    merits.learn((voice) => likelihood(said[voice]?.[draw.cell] ?? 0.5, draw));
    for (const voice of voices) voice.learn(draw);
  }
  return rows;
}

/** Weights of the voices in their order. They say the same where nothing is known by group or prediction, and it costs nothing. */
const PRIORS = [0.4, 0.25, 0.1, 0.25];
/** Chances nearer to 0 and 1 would stake everything on one reading. */
const CHANCE_MIN = 1e-4;
const DRAWN_TO_ALL = 2;
const INTERCEPTS = Array.from({ length: 33 }, (_, index) => (index - 16) * 0.3);
const SLOPES = [0.4, 0.7, 1, 1.5];

interface Voice {
  chances(): readonly number[];
  learn(draw: Draw): void;
}

class Alike implements Voice {
  readonly #cells: number;
  #good = 0;
  #read = 0;

  constructor(known: readonly Known[]) {
    this.#cells = known.length;
  }

  get chance(): number {
    return (this.#good + 0.5) / (this.#read + 1);
  }

  chances(): readonly number[] {
    return Array.from({ length: this.#cells }, () => this.chance);
  }

  learn({ isGood }: Draw): void {
    this.#read += 1;
    if (isGood) this.#good += 1;
  }
}

class ByGroup implements Voice {
  readonly #all: Alike;
  readonly #known: readonly Known[];
  readonly #groups = new Map<string, { good: number; read: number }>();

  constructor(known: readonly Known[]) {
    this.#all = new Alike(known);
    this.#known = known;
  }

  chances(): readonly number[] {
    return this.#known.map(({ group }) => {
      const { good, read } = this.#groups.get(group) ?? { good: 0, read: 0 };
      return (good + DRAWN_TO_ALL * this.#all.chance) / (read + DRAWN_TO_ALL);
    });
  }

  learn(draw: Draw): void {
    this.#all.learn(draw);
    const group = this.#known[draw.cell]?.group ?? '';
    const { good, read } = this.#groups.get(group) ?? { good: 0, read: 0 };
    this.#groups.set(group, { good: good + (draw.isGood ? 1 : 0), read: read + 1 });
  }
}

/** Cells of which no prediction speaks have the share of their groups. */
class Predicted implements Voice {
  readonly #known: readonly Known[];
  readonly #else: ByGroup;

  constructor(known: readonly Known[]) {
    this.#known = known;
    this.#else = new ByGroup(known);
  }

  chances(): readonly number[] {
    const others = this.#else.chances();
    return this.#known.map(({ predicted }, cell) => predicted ?? others[cell] ?? 0.5);
  }

  learn(draw: Draw): void {
    if (this.#known[draw.cell]?.predicted === undefined) this.#else.learn(draw);
  }
}

class Calibrated implements Voice {
  readonly #known: readonly Known[];
  readonly #else: ByGroup;
  /** By pair of intercept and slope, then by cell. */
  readonly #chances: readonly (readonly number[])[];
  readonly #merits: Merits;

  constructor(known: readonly Known[]) {
    this.#known = known;
    this.#else = new ByGroup(known);
    const spoken = known.filter(({ predicted }) => predicted !== undefined);
    const size = spoken.reduce((sum, one) => sum + one.size, 0);
    const mean = spoken.reduce((sum, one) => sum + (one.size / size) * logit(one.predicted ?? 0.5), 0);
    const pairs = INTERCEPTS.flatMap((intercept) => SLOPES.map((slope) => ({ intercept, slope })));
    this.#chances = pairs.map(({ intercept, slope }) =>
      known.map(({ predicted }) => expit(intercept + slope * (logit(predicted ?? 0.5) - mean))),
    );
    // The prior of a share that belongs to half a reading of either kind.
    this.#merits = new Merits(pairs.map(({ intercept }) => Math.sqrt(expit(intercept) * (1 - expit(intercept)))));
  }

  chances(): readonly number[] {
    const others = this.#else.chances();
    return this.#known.map(({ predicted }, cell) =>
      predicted === undefined ? (others[cell] ?? 0.5) : this.#merits.mean((pair) => this.#chances[pair]?.[cell] ?? 0.5),
    );
  }

  learn(draw: Draw): void {
    if (this.#known[draw.cell]?.predicted === undefined) this.#else.learn(draw);
    else this.#merits.learn((pair) => likelihood(this.#chances[pair]?.[draw.cell] ?? 0.5, draw));
  }
}

/** Weights that sum to 1, each in proportion to its prior and to what it said of what came. */
class Merits {
  #weights: readonly number[];

  constructor(priors: readonly number[]) {
    this.#weights = toOne(priors);
  }

  mean(of: (index: number) => number): number {
    return this.#weights.reduce((sum, weight, index) => sum + weight * of(index), 0);
  }

  learn(likelihoodOf: (index: number) => number): void {
    this.#weights = toOne(this.#weights.map((weight, index) => weight * likelihoodOf(index)));
  }
}

function toOne(weights: readonly number[]): readonly number[] {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / all);
}

function likelihood(chance: number, { isGood }: Draw): number {
  const sure = within(chance);
  return isGood ? sure : 1 - sure;
}

function within(chance: number): number {
  return Math.min(1 - CHANCE_MIN, Math.max(CHANCE_MIN, chance));
}

function logit(chance: number): number {
  const sure = within(chance);
  return Math.log(sure / (1 - sure));
}

function expit(value: number): number {
  return 1 / (1 + Math.exp(-value));
}
