/**
 * Effects of the day of the week and the time of the day on a level: weekends, Mondays, nights.
 *
 * The excess over what the segments let expect is summed by day and by six parts of the day, for four weeks. In each
 * week a day's effect is its excess less that of its week. The effect of a Monday is the median of the last Mondays; with
 * an even number of them, a 0 is added, so that of two the smaller counts, and none where they disagree. So one bad day
 * is no rule, and what came twice is one. Parts of the day likewise, over whole weeks.
 *
 * Effects count where all together are larger than chance makes them, and each is drawn towards 0 by its own error. Times are UTC; a shift of the clock is learnt within two weeks.
 */
import type { Json } from '../../model/json.ts';
import { DAY_MS } from './settings.ts';

const WEEKS = 4;
const DAYS = 7;
const PARTS = 6;
const PART_MS = DAY_MS / PARTS;
/** Per part of a day: quantity, excess, variance. */
const COLUMNS = 3;
/** With fewer days the mean says too little about a week. */
const WHOLE_WEEK = 5;
const KEPT_DAYS = WEEKS * DAYS + 3;
/** Errors by which the effects together must exceed chance. */
const EVIDENT_ERRORS = 1;
/** Variance of a median over that of a mean. */
const MEDIAN_COSTS = 1.57;

interface Early {
  readonly from: number;
  bad: number;
  quantity: number;
  count: number;
}

interface Sum {
  quantity: number;
  excess: number;
  variance: number;
}

export class Calendar {
  /** Sums by day since 1970. */
  readonly #days = new Map<number, Float64Array>();
  readonly #ofDay = new Float64Array(DAYS);
  readonly #ofPart = new Float64Array(PARTS);
  #isKnown = false;
  /** Sums by part of the day: time, bad, quantity, conversations. */
  #early: Early[] = [];
  #day = -1;
  #today: Float64Array = new Float64Array(PARTS * COLUMNS);

