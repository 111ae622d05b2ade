/**
 * Evidence that a level has become worse at some unknown moment: a sum of bets that were begun at every moment (the
 * e-Shiryaev-Roberts statistic of Shin, Ramdas and Rinaldo).
 *
 * Each observation brings an excess, bad − (expected + allowance) × quantity − predicted, where all were fixed before.
 * `predicted` is what earlier conversations of the same user let expect (cluster-memory.ts). While nothing is wrong the
 * mean of the excess, given all that came before, is at most 0. Bet k multiplies its capital by 1 + slope × excess,
 * never below 0, and receives one more unit before every observation:
 *
 *     sum[k] ← (sum[k] + 1) × (1 + slope[k] × (excess − penalty[k]))     value = Σ weight[k] × sum[k],  Σ weight = 1
 *
 * value − (number of observations) is then a supermartingale, whatever the distribution. So the mean number of
 * observations until value first reaches A is at least A, and the chance that it does so within N is at most N / A
 * (optional stopping). Looking at it after each observation costs nothing.
 *
 * Where consecutive outcomes are correlated and no user explains it, the mean of the excess given the past is not 0, and
 * the guarantee is lost. With a design effect D (design-effect.ts) slopes are D times smaller, and the penalty
 * slope × variance × (D − 1) / 2 takes from each bet what the correlation adds to the mean of its capital. That is
 * exact for normal sums and approximate for others.
 *
 * The onset as bet k sees it is where its capital, restarted whenever it falls to 1, last stood at 1. Observations
 * since then are kept as the difference of two running totals.
 */
import type { Json } from '../../model/json.ts';
import type { Given } from './cluster-memory.ts';

/** Expected value of a segment's conversations, fixed until the baseline is next read. */
export interface Expectation {
  /** Bad per unit of quantity. */
  readonly expected: number;
  /** Additional change that is tolerated, because the level drifts by as much when nothing is wrong. */
  readonly allowance: number;
  /** Variance of the excess of one observation. */
  readonly variance: number;
  /** Variance of `expected` itself, times the quantity it was estimated from: what the baseline does not know. */
  readonly doubt: number;
  readonly slopes: Float64Array;
  /** Per bet, what is taken from each excess because consecutive outcomes are correlated. */
  readonly penalties: Float64Array;
}

/** An observation beside what was known before it. */
export interface Seen {
  readonly bad: number;
  readonly quantity: number;
  /** Expected bad of this observation, now and before a regression. */
  readonly expected: number;
  readonly usual: number;
  readonly given: Given;
  /** Quantity that the level is shown per, where it is another one. */
  readonly per?: number;
  /** Change that is tolerated on this day, beside the usual allowance. */
  readonly tolerated?: number;
}

/** Sums of everything observed since some moment. */
export interface Stretch {
  readonly since: number;
  readonly count: number;
  readonly quantity: number;
  readonly bad: number;
  readonly expected: number;
  /** With what conversations of one user add to it. */
  readonly variance: number;
  /** As if all conversations were unrelated. */
  readonly chance: number;
  readonly doubt: number;
  /** Expected before a regression; `expected` where there is none. */
  readonly usual: number;
  /** The level is shown per so much. */
  readonly per: number;
}

const COLUMNS = 10;
/** The largest part of its capital that a bet can lose at once. */
const LOSS_MAX = 0.9;
/** Far above any alarm, far below overflow: the product of two of them is still finite. */
const CAPITAL_MAX = 1e150;

export class ChangeEvidence {
  readonly #weights: Float64Array;
  readonly #sums: Float64Array;
  readonly #capitals: Float64Array;
  /** Per bet, the totals as they stood at its onset. */
  readonly #starts: Float64Array;
  #value = 0;
  #count = 0;
  #quantity = 0;
  #bad = 0;
  #expected = 0;
  #variance = 0;
  #chance = 0;
  #doubt = 0;
  #usual = 0;
  #per = 0;

  constructor(weights: readonly number[]) {
    this.#weights = Float64Array.from(weights);
    this.#sums = new Float64Array(weights.length);
    this.#capitals = new Float64Array(weights.length).fill(1);
    this.#starts = new Float64Array(weights.length * COLUMNS);
  }

  get value(): number {
    return this.#value;
  }

  get bets(): number {
    return this.#weights.length;
  }

