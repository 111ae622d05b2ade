/**
 * How a level behaves when nothing is wrong, beyond its mean: the calendar, users whose conversations are alike,
 * consecutive outcomes that have to do with each other, and wandering. Levels that are parts of another one (slices) are
 * given the calendar and the users of the whole, of which they see too little.
 */
import type { Json } from '../model/json.ts';
import { Calendar } from './calendar.ts';
import type { Stretch } from './change-evidence.ts';
import { ClusterMemory, type Given, NOTHING_GIVEN } from './cluster-memory.ts';
import type { Slot } from './cluster-slots.ts';
import { DesignEffect } from './design-effect.ts';
import type { WobbleSettings } from './drift-variance.ts';
import { UsualHours } from './usual-hours.ts';

/** Known of a conversation before it is seen. */
export interface Foreseen {
  /** Effect of the calendar, in bad per unit of quantity. */
  readonly season: number;
  readonly given: Given;
  /** Bad per unit of quantity before a regression, for the level since one. */
  readonly usual?: number;
}

export const NOTHING_FORESEEN: Foreseen = { season: 0, given: NOTHING_GIVEN };

interface Observed {
  readonly at: number;
  readonly slot: Slot | undefined;
  readonly quantity: number;
  /** Over what the calendar lets expect. */
  readonly excess: number;
  /** Variance of one excess. */
  readonly variance: number;
  readonly foreseen: Foreseen;
}

export class UsualPattern {
  readonly #hours: UsualHours;
  readonly #effect = new DesignEffect();
  readonly #own: { readonly calendar: Calendar; readonly users: ClusterMemory } | undefined;

  constructor(settings: WobbleSettings, { isPart }: { readonly isPart: boolean }) {
    this.#hours = new UsualHours(settings);
    this.#own = isPart ? undefined : { calendar: new Calendar(), users: new ClusterMemory() };
  }

  /** Variance of the level from hour to hour; 0 where none is evident. */
  get wobble(): number {
    return this.#hours.wobble;
  }

  get designEffect(): number {
    return this.#hours.designEffect;
  }

  /** How much larger the variance of sums is than that of unrelated outcomes. */
  get inflation(): number {
    return this.#hours.inflation;
  }

  foresee(slot: Slot | undefined, at: number): Foreseen {
    if (this.#own === undefined) return NOTHING_FORESEEN;
    const { calendar, users } = this.#own;
    return { season: calendar.effect(at), given: slot === undefined ? NOTHING_GIVEN : users.given(slot) };
  }

  observe({ at, slot, quantity, excess, variance, foreseen: { season, given } }: Observed): void {
    this.#effect.add(excess - given.predicted, variance);
    if (this.#own === undefined) return;
    if (slot !== undefined) this.#own.users.add(slot, excess, variance);
    this.#own.calendar.add(at, {
      quantity,
      excess: excess + season * quantity,
      variance: variance * given.spread,
    });
  }

  /** An hour has ended, which may turn out to be usual, or which was not. */
  endHour(end: number, hour: { readonly from: Stretch; readonly to: Stretch; readonly mayBeUsual: boolean }): void {
    const effect = this.#effect.takeHour();
    const pairs = this.#own?.users.takePairs() ?? [0, 0, 0];
    if (hour.mayBeUsual) this.#hours.hold(end, { ...hour, effect, pairs });
  }

  /** Hours that ended by `time` were usual. */
  include(time: number): void {
    if (this.#hours.include(time)) this.#own?.users.learn(this.#hours.pairs);
  }

  /** What the calendar does, from days that ended by `until`. */
  learnCalendar(until: number): void {
    this.#own?.calendar.learn(until);
  }

  /** A regression began at `onset`: hours since then are not usual. */
  cut(onset: number): void {
    this.#hours.cut(onset);
    this.#own?.users.learn(this.#hours.pairs);
  }

  /** Another level is expected from now on. */
  forget(): void {
    this.#hours.cut(0);
    this.#own?.users.forget();
  }

  snapshot(): Json {
    const own = this.#own;
    return [
      this.#hours.snapshot(),
      this.#effect.snapshot(),
      own === undefined ? null : [own.calendar.snapshot(), own.users.snapshot()],
    ];
  }

  restore(json: Json): void {
    const [hours, effect, own] = json as readonly [Json, Json, readonly [Json, Json] | null];
    this.#hours.restore(hours);
    this.#effect.restore(effect);
    if (own === null || this.#own === undefined) return;
    this.#own.calendar.restore(own[0]);
    this.#own.users.restore(own[1]);
  }
}
