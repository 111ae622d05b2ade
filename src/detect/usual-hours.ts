/**
 * How a level varies when nothing is wrong, learnt from hours that were usual: how much it wanders (drift-variance.ts),
 * how much consecutive outcomes have to do with each other (design-effect.ts), and how alike the conversations of one
 * user are (cluster-memory.ts).
 *
 * An hour waits until the owner says that it was usual. Hours since the onset of a regression are thrown away: a fall
 * looks like wandering, like correlation and like users who are alike, and must not be allowed for when it is found.
 */
import type { Json } from '../model/json.ts';
import type { Stretch } from './change-evidence.ts';
import { designEffectOf, EFFECT_COLUMNS } from './design-effect.ts';
import { HOUR_MS, Wobble, type WobbleSettings } from './drift-variance.ts';
import { NEIGHBOUR_COLUMNS } from './neighbours.ts';

const HELD_MAX = 400;
/** Sums of an hour: those of design-effect.ts and neighbours.ts, the pairs of cluster-memory.ts, variance with and without users. */
const PAIRS_AT = EFFECT_COLUMNS + NEIGHBOUR_COLUMNS;
const COLUMNS = PAIRS_AT + 3 + 2;

interface HourOf {
  readonly from: Stretch;
  readonly to: Stretch;
  readonly effect: readonly number[];
  readonly neighbours: readonly number[];
  readonly pairs: readonly number[];
}

interface Hour {
  readonly end: number;
  readonly excess: number;
  readonly variance: number;
  readonly quantity: number;
  readonly columns: readonly number[];
}

export class UsualHours {
  readonly #settings: WobbleSettings;
  readonly #wobble: Wobble;
  #held: Hour[] = [];
  readonly #sums = new Float64Array(COLUMNS);

  constructor(settings: WobbleSettings) {
    this.#settings = settings;
    this.#wobble = new Wobble(settings);
  }

  /** An hour has ended. */
  hold(end: number, { from, to, effect, neighbours, pairs }: HourOf): void {
    const quantity = to.quantity - from.quantity;
    if (!(quantity > 0)) return;
    const excess = to.bad - from.bad - (to.expected - from.expected);
    const variance = to.variance - from.variance;
    if (this.#held.length >= HELD_MAX) this.#held.shift();
    const columns = [...effect, ...neighbours, ...pairs, variance, to.chance - from.chance];
    this.#held.push({ end, excess, variance, quantity, columns });
  }

  /** Hours that ended by `time` were usual. True where there were any. `sumEffect`: of correlation on the variance of sums. */
  include(time: number, sumEffect: number): boolean {
    let isAny = false;
    for (let hour = this.#held[0]; hour !== undefined && hour.end <= time; hour = this.#held[0]) {
      this.#held.shift();
      this.#count(hour, sumEffect);
      isAny = true;
    }
    return isAny;
  }

  /** A regression began at `onset`. */
  cut(onset: number, sumEffect: number): void {
    this.include(onset, sumEffect);
    this.#held = [];
    this.#wobble.cut();
  }

  get wobble(): number {
    return this.#wobble.variance;
  }

  /** Design effect of what neither users nor neighbours predict. */
  get designEffect(): number {
    return designEffectOf(this.#sums.subarray(0, EFFECT_COLUMNS));
  }

  /** How much users who are alike add to the variance of sums. */
  get spread(): number {
    const [variance = 0, chance = 0] = this.#sums.subarray(COLUMNS - 2);
    return chance > 0 ? variance / chance : 1;
  }

  get neighbours(): Readonly<Float64Array> {
    return this.#sums.subarray(EFFECT_COLUMNS, PAIRS_AT);
  }

  get pairs(): readonly [product: number, variance: number, noise: number] {
    const [product = 0, variance = 0, noise = 0] = this.#sums.subarray(PAIRS_AT);
    return [product, variance, noise];
  }

  snapshot(): Json {
    const held = this.#held.map(({ end, excess, variance, quantity, columns }) => [
      end,
      excess,
      variance,
      quantity,
      ...columns,
    ]);
    return [this.#wobble.snapshot(), held, [...this.#sums]];
  }

  restore(kept: Json): void {
    const [wobble, held, sums] = kept as readonly [Json, readonly (readonly number[])[], readonly number[]];
    this.#wobble.restore(wobble);
    this.#held = held.map(([end = 0, excess = 0, variance = 0, quantity = 0, ...columns]) => ({
      end,
      excess,
      variance,
      quantity,
      columns,
    }));
    this.#sums.set(sums);
  }

  #count({ excess, variance, quantity, columns }: Hour, sumEffect: number): void {
    const rest = Math.exp(-HOUR_MS / this.#settings.memoryMs);
    for (let column = 0; column < COLUMNS; column += 1)
      this.#sums[column] = (this.#sums[column] as number) * rest + (columns[column] ?? 0);
    // Variance that correlation explains is no wandering.
    this.#wobble.count(excess, variance * sumEffect, quantity);
  }
}
