/**
 * How much a level wanders by itself, beyond what chance alone explains: providers, prompts of the day, users.
 *
 * The excess over what was expected is summed by the hour. Hours are joined to blocks of 1, 2, 4 and 8 hours, and for
 * each length what the square of the excess has more than its chance variance is added up over the blocks, fading
 * slowly:
 *
 *     variance of the level over a block = Σ (excess² − variance) / Σ quantity² − (mean excess)²
 *     its error, were there no wobble    = √(2 Σ variance²) / Σ quantity²
 *
 * The lengths are weighed by their errors. Variance within the error counts as none: an allowance for wobble that is
 * not there would cost power, and most where traffic is low and least of it is known.
 *
 * Only hours that were usual are counted (usual-hours.ts), so that a regression doesn't count as wobble.
 */
import type { Json } from '../../model/json.ts';

export interface WobbleSettings {
  readonly memoryMs: number;
  /** How many errors the wobble must stand out. */
  readonly evidentErrors: number;
}

export const HOUR_MS = 3_600_000;
const LENGTHS = [1, 2, 4, 8];
const OPEN = 4;
const SUMS = 5;

export class Wobble {
  readonly #settings: WobbleSettings;
  /** Per length, the block under way: excess, variance, quantity, hours. */
  readonly #open = new Float64Array(LENGTHS.length * OPEN);
  /** Per length: Σ (excess² − variance), Σ quantity², Σ excess, Σ quantity, Σ variance² fading twice as fast. */
  readonly #sums = new Float64Array(LENGTHS.length * SUMS);

  constructor(settings: WobbleSettings) {
    this.#settings = settings;
  }

  /** The block under way ends: what follows is not next to it. */
  cut(): void {
    this.#open.fill(0);
  }

  /** Variance of the level from one block of hours to the next; 0 where none is evident. */
  get variance(): number {
    let sum = 0;
    let weights = 0;
    let surest = Number.POSITIVE_INFINITY;
    for (let length = 0; length < LENGTHS.length; length += 1) {
      const at = length * SUMS;
      const [surplus, squares, excess, quantity, noise] = this.#sums.subarray(at, at + SUMS) as unknown as SumsOfLength;
      if (!(squares > 0) || !(noise > 0)) return 0;
      const error = Math.sqrt(2 * noise) / squares;
      const mean = excess / quantity;
      sum += (surplus / squares - mean * mean) / (error * error);
      weights += 1 / (error * error);
      surest = Math.min(surest, error);
    }
    const seen = sum / weights;
    return seen > this.#settings.evidentErrors * surest ? seen : 0;
  }

  snapshot(): Json {
    return [[...this.#open], [...this.#sums]];
  }

  restore(kept: Json): void {
    const [open = [], sums = []] = kept as readonly (readonly number[])[];
    this.#open.set(open);
    this.#sums.set(sums);
  }

  /** A usual hour: its excess, the variance that chance gives it, and its quantity. */
  count(excess: number, variance: number, quantity: number): void {
    for (let length = 0; length < LENGTHS.length; length += 1) {
      const block = this.#open.subarray(length * OPEN, length * OPEN + OPEN);
      block[0] = (block[0] as number) + excess;
      block[1] = (block[1] as number) + variance;
      block[2] = (block[2] as number) + quantity;
      block[3] = (block[3] as number) + 1;
      if ((block[3] as number) >= (LENGTHS[length] as number)) this.#close(length, block);
    }
  }

  #close(length: number, block: Float64Array): void {
    const [excess, variance, quantity] = block as unknown as readonly [number, number, number];
    const sums = this.#sums.subarray(length * SUMS, length * SUMS + SUMS);
    const rest = Math.exp((-HOUR_MS * (LENGTHS[length] as number)) / this.#settings.memoryMs);
    sums[0] = (sums[0] as number) * rest + (excess * excess - variance);
    sums[1] = (sums[1] as number) * rest + quantity * quantity;
    sums[2] = (sums[2] as number) * rest + excess;
    sums[3] = (sums[3] as number) * rest + quantity;
    sums[4] = (sums[4] as number) * rest * rest + variance * variance;
    block.fill(0);
  }
}

type SumsOfLength = readonly [surplus: number, squares: number, excess: number, quantity: number, noise: number];
