/**
 * Predicts the next conversation from the last ones, whoever had them: a provider may stumble for ten minutes, or one
 * user have several whom no span names. The excess is predicted from the 16 before it,
 *
 *     predicted = Σ φ[k] × excess[k conversations ago]
 *
 * with φ from the products of excesses that lie k apart (Levinson and Durbin). As many of them are used as pay by
 * Schwarz's criterion, which is none where outcomes are unrelated. The rest of the correlation is allowed for
 * (design-effect.ts).
 */
import type { Json } from '../../model/json.ts';

const ORDER_MAX = 16;
/** Products of excesses 0 to 16 apart, and how many conversations they are from. */
export const NEIGHBOUR_COLUMNS = ORDER_MAX + 2;
const COUNT_MIN = 500;
const SUM_MAX = 0.9;

/** Prediction of the next conversation. */
interface Followed {
  readonly predicted: number;
  /** How much of a change of the level shows in what was not predicted. */
  readonly shown: number;
  /** Variance of what was not predicted, over that of the excess. */
  readonly left: number;
}

const NOTHING: Followed = { predicted: 0, shown: 1, left: 1 };

export class Neighbours {
  /** The newest first. */
  readonly #last = new Float64Array(ORDER_MAX);
  #phi: readonly number[] = [];
  #shown = 1;
  #left = 1;
  readonly #hour = new Float64Array(NEIGHBOUR_COLUMNS);

  get left(): number {
    return this.#left;
  }

  /** Long-run variance of sums of excesses, over that of what is not predicted. */
  get sums(): number {
    return 1 / (this.#shown * this.#shown);
  }

  next(): Followed {
    const phi = this.#phi;
    if (phi.length === 0) return NOTHING;
    let predicted = 0;
    for (let k = 0; k < phi.length; k += 1) predicted += (phi[k] as number) * (this.#last[k] as number);
    return { predicted, shown: this.#shown, left: this.#left };
  }

  add(excess: number): void {
    const hour = this.#hour;
    const last = this.#last;
    hour[0] = (hour[0] as number) + excess * excess;
    for (let k = 0; k < ORDER_MAX; k += 1) hour[k + 1] = (hour[k + 1] as number) + excess * (last[k] as number);
    hour[ORDER_MAX + 1] = (hour[ORDER_MAX + 1] as number) + 1;
    last.copyWithin(1, 0, ORDER_MAX - 1);
    last[0] = excess;
  }

  /** From sums of what hours gave. */
  learn(sums: Readonly<Float64Array>): void {
    const { phi, left } = coefficientsOf(sums);
    const sum = phi.reduce((all, one) => all + one, 0);
    // A level that only falls by a tenth of what it did would be no news at all.
    const scale = sum > SUM_MAX ? SUM_MAX / sum : 1;
    this.#phi = phi.map((one) => one * scale);
    // Where neighbours take turns, a change shows more; it is not counted on.
    this.#shown = Math.min(1, 1 - sum * scale);
    this.#left = left;
  }

  takeHour(): readonly number[] {
    const hour = [...this.#hour];
    this.#hour.fill(0);
    return hour;
  }

  forget(): void {
    this.#last.fill(0);
  }

  snapshot(): Json {
    return [[...this.#last], [...this.#hour], [...this.#phi], this.#shown, this.#left];
  }

  restore(json: Json): void {
    const [last, hour, phi, shown, left] = json as readonly [
      readonly number[],
      readonly number[],
      readonly number[],
      number,
      number,
    ];
    this.#last.set(last);
    this.#hour.set(hour);
    this.#phi = phi;
    this.#shown = shown;
    this.#left = left;
  }
}

function coefficientsOf(sums: Readonly<Float64Array>): { readonly phi: readonly number[]; readonly left: number } {
  const count = sums[ORDER_MAX + 1] as number;
  const square = sums[0] as number;
  let best: { phi: readonly number[]; left: number } = { phi: [], left: 1 };
  if (count < COUNT_MIN || !(square > 0)) return best;
  const correlation = (k: number) => (sums[k] as number) / square;
  let phi: number[] = [];
  let left = 1;
  let least = 0;
  for (let order = 1; order <= ORDER_MAX; order += 1) {
    let own = correlation(order);
    for (let k = 1; k < order; k += 1) own -= (phi[k - 1] as number) * correlation(order - k);
    own /= left;
    if (!(Math.abs(own) < 1)) break;
    const before = phi;
    phi = before.map((one, k) => one - own * (before[order - 2 - k] as number));
    phi.push(own);
    left *= 1 - own * own;
    const criterion = count * Math.log(left) + order * Math.log(count);
    if (criterion >= least) continue;
    least = criterion;
    best = { phi, left };
  }
  return best;
}