  /** Expected excess per unit of quantity. */
  effect(at: number): number {
    if (!this.#isKnown) return 0;
    const day = Math.floor(at / DAY_MS);
    return (this.#ofDay[day % DAYS] as number) + (this.#ofPart[partOf(at, day)] as number);
  }

  /** An observation of the first day, before anything is expected. Its excess is counted later. */
  addEarly(at: number, bad: number, quantity: number): void {
    const from = Math.floor(at / PART_MS) * PART_MS;
    const last = this.#early.at(-1);
    if (last?.from === from) {
      last.bad += bad;
      last.quantity += quantity;
      last.count += 1;
    } else this.#early.push({ from, bad, quantity, count: 1 });
  }

  /** Compares the first day with what is expected now. */
  settle(expected: number, variance: number): void {
    for (const { from, bad, quantity, count } of this.#early)
      this.add(from, { quantity, excess: bad - expected * quantity, variance: variance * count });
    this.#early = [];
  }

  /** The excess over an expectation that knows nothing of the calendar. */
  add(at: number, { quantity, excess, variance }: Readonly<Sum>): void {
    const day = Math.floor(at / DAY_MS);
    if (day !== this.#day) this.#begin(day);
    const from = partOf(at, day) * COLUMNS;
    const cell = this.#today;
    cell[from] = (cell[from] as number) + quantity;
    cell[from + 1] = (cell[from + 1] as number) + excess;
    cell[from + 2] = (cell[from + 2] as number) + variance;
  }

  /** A regression began at `onset`: days since then say nothing of the calendar. */
  cut(onset: number): void {
    const first = Math.floor(onset / DAY_MS);
    for (const day of this.#days.keys()) if (day >= first) this.#days.delete(day);
    this.#day = -1;
  }

  /** Takes in the days that ended before `until`. */
  learn(until: number): void {
    const last = Math.floor(until / DAY_MS) - 1;
    const weeks: Map<number, Float64Array>[] = [];
    for (const [day, cell] of this.#days) {
      const week = Math.floor((last - day) / DAYS);
      if (day > last || week >= WEEKS) continue;
      while (weeks.length <= week) weeks.push(new Map());
      weeks[week]?.set(day, cell);
    }
    const whole = weeks.filter((week) => week.size >= WHOLE_WEEK);
    this.#ofDay.fill(0);
    this.#ofPart.fill(0);
    // A weekend first, of which more is known than of a single day. Later effects explain only the rest.
    const weekend = this.#learnt(whole, 2, (day) => isWeekend(day));
    for (let day = 0; day < DAYS; day += 1) this.#ofDay[day] = weekend[isWeekend(day)] as number;
    const single = this.#learnt(whole, DAYS, (day) => day % DAYS);
    for (let day = 0; day < DAYS; day += 1) this.#ofDay[day] = (this.#ofDay[day] as number) + (single[day] as number);
    this.#ofPart.set(this.#learnt(whole, PARTS, (_, part) => part));
    this.#isKnown = this.#ofDay.some((effect) => effect !== 0) || this.#ofPart.some((effect) => effect !== 0);
  }

  snapshot(): Json {
    return [
      this.#day,
      this.#isKnown,
      this.#early.map((early) => ({ ...early })),
      [...this.#ofDay],
      [...this.#ofPart],
      [...this.#days].map(([day, cell]) => [day, ...cell]),
    ];
  }

  restore(json: Json): void {
    const [day, isKnown, early, ofDay, ofPart, days] = json as readonly [
      number,
      boolean,
      readonly Early[],
      readonly number[],
      readonly number[],
      readonly (readonly number[])[],
    ];
    for (const [of = 0, ...cell] of days) this.#days.set(of, Float64Array.from(cell));
    this.#isKnown = isKnown;
    this.#ofDay.set(ofDay);
    this.#ofPart.set(ofPart);
    this.#early = early.map((one) => ({ ...one }));
    this.#day = day;
    this.#today = this.#days.get(day) ?? this.#today;
  }

  #begin(day: number): void {
    this.#day = day;
    const known = this.#days.get(day);
    this.#today = known ?? new Float64Array(PARTS * COLUMNS);
    this.#days.set(day, this.#today);
    for (const old of this.#days.keys()) if (old <= day - KEPT_DAYS) this.#days.delete(old);
  }

  /** Effects of classes of parts of days, less what is explained by now. */
  #learnt(
    weeks: readonly ReadonlyMap<number, Float64Array>[],
    classes: number,
    classOf: (day: number, part: number) => number,
  ): Float64Array {
    const sums = Array.from({ length: classes }, (): Sum[] => []);
    for (const week of weeks) {
      const mean = meanOf(week.values());
      const own = Array.from({ length: classes }, (): Sum => ({ quantity: 0, excess: 0, variance: 0 }));
      for (const [day, cell] of week)
        for (let part = 0; part < PARTS; part += 1) {
          const [quantity = 0, excess = 0, variance = 0] = cell.subarray(part * COLUMNS);
          const sum = own[classOf(day, part)] as Sum;
          sum.quantity += quantity;
          sum.excess += excess - (mean + (this.#ofDay[day % DAYS] as number)) * quantity;
          sum.variance += variance;
        }
      for (const [place, sum] of own.entries()) sums[place]?.push(sum);
    }
    return effectsOf(sums);
  }
}

/** Days are counted from a Thursday. */
function isWeekend(day: number): 0 | 1 {
  return day % DAYS === 2 || day % DAYS === 3 ? 1 : 0;
}

function partOf(at: number, day: number): number {
  return Math.floor((at - day * DAY_MS) / PART_MS);
}

function meanOf(cells: Iterable<Float64Array>): number {
  let all = 0;
  let over = 0;
  for (const cell of cells)
    for (let part = 0; part < PARTS; part += 1) {
      all += cell[part * COLUMNS] as number;
      over += cell[part * COLUMNS + 1] as number;
    }
  return all > 0 ? over / all : 0;
}

/** Effect of each class, from its values in each week. */
function effectsOf(classes: readonly (readonly Sum[])[]): Float64Array {
  const effects = new Float64Array(classes.length);
  const errors = new Float64Array(classes.length);
  const traffic = new Float64Array(classes.length);
  let surplus = 0;
  let known = 0;
  for (const [place, weeks] of classes.entries()) {
    const present = weeks.filter(({ quantity, variance }) => quantity > 0 && variance > 0);
    const quantity = present.reduce((sum, week) => sum + week.quantity, 0);
    if (!(quantity > 0)) continue;
    traffic[place] = quantity;
    if (present.length < 2) continue;
    const effect = medianOf(present.map((week) => week.excess / week.quantity));
    // A median counts weeks, however few conversations they have: one of few conversations makes it uncertain.
    const ofWeeks = present.reduce((sum, week) => sum + week.variance / week.quantity ** 2, 0);
    const error = (MEDIAN_COSTS * ofWeeks) / present.length ** 2;
    effects[place] = effect;
    errors[place] = error;
    known += 1;
    surplus += (effect * effect) / error - 1;
  }
  if (known < 2 || surplus < EVIDENT_ERRORS * Math.sqrt(2 * known)) return effects.fill(0);
  let mean = 0;
  for (let place = 0; place < effects.length; place += 1) {
    const effect = effects[place] as number;
    // James and Stein, for each by itself: a single bad day of the week is as usual as seven different ones.
    effects[place] = effect === 0 ? 0 : effect * Math.max(0, 1 - (errors[place] as number) / (effect * effect));
    mean += (effects[place] as number) * (traffic[place] as number);
  }
  mean /= traffic.reduce((sum, quantity) => sum + quantity, 0);
  return effects.map((effect) => effect - mean);
}

/** With a 0 among them where their number is even. */
function medianOf(values: number[]): number {
  const sorted = values.length % 2 === 0 ? [...values, 0] : values;
  sorted.sort((one, other) => one - other);
  return sorted[(sorted.length - 1) / 2] ?? 0;
}