  add(
    expectation: Expectation,
    { bad, quantity, expected, usual, given, per = quantity, tolerated = 0 }: Seen,
    at: number,
  ): void {
    // The least that an excess can be is what a bet can lose on.
    const most = expected + given.predicted + (expectation.allowance + tolerated) * quantity * given.shown;
    const excess = bad - most;
    const { slopes, penalties } = expectation;
    const stake = stakeOf(expected, given);
    this.#count += 1;
    this.#quantity += quantity;
    this.#bad += bad;
    this.#expected += expected;
    this.#variance += expectation.variance * given.spread;
    this.#chance += expectation.variance;
    this.#doubt += expectation.doubt;
    this.#usual += usual;
    this.#per += per;
    let value = 0;
    for (let bet = 0; bet < slopes.length; bet += 1) {
      const penalty = penalties[bet] as number;
      let slope = (slopes[bet] as number) * stake;
      if (slope * (most + penalty) > LOSS_MAX) slope = LOSS_MAX / (most + penalty);
      const factor = 1 + slope * (excess - penalty);
      let sum = ((this.#sums[bet] as number) + 1) * factor;
      if (sum > CAPITAL_MAX) sum = CAPITAL_MAX;
      this.#sums[bet] = sum;
      value += (this.#weights[bet] as number) * sum;
      const capital = (this.#capitals[bet] as number) * factor;
      if (capital > 1) this.#capitals[bet] = capital > CAPITAL_MAX ? CAPITAL_MAX : capital;
      else this.#begin(bet, at);
    }
    this.#value = value;
  }

  /** The capital of a bet since its onset. */
  capital(bet: number): number {
    return this.#capitals[bet] ?? 1;
  }

  /** A bet's part of the value. */
  share(bet: number): number {
    return (this.#weights[bet] ?? 0) * (this.#sums[bet] ?? 0);
  }

  stretch(bet: number): Stretch {
    const from = bet * COLUMNS;
    const start = (column: number) => this.#starts[from + column] ?? 0;
    return {
      since: start(0),
      count: this.#count - start(1),
      quantity: this.#quantity - start(2),
      bad: this.#bad - start(3),
      expected: this.#expected - start(4),
      variance: this.#variance - start(5),
      chance: this.#chance - start(7),
      doubt: this.#doubt - start(6),
      usual: this.#usual - start(8),
      per: this.#per - start(9),
    };
  }

  /** Everything so far; two of them, taken apart in time, give what was between. */
  totals(): Stretch {
    return {
      since: 0,
      count: this.#count,
      quantity: this.#quantity,
      bad: this.#bad,
      expected: this.#expected,
      variance: this.#variance,
      chance: this.#chance,
      doubt: this.#doubt,
      usual: this.#usual,
      per: this.#per,
    };
  }

  /** Nothing is suspected any more; evidence is lost, validity never. */
  forget(at: number): void {
    this.#value = 0;
    this.#sums.fill(0);
    for (let bet = 0; bet < this.#weights.length; bet += 1) this.#begin(bet, at);
  }

  snapshot(): Json {
    const [value, count, quantity, bad] = [this.#value, this.#count, this.#quantity, this.#bad];
    const levels = [this.#expected, this.#variance, this.#doubt, this.#chance, this.#usual, this.#per];
    const own = [value, count, quantity, bad, ...levels];
    return [own, [...this.#sums], [...this.#capitals], [...this.#starts]];
  }

  restore(kept: Json): void {
    const [own, sums, capitals, starts] = kept as readonly (readonly number[])[];
    if (sums?.length !== this.#weights.length) throw new Error('restore detection: the bets are others');
    this.#sums.set(sums);
    this.#capitals.set(capitals ?? []);
    const columns = (starts?.length ?? 0) / this.#weights.length;
    // 0.1.0 kept one column less.
    for (const [place, start] of (starts ?? []).entries())
      this.#starts[Math.floor(place / columns) * COLUMNS + (place % columns)] = start;
    const [value = 0, count = 0, quantity = 0, bad = 0, expected = 0, variance = 0] = own ?? [];
    const [doubt = 0, chance = 0, usual = 0, per = 0] = own?.slice(6) ?? [];
    this.#value = value;
    this.#count = count;
    this.#quantity = quantity;
    this.#bad = bad;
    this.#expected = expected;
    this.#variance = variance;
    this.#doubt = doubt;
    this.#chance = chance;
    this.#usual = usual;
    this.#per = per;
  }

  #begin(bet: number, at: number): void {
    this.#capitals[bet] = 1;
    const from = bet * COLUMNS;
    const starts = this.#starts;
    starts[from] = at;
    starts[from + 1] = this.#count;
    starts[from + 2] = this.#quantity;
    starts[from + 3] = this.#bad;
    starts[from + 4] = this.#expected;
    starts[from + 5] = this.#variance;
    starts[from + 6] = this.#doubt;
    starts[from + 7] = this.#chance;
    starts[from + 8] = this.#usual;
    starts[from + 9] = this.#per;
  }
}

/**
 * After failures of the same user the next one is likelier, and its outcome varies more: of a yes/no question by
 * p (1 − p). Staking as if it varied as usual would win and lose too much at once.
 */
function stakeOf(expected: number, { predicted, shown, stake }: Given): number {
  const likely = expected + predicted;
  if (!(predicted > 0) || likely >= 1) return stake;
  return Math.min(stake, (shown * expected * (1 - expected)) / (likely * (1 - likely)));
}

/** Sums of the observations between two moments, as the differences of their totals. */
export function between(to: Stretch, from: Stretch): Stretch {
  return {
    since: from.since,
    count: to.count - from.count,
    quantity: to.quantity - from.quantity,
    bad: to.bad - from.bad,
    expected: to.expected - from.expected,
    variance: to.variance - from.variance,
    chance: to.chance - from.chance,
    doubt: to.doubt - from.doubt,
    usual: to.usual - from.usual,
    per: to.per - from.per,
  };
}
