/**
 * Costs and steps have no upper end, and a bet needs one: what is more than 20 times the geometric mean of what came
 * before counts as that much. The geometric mean, because one enormous value must not lift it.
 */
import type { Json } from '../../model/json.ts';

const TIMES = 20;
const FIRST = 30;
const MEMORY = 20_000;
const LARGEST = 1e9;

export class Cap {
  #count = 0;
  #logs = 0;
  capped = 0;

  /** The value, no larger than the cap of its time. Undefined where it is no amount. */
  take(value: number): number | undefined {
    if (!(value >= 0) || value === Number.POSITIVE_INFINITY) return undefined;
    const most = this.#count < FIRST ? LARGEST : TIMES * Math.exp(this.#logs / this.#count);
    if (value > 0) {
      this.#count += 1;
      this.#logs += Math.log(Math.min(LARGEST, Math.max(value, 1e-12)));
      if (this.#count >= MEMORY) {
        this.#count /= 2;
        this.#logs /= 2;
      }
    }
    if (value <= most) return value;
    this.capped += 1;
    return most;
  }

  snapshot(): Json {
    return [this.#count, this.#logs, this.capped];
  }

  restore(json: Json): void {
    const [count = 0, logs = 0, capped = 0] = json as readonly number[];
    this.#count = count;
    this.#logs = logs;
    this.capped = capped;
  }
}
