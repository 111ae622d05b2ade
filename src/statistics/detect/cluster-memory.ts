/**
 * Predicts a user's next conversation from the last ones, for one level.
 *
 * With the correlation ρ within users, and k − 1 excesses of this user known, the next one is expected to be
 *
 *     predicted = ρ / (1 + (k − 2) ρ) × their sum
 *
 * (exact where users differ as in a beta distribution, else the best linear prediction). Evidence is taken from what
 * was not predicted. So a user who always fails is news once. All conversations of one user count at most as much as 1 / ρ
 * conversations of different users. ρ is measured from pairs of conversations, and is at least `RHO_MIN`, so that
 * there always is a limit.
 *
 * Products of pairs wait until their hour is known to be usual (usual-hours.ts).
 */
import type { Json } from '../../model/json.ts';
import type { Slot } from './cluster-slots.ts';
import { SLOTS } from './cluster-slots.ts';
import { fromBase64, toBase64 } from './packed.ts';

const RHO_MIN = 0.05;
const RHO_MAX = 0.9;
/** Pairs that say as much as so many. */
const PAIRS_MIN = 30;
const WEIGHT_MAX = 4;

/** Knowledge about a conversation before it is seen. */
export interface Given {
  /** Excess that is no news. */
  readonly predicted: number;
  /** How much a change of the level for all shows in what was not predicted. */
  readonly shown: number;
  /** Share of the usual stake. */
  readonly stake: number;
  /** Variance that it adds to a sum of excesses, over its own. */
  readonly spread: number;
  /** Weight of a vote: with such weights the sum of a user's votes varies no more than that of unrelated ones. */
  readonly vote: number;
}

export const NOTHING_GIVEN: Given = { predicted: 0, shown: 1, stake: 1, spread: 1, vote: 1 };

export class ClusterMemory {
  readonly #sums = new Float32Array(SLOTS);
  readonly #counts = new Uint16Array(SLOTS);
  #rho = RHO_MIN;
  #isKnown = false;

  /** Products of conversations of the same user since they were last taken. */
  readonly #pairs = { product: 0, variance: 0, noise: 0 };

  /** Whether ρ was measured. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** The correlation within users, as it was measured. */
  learn([product, variance, noise]: readonly [product: number, variance: number, noise: number]): void {
    this.#isKnown = noise > 0 && (variance * variance) / noise >= PAIRS_MIN;
    const seen = this.#isKnown ? product / variance : 0;
    this.#rho = Math.min(RHO_MAX, Math.max(RHO_MIN, seen));
  }

  given({ number, isNew }: Slot): Given {
    if (isNew) {
      this.#sums[number] = 0;
      this.#counts[number] = 0;
    }
    const before = this.#counts[number] as number;
    if (before === 0) return NOTHING_GIVEN;
    const rho = this.#rho;
    const known = 1 + (before - 1) * rho;
    return {
      predicted: (rho / known) * (this.#sums[number] as number),
      shown: (1 - rho) / known,
      stake: 1 / (1 + before * rho),
      spread: 1 + 2 * before * rho,
      // Each vote v after votes that sum to V needs v² + 2 ρ v V ≤ v.
      vote: Math.max(0, 1 - 2 * rho) ** before,
    };
  }

  add({ number }: Slot, excess: number, variance: number): void {
    const before = this.#counts[number] as number;
    if (before > 0) {
      const weight = Math.min(before, WEIGHT_MAX);
      this.#pairs.product += (weight * excess * (this.#sums[number] as number)) / before;
      this.#pairs.variance += weight * variance;
      this.#pairs.noise += (weight * weight * variance * variance) / before;
    }
    this.#sums[number] = (this.#sums[number] as number) + excess;
    if (before < 0xffff) this.#counts[number] = before + 1;
  }

  takePairs(): readonly [product: number, variance: number, noise: number] {
    const { product, variance, noise } = this.#pairs;
    this.#pairs.product = 0;
    this.#pairs.variance = 0;
    this.#pairs.noise = 0;
    return [product, variance, noise];
  }

  /** Begins from scratch, because another level is expected now. */
  forget(): void {
    this.#sums.fill(0);
    this.#counts.fill(0);
  }

  snapshot(): Json {
    const { product, variance, noise } = this.#pairs;
    return [this.#rho, this.#isKnown, product, variance, noise, toBase64(this.#sums), toBase64(this.#counts)];
  }

  restore(json: Json): void {
    const [rho, isKnown, product, variance, noise, sums, counts] = json as readonly [
      number,
      boolean,
      number,
      number,
      number,
      string,
      string,
    ];
    this.#rho = rho;
    this.#isKnown = isKnown;
    this.#pairs.product = product;
    this.#pairs.variance = variance;
    this.#pairs.noise = noise;
    fromBase64(sums, this.#sums);
    fromBase64(counts, this.#counts);
  }
}
