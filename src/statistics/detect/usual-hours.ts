/**
 * How a level varies when nothing is wrong, learnt from hours that were usual: how much it wanders (drift-variance.ts),
 * how much consecutive outcomes have to do with each other (design-effect.ts), and how alike the conversations of one
 * user are (cluster-memory.ts).
 *
 * An hour waits until the owner says that it was usual. Hours since the onset of a regression are thrown away: a fall
 * looks like wandering, like correlation and like users who are alike, and must not be allowed for when it is found.
 */
import type { Json } from '../../model/json.ts';
import type { Stretch } from './change-evidence.ts';
import { designEffectOf, EFFECT_COLUMNS } from './design-effect.ts';
import { Wobble, type WobbleSettings } from './drift-variance.ts';
import { NEIGHBOUR_COLUMNS } from './neighbours.ts';

const DAY_MS = 86_400_000;

const HELD_MAX = 400;
const DAYS_MAX = 20;
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

type Hour = readonly [end: number, excess: number, variance: number, quantity: number];

/** Sums of the hours of a day, which need not be known one by one. */
interface Day {
  end: number;
  readonly columns: Float64Array;
}

export class UsualHours {
  readonly #settings: WobbleSettings;
  readonly #wobble: Wobble;
  #held: Hour[] = [];
  #days: Day[] = [];
  readonly #sums = new Float64Array(COLUMNS);

  readonly #isPart: boolean;

  /** A part of another level varies by chance and with the whole; its hours are not kept one by one. */
  constructor(settings: WobbleSettings, { isPart }: { readonly isPart: boolean }) {
    this.#settings = settings;
    this.#isPart = isPart;
    this.#wobble = new Wobble(settings);
  }

  /** An hour has ended. */
  hold(end: number, { from, to, effect, neighbours, pairs }: HourOf): void {
    const quantity = to.quantity - from.quantity;
    if (!(quantity > 0)) return;
    const excess = to.bad - from.bad - (to.expected - from.expected);
    const variance = to.variance - from.variance;
    if (this.#held.length >= HELD_MAX) this.#held.shift();
    if (!this.#isPart) this.#held.push([end, excess, variance, quantity]);
    const day = this.#dayOf(end);
    for (const [column, sum] of [...effect, ...neighbours, ...pairs, variance, to.chance - from.chance].entries())
      day.columns[column] = (day.columns[column] as number) + sum;
  }

  /** Hours that ended by `time` were usual. True where there were any. `sumEffect`: of correlation on the variance of sums. */
  include(time: number, sumEffect: number): boolean {
    let isAny = false;
    for (let day = this.#days[0]; day !== undefined && day.end <= time; day = this.#days[0]) {
      this.#days.shift();
      this.#add(day);
      isAny = true;
    }
    for (let hour = this.#held[0]; hour !== undefined && hour[0] <= time; hour = this.#held[0]) {
      this.#held.shift();
      // Variance that correlation explains is no wandering.
      this.#wobble.count(hour[1], hour[2] * sumEffect, hour[3]);
    }
    return isAny;
  }

  /** A regression began at `onset`. */
  cut(onset: number, sumEffect: number): void {
    this.include(onset, sumEffect);
    this.#held = [];
    this.#days = [];
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
    const days = this.#days.map(({ end, columns }) => [end, ...columns]);
    return [this.#wobble.snapshot(), this.#held.flat(), days, [...this.#sums]];
  }

  restore(kept: Json): void {
    const [wobble, held, days, sums] = kept as readonly [
      Json,
      readonly number[],
      readonly (readonly number[])[],
      readonly number[],
    ];
    this.#wobble.restore(wobble);
    this.#held = [];
    // The cast holds for what `snapshot` gave.
    for (let at = 0; at + 3 < held.length; at += 4) this.#held.push(held.slice(at, at + 4) as unknown as Hour);
    this.#days = days.map(([end = 0, ...columns]) => ({ end, columns: Float64Array.from(columns) }));
    this.#sums.set(sums);
  }

  /** The day that an hour belongs to; its end is the end of its last hour. */
  #dayOf(end: number): Day {
    const last = this.#days.at(-1);
    if (last !== undefined && Math.floor((last.end - 1) / DAY_MS) === Math.floor((end - 1) / DAY_MS)) {
      last.end = end;
      return last;
    }
    if (this.#days.length >= DAYS_MAX) this.#days.shift();
    const day: Day = { end, columns: new Float64Array(COLUMNS) };
    this.#days.push(day);
    return day;
  }

  #add({ columns }: Day): void {
    const rest = Math.exp(-DAY_MS / this.#settings.memoryMs);
    for (let column = 0; column < COLUMNS; column += 1)
      this.#sums[column] = (this.#sums[column] as number) * rest + (columns[column] as number);
  }
}
