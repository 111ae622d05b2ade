/**
 * How much more sums of consecutive outcomes vary than sums of unrelated ones: the design effect. It is 1 where outcomes
 * are unrelated, and larger where what one conversation met the next one meets as well, whatever they share.
 *
 * The excesses of blocks of 4, 16, 64 and 256 consecutive conversations are squared and compared with the variance that
 * they would have. A length counts if what it shows is more than two of its errors. The largest one counts. If one shows
 * more than three, each counts with an error more: few long blocks say little, and short ones show a part of it.
 *
 * Blocks are counted by the hour in which they end, because an hour must first be known to be usual (drift-variance.ts).
 */
import type { Json } from '../../model/json.ts';

const LENGTHS = [4, 16, 64, 256];
const OPEN = 3;
/** Per length: Σ excess², Σ variance, Σ variance², Σ excess, blocks. */
const SUMS = 5;
export const EFFECT_COLUMNS = LENGTHS.length * SUMS;
const EVIDENT_ERRORS = 2;
/** From here on the upper bound of each length counts. */
const SURE_ERRORS = 3;
const EFFECT_MAX = 50;

export class DesignEffect {
  readonly #open = new Float64Array(LENGTHS.length * OPEN);
  readonly #hour = new Float64Array(EFFECT_COLUMNS);

  add(excess: number, variance: number): void {
    for (let length = 0; length < LENGTHS.length; length += 1) {
      const at = length * OPEN;
      const open = this.#open;
      const sum = (open[at] as number) + excess;
      const varied = (open[at + 1] as number) + variance;
      const count = (open[at + 2] as number) + 1;
      if (count < (LENGTHS[length] as number)) {
        open[at] = sum;
        open[at + 1] = varied;
        open[at + 2] = count;
        continue;
      }
      const to = length * SUMS;
      const hour = this.#hour;
      hour[to] = (hour[to] as number) + sum * sum;
      hour[to + 1] = (hour[to + 1] as number) + varied;
      hour[to + 2] = (hour[to + 2] as number) + varied * varied;
      hour[to + 3] = (hour[to + 3] as number) + sum;
      hour[to + 4] = (hour[to + 4] as number) + 1;
      open.fill(0, at, at + OPEN);
    }
  }

  /** The blocks that ended since this was last asked. */
  takeHour(): readonly number[] {
    const hour = [...this.#hour];
    this.#hour.fill(0);
    return hour;
  }

  snapshot(): Json {
    return [[...this.#open], [...this.#hour]];
  }

  restore(json: Json): void {
    const [open = [], hour = []] = json as readonly (readonly number[])[];
    this.#open.set(open);
    this.#hour.set(hour);
  }
}

/** From sums of the columns that hours gave. */
export function designEffectOf(sums: Readonly<Float64Array>): number {
  const shown: number[] = [];
  let isSure = false;
  let most = 1;
  for (let length = 0; length < LENGTHS.length; length += 1) {
    const [squares = 0, variance = 0, noise = 0, excess = 0, blocks = 0] = sums.subarray(
      length * SUMS,
      length * SUMS + SUMS,
    );
    if (!(variance > 0) || !(blocks > 0)) continue;
    // Less what the baseline is wrong by, which all blocks share.
    const effect = (squares - (excess * excess) / blocks) / variance;
    // The square of a normal sum varies by twice the squared variance.
    const error = Math.sqrt(2 * noise) / variance;
    if (effect > 1 + EVIDENT_ERRORS * error) most = Math.max(most, effect);
    isSure ||= effect > 1 + SURE_ERRORS * error;
    shown.push(effect + error);
  }
  return Math.min(EFFECT_MAX, isSure ? Math.max(most, ...shown) : most);
}
