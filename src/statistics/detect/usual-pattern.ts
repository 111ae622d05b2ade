/**
 * How a level behaves when nothing is wrong, beyond its mean: the calendar, users whose conversations are alike,
 * consecutive outcomes that have to do with each other, and wandering. Levels that are parts of another one (slices) are
 * given the calendar and the users of the whole, of which they see too little.
 */
import type { Json } from '../../model/json.ts';
import { Calendar } from './calendar.ts';
import type { Stretch } from './change-evidence.ts';
import { ClusterMemory, type Given, NOTHING_GIVEN } from './cluster-memory.ts';
import type { Slot } from './cluster-slots.ts';
import { DesignEffect } from './design-effect.ts';
import type { WobbleSettings } from './drift-variance.ts';
import { Neighbours } from './neighbours.ts';
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
  /** No regression is known. */
  readonly mayBeUsual: boolean;
}

export class UsualPattern {
  readonly #hours: UsualHours;
  readonly #effect = new DesignEffect();
  readonly #neighbours = new Neighbours();
  #designEffect = 1;
  /** Prediction from the user's earlier conversations, for the one that is observed next. */
  #ofUser = 0;
  readonly #own: { readonly calendar: Calendar; readonly users: ClusterMemory } | undefined;

  constructor(settings: WobbleSettings, { isPart }: { readonly isPart: boolean }) {
    this.#hours = new UsualHours(settings, { isPart });
    this.#own = isPart ? undefined : { calendar: new Calendar(), users: new ClusterMemory() };
  }

  /** Variance of the level from hour to hour; 0 where none is evident. */
  get wobble(): number {
    return this.#hours.wobble;
  }

  /** Design effect of what neither users nor neighbours predict. */
  get designEffect(): number {
    return this.#designEffect;
  }

  /** How much correlation adds to the variance of sums, beside what users who are alike add. */
  get sumEffect(): number {
    const { sums, left } = this.#neighbours;
    return this.#designEffect * sums * left;
  }

  /** How much larger the variance of sums is than that of unrelated outcomes. */
  get inflation(): number {
    return this.sumEffect * this.#hours.spread;
  }

  foresee(slot: Slot | undefined, at: number): Foreseen {
    if (this.#own === undefined) return NOTHING_FORESEEN;
    const { calendar, users } = this.#own;
    const ofUser = slot === undefined ? NOTHING_GIVEN : users.given(slot);
    const { predicted, shown, left } = this.#neighbours.next();
    const { sumEffect } = this;
    const given =
      sumEffect === 1
        ? ofUser
        : {
            predicted: ofUser.predicted + predicted,
            shown: ofUser.shown * shown,
            stake: (ofUser.stake * shown) / left,
            spread: ofUser.spread,
            vote: ofUser.vote / sumEffect,
          };
    this.#ofUser = ofUser.predicted;
    return { season: calendar.effect(at), given };
  }

  observe({ at, slot, quantity, excess, variance, foreseen, mayBeUsual }: Observed): void {
    const { season, given } = foreseen;
    // Before it is known how alike the conversations of a user are, they look like neighbours.
    if (this.#ofUser === 0 || this.#own?.users.isKnown !== false) {
      this.#effect.add(excess - given.predicted, variance * this.#neighbours.left);
      if (this.#own !== undefined) this.#neighbours.add(excess - this.#ofUser);
    }
    if (this.#own === undefined) return;
    if (slot !== undefined) this.#own.users.add(slot, excess, variance);
    if (!mayBeUsual) return;
    this.#own.calendar.add(at, {
      quantity,
      excess: excess + season * quantity,
      variance: variance * given.spread,
    });
  }

  /** Before anything is expected. */
  observeEarly(at: number, bad: number, quantity: number): void {
    this.#own?.calendar.addEarly(at, bad, quantity);
  }

  /** Compares the first day with what is expected now. */
  settle({ expected, variance }: { readonly expected: number; readonly variance: number }): void {
    this.#own?.calendar.settle(expected, variance);
  }

  /** An hour has ended, which may turn out to be usual, or which was not. */
  endHour(end: number, hour: { readonly from: Stretch; readonly to: Stretch; readonly mayBeUsual: boolean }): void {
    const effect = this.#effect.takeHour();
    const neighbours = this.#neighbours.takeHour();
    const pairs = this.#own?.users.takePairs() ?? [0, 0, 0];
    if (hour.mayBeUsual) this.#hours.hold(end, { ...hour, effect, neighbours, pairs });
  }

  /** Hours that ended by `time` were usual. */
  include(time: number): void {
    if (this.#hours.include(time, this.sumEffect)) this.#learn();
  }

  /** Learns the calendar from days that ended by `until`. */
  learnCalendar(until: number): void {
    this.#own?.calendar.learn(until);
  }

  /** A regression began at `onset`: hours since then are not usual. */
  cut(onset: number): void {
    this.#own?.calendar.cut(onset);
    this.#hours.cut(onset, this.sumEffect);
    this.#learn();
  }

  /** Another level is expected from now on. */
  forget(): void {
    this.#hours.cut(0, 1);
    this.#own?.users.forget();
    this.#neighbours.forget();
  }

  #learn(): void {
    this.#own?.users.learn(this.#hours.pairs);
    this.#neighbours.learn(this.#hours.neighbours);
    this.#designEffect = this.#hours.designEffect;
  }

  snapshot(): Json {
    const own = this.#own;
    return [
      this.#hours.snapshot(),
      this.#effect.snapshot(),
      this.#neighbours.snapshot(),
      own === undefined ? null : [own.calendar.snapshot(), own.users.snapshot()],
    ];
  }

  restore(json: Json): void {
    const [hours, effect, neighbours, own] = json as readonly [Json, Json, Json, readonly [Json, Json] | null];
    this.#neighbours.restore(neighbours);
    this.#hours.restore(hours);
    this.#effect.restore(effect);
    this.#designEffect = this.#hours.designEffect;
    if (own === null || this.#own === undefined) return;
    this.#own.calendar.restore(own[0]);
    this.#own.users.restore(own[1]);
  }
}
