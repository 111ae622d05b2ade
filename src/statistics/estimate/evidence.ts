/**
 * How strongly readings speak against a supposed total, in a form that stays valid however often anybody looks.
 *
 * A frame of conversations is divided into cells whose conversations are alike in all that is known of them. They are
 * drawn one after the other without replacement, each with a chance in proportion to its cell's `rate`, and read. A belief
 * says before each draw with which chance `p` it goes well. Suppose that `Σ aᵢ yᵢ` over the whole frame is `A`,
 * where `yᵢ` is 1 for what went well, and `aᵢ` are known weights of the cells. The factor of a draw `i` is
 *
 *     e = 1 − μ rᵢ aᵢ (yᵢ − qᵢ)        rᵢ = (1/M) / chance of being drawn, with M not yet drawn
 *
 *     where the tilted belief q solves  q − p = μ r a q (1 − q),  and μ is such that the mean of a q over the M is that of
 *     what is supposed to be left of A
 *
 * Its expectation is 1 if A is right, whatever each of the conversations is and whatever was believed, and no factor is
 * negative, so that by Ville's inequality the product ever reaches 20 in at most one of 20 samples. No such factor
 * grows faster if the beliefs are right: it is the ratio of the belief's likelihood to that of the law nearest to
 * the belief under which A is right. With one cell and a belief that goes with the share so far, the product is the
 * well-known one for a share, so that nothing is lost where there is nothing to know. Decision 59 has the proof.
 */

/** Alike in class, prediction and chance of being drawn. */
export interface Cell {
  /** Conversations that have not been drawn before the first draw. */
  readonly size: number;
  /** Relative chance of one of its conversations to be drawn next. */
  readonly rate: number;
}

export interface Draw {
  /** Place of the cell. */
  readonly cell: number;
  readonly isGood: boolean;
}

/** Total that is supposed, `Σ weight × good` over all conversations of the frame. */
export interface Supposed {
  readonly total: number;
  /** By cell. */
  readonly weights: readonly number[];
}

/** Beliefs before each draw, by cell: made of earlier draws and of what is known without reading. */
export type Beliefs = readonly (readonly number[])[];

/** Logarithm of the product after all draws; infinite if the draws have made the total impossible. */
export function logEvidence(
  cells: readonly Cell[],
  draws: readonly Draw[],
  beliefs: Beliefs,
  supposed: Supposed,
): number {
  const { logs, isPossible } = logFactors(cells, draws, beliefs, supposed);
  return isPossible ? logs.reduce((sum, log) => sum + log, 0) : Number.POSITIVE_INFINITY;
}

/** Logarithms of the factors of the draws, and whether the total is still possible after them. */
export function logFactors(
  cells: readonly Cell[],
  draws: readonly Draw[],
  beliefs: Beliefs,
  supposed: Supposed,
): { readonly logs: readonly number[]; readonly isPossible: boolean } {
  const frame = new Frame(cells, supposed);
  const logs = draws.map((draw, index) => {
    const log = frame.logFactor(draw, beliefs[index] ?? []);
    frame.take(draw);
    return log;
  });
  return { logs, isPossible: frame.isPossible() };
}

class Frame {
  readonly #cells: readonly Cell[];
  readonly #weights: readonly number[];
  readonly #left: number[];
  #total: number;
  #tilt = 0;

  constructor(cells: readonly Cell[], { total, weights }: Supposed) {
    this.#cells = cells;
    this.#weights = weights;
    this.#left = cells.map(({ size }) => size);
    this.#total = total;
  }

  take({ cell, isGood }: Draw): void {
    this.#left[cell] = (this.#left[cell] ?? 0) - 1;
    if (isGood) this.#total -= this.#weights[cell] ?? 0;
  }

  /** Whether what is left can still make up the total. */
  isPossible(): boolean {
    let [least, most] = [0, 0];
    this.#left.forEach((left, cell) => {
      const all = left * (this.#weights[cell] ?? 0);
      if (all > 0) most += all;
      else least += all;
    });
    const slack = SLACK * (1 + Math.abs(this.#total));
    return this.#total >= least - slack && this.#total <= most + slack;
  }

  logFactor({ cell, isGood }: Draw, beliefs: readonly number[]): number {
    const all = this.#left.reduce((sum, left, at) => sum + left * (this.#cells[at]?.rate ?? 1), 0);
    const tilt = this.#tiltFor(beliefs, all);
    if (tilt === undefined) return Number.POSITIVE_INFINITY;
    const by = (tilt * all * (this.#weights[cell] ?? 0)) / (this.#cells[cell]?.rate ?? 1);
    const p = beliefs[cell] ?? 0.5;
    // By the equation of q these are the factor itself, without its differences of large numbers.
    return isGood ? Math.log(p / tilted(p, by)) : Math.log((1 - p) / tilted(1 - p, -by));
  }

  /** μ/M by Newton's steps inside a bracket; undefined where the total is out of reach. */
  #tiltFor(beliefs: readonly number[], all: number): number | undefined {
    if (!this.isPossible()) return undefined;
    const unit = 1 / all;
    let tilt = this.#tilt;
    let [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let round = 0; round < ROUNDS_MAX && Math.abs(tilt) < TILT_MAX * unit; round += 1) {
      const { sum, slope } = this.#reached(beliefs, all, tilt);
      const off = sum - this.#total;
      if (Math.abs(off) <= PRECISION * (1 + Math.abs(this.#total))) break;
      if (off > 0) high = tilt;
      else low = tilt;
      const far = STEP_MAX * (unit + Math.abs(tilt));
      const step = Math.max(-far, Math.min(far, slope > 0 ? -off / slope : off > 0 ? -far : far));
      const next = tilt + step;
      tilt = next > low && next < high ? next : (low + high) / 2;
    }
    this.#tilt = tilt;
    return tilt;
  }

  #reached(beliefs: readonly number[], all: number, tilt: number): { readonly sum: number; readonly slope: number } {
    let [sum, slope] = [0, 0];
    this.#left.forEach((left, cell) => {
      const weight = this.#weights[cell] ?? 0;
      if (left === 0 || weight === 0) return;
      const turn = (all * weight) / (this.#cells[cell]?.rate ?? 1);
      const q = tilted(beliefs[cell] ?? 0.5, tilt * turn);
      sum += left * weight * q;
      slope += (left * weight * turn * q * (1 - q)) / (1 - tilt * turn * (1 - 2 * q));
    });
    return { sum, slope };
  }
}

const SLACK = 1e-9;
const PRECISION = 1e-12;
const ROUNDS_MAX = 200;
/** Steps grow no faster than this. */
const STEP_MAX = 4;
/** At such a tilt the total is at an end of what is possible. */
const TILT_MAX = 1e9;

/** Solves `q − p = m q (1 − q)`; of 1 − p and −m it is 1 − q. */
function tilted(p: number, m: number): number {
  const rest = 1 - m;
  const root = Math.sqrt(rest ** 2 + 4 * m * p);
  return rest > 0 ? (2 * p) / (rest + root) : (root - rest) / (2 * m);
}
