/**
 * How high evidence climbs when nothing is wrong. If outcomes were as unrelated as the bets take them to be, the highest
 * evidence among N conversations would be about N: its logarithm is log N, give or take one or two. Users whom no span
 * names, or a level that wanders for days, make bets win together, and the logarithm is so many times larger. An alarm
 * then takes as many times more (in logarithms), whatever the reason.
 *
 *     inflation = highest log evidence / (log N + γ)          over the last `DAYS_MAX` usual days, at least 1
 *
 * γ is the mean of the extreme value that the highest evidence has. A day waits until it is known to be usual. An alarm
 * that passed by itself counts as well: whether it was chance, one user or an outage, the level does that.
 */
import type { Json } from '../../model/json.ts';
import { DAY_MS } from './settings.ts';

const DAYS_MAX = 30;
const WAITING_MAX = 30;
const CONVERSATIONS_MIN = 200;
const EULER = 0.5772;
const INFLATION_MAX = 2.5;
/** An alarm that passes makes the next one take a third more evidence, for a month. */
const PASSED = 1.15;

type Day = [end: number, conversations: number, peak: number];

export class UsualPeaks {
  #waiting: Day[] = [];
  #usual: Day[] = [];
  #inflation = 1;

  /** Evidence after another conversation. */
  add(at: number, value: number): void {
    const end = Math.floor(at / DAY_MS) * DAY_MS + DAY_MS;
    let day = this.#waiting.at(-1);
    if (day?.[0] !== end) {
      day = [end, 0, 0];
      this.#waiting.push(day);
      if (this.#waiting.length > WAITING_MAX) this.#waiting.shift();
    }
    day[1] += 1;
    if (value > day[2]) day[2] = value;
  }

  /** Days that ended by `time` were usual. */
  include(time: number): void {
    let isAny = false;
    for (let day = this.#waiting[0]; day !== undefined && day[0] <= time; day = this.#waiting[0]) {
      this.#waiting.shift();
      this.#usual.push(day);
      isAny = true;
    }
    if (isAny) this.#measure();
  }

  /** A regression that was found with this evidence is over: the level does that by itself. */
  passed(at: number, evidence: number): void {
    this.#usual.push([at, 1, evidence ** PASSED]);
    this.#measure();
  }

  #measure(): void {
    this.#usual = this.#usual.slice(-DAYS_MAX);
    let all = 0;
    let peak = 1;
    for (const [, conversations, value] of this.#usual) {
      all += conversations;
      peak = Math.max(peak, value);
    }
    const inflation = all < CONVERSATIONS_MIN ? 1 : Math.log(peak) / (Math.log(all) + EULER);
    this.#inflation = Math.min(INFLATION_MAX, Math.max(1, inflation));
  }

  /** A regression began at `onset`: the days since then were not usual. */
  cut(onset: number): void {
    this.include(onset);
    this.#waiting = [];
  }

  /** Logarithm of evidence over what chance alone would give. */
  get inflation(): number {
    return this.#inflation;
  }

  snapshot(): Json {
    return [this.#inflation, this.#waiting.map((day) => [...day]), this.#usual.map((day) => [...day])];
  }

  restore(json: Json): void {
    const [inflation, waiting, usual] = json as unknown as readonly [number, readonly Day[], readonly Day[]];
    this.#inflation = inflation;
    this.#waiting = waiting.map((day) => [...day]);
    this.#usual = usual.map((day) => [...day]);
  }
}
