/**
 * A candidate version against a baseline version, by success, segment by segment (the stratified two-sample e-process
 * of Turner and Grünwald, with fixed alternatives).
 *
 * Arrivals in a segment are put into blocks; a block ends by the clock or by size once both versions are in it, never
 * by outcomes. Before a block a is the success rate of the baseline version in this segment, from the past; a bet says
 * that the candidate's odds of failing are ρ times as high, which gives b. With q = (nA a + nB b) / (nA + nB):
 *
 *     log E[ρ] += log likelihood of the block under a and b − its log likelihood under q for both
 *
 * Given the counts of a block and any common rate, its expectation is at most 1. So the mean over ρ ever exceeds 1/α
 * with chance at most α, under any peeking and any routing. Segments may differ in any way. Where a user has several
 * conversations they count less (cluster-memory.ts): powers of likelihoods, which keep the bound for sums that are
 * normal, and approximately else. "Better" is the same with
 * 1/ρ. "Equivalent" is where the 95 % confidence sequence of the difference, weighed by segment, lies within the
 * margin; that sequence is asymptotic, not exact.
 */
import type { Json } from '../../model/json.ts';
import type { VersionSettings } from './settings.ts';

const VERSION_VERDICTS = ['worse', 'better', 'equivalent', 'inconclusive'] as const;
type VersionVerdict = (typeof VERSION_VERDICTS)[number];

export interface VersionReading {
  readonly verdict: VersionVerdict;
  readonly logEvidence: { readonly worse: number; readonly better: number };
  /** Candidate − baseline, over segments by their traffic; undefined before both versions met. */
  readonly difference: number | undefined;
  readonly conversations: number;
}

const ODDS = [1.25, 1.5, 2, 3, 5];
const BLOCK_MAX = 64;
/** Per segment: past of the baseline (n, successes), block under way (nA, yA, nB, yB, from), totals in closed blocks (nA, yA, nB, yB). */
const COLUMNS = 11;
/** Where the confidence sequence is narrowest, in conversations. */
const TUNED_FOR = 10_000;

/** An outcome, and how much it counts: less where the same user, or those just before, had others. */
export interface Voted {
  readonly success: boolean;
  /** From 0 to 1. */
  readonly vote: number;
  readonly at: number;
}

export class VersionRace {
  readonly #settings: VersionSettings;
  readonly #segments: (Float64Array | undefined)[] = [];
  readonly #worse = new Float64Array(ODDS.length);
  readonly #better = new Float64Array(ODDS.length);
  /** 0 undecided, 1 worse, 2 better: once found, at whatever time, it stays found. */
  #found = 0;

  constructor(settings: VersionSettings, past: readonly (readonly [count: number, successes: number] | undefined)[]) {
    this.#settings = settings;
    for (const [segment, known] of past.entries()) if (known !== undefined) this.#segment(segment).set(known);
  }

  /** Chance of a wrong "worse", and as much of a wrong "better". */
  get alpha(): number {
    return this.#settings.alpha;
  }

  observe(segment: number, of: 'baseline' | 'candidate', { success, vote, at }: Voted): void {
    const cell = this.#segment(segment);
    const column = of === 'baseline' ? 2 : 4;
    if (cell[2] === 0 && cell[4] === 0) cell[6] = at;
    cell[column] = (cell[column] as number) + vote;
    if (success) cell[column + 1] = (cell[column + 1] as number) + vote;
    const [, , countA = 0, , countB = 0, , from = 0] = cell;
    if (countA > 0 && countB > 0 && (at - from >= this.#settings.blockMs || countA + countB >= BLOCK_MAX))
      this.#close(cell);
  }

  reading(): VersionReading {
    const worse = logMean(this.#worse);
    const better = logMean(this.#better);
    const { difference, radius, conversations } = this.#difference();
    const { margin } = this.#settings;
    const isEquivalent = difference !== undefined && Math.abs(difference) + radius <= margin;
    const verdict: VersionVerdict =
      this.#found === 1 ? 'worse' : this.#found === 2 ? 'better' : isEquivalent ? 'equivalent' : 'inconclusive';
    return { verdict, logEvidence: { worse, better }, difference, conversations };
  }

  snapshot(): Json {
    return {
      segments: this.#segments.map((cell) => (cell === undefined ? null : [...cell])),
      worse: [...this.#worse],
      better: [...this.#better],
      found: this.#found,
    };
  }

  restore(json: Json): void {
    // The cast holds for what `snapshot` gave; Detection looks at its version.
    const kept = json as unknown as {
      readonly segments: readonly (readonly number[] | null)[];
      readonly worse: readonly number[];
      readonly better: readonly number[];
      readonly found: number;
    };
    for (const [segment, cell] of kept.segments.entries()) if (cell !== null) this.#segment(segment).set(cell);
    this.#worse.set(kept.worse);
    this.#better.set(kept.better);
    this.#found = kept.found;
  }

  #segment(segment: number): Float64Array {
    const known = this.#segments[segment];
    if (known !== undefined) return known;
    while (this.#segments.length < segment) this.#segments.push(undefined);
    const cell = new Float64Array(COLUMNS);
    this.#segments[segment] = cell;
    return cell;
  }

  #close(cell: Float64Array): void {
    const [past, pastSuccesses, countA, yesA, countB, yesB] = cell as unknown as readonly number[] & SixNumbers;
    const a = (pastSuccesses + 1.8) / (past + 2);
    const block = { a, countA, yesA, countB, yesB };
    for (const [index, odds] of ODDS.entries()) {
      this.#worse[index] = bounded((this.#worse[index] as number) + logRatio(block, odds));
      this.#better[index] = bounded((this.#better[index] as number) + logRatio(block, 1 / odds));
    }
    const limit = Math.log(1 / this.#settings.alpha);
    if (this.#found === 0 && logMean(this.#worse) >= limit) this.#found = 1;
    else if (this.#found === 0 && logMean(this.#better) >= limit) this.#found = 2;
    cell[0] = past + countA;
    cell[1] = pastSuccesses + yesA;
    for (let column = 0; column < 4; column += 1)
      cell[7 + column] = (cell[7 + column] as number) + (cell[2 + column] as number);
    cell.fill(0, 2, 7);
  }

  /** Robbins' normal mixture, with the variance estimated (Waudby-Smith and others). */
  #difference(): { readonly difference: number | undefined; readonly radius: number; readonly conversations: number } {
    let all = 0;
    for (const cell of this.#segments) all += (cell?.[7] ?? 0) + (cell?.[9] ?? 0);
    if (all === 0) return { difference: undefined, radius: 0, conversations: 0 };
    let difference = 0;
    let variance = 0;
    for (const cell of this.#segments) {
      const [countA = 0, yesA = 0, countB = 0, yesB = 0] = cell?.subarray(7) ?? [];
      if (countA === 0 || countB === 0) continue;
      const share = (countA + countB) / all;
      const rateA = (yesA + 0.5) / (countA + 1);
      const rateB = (yesB + 0.5) / (countB + 1);
      difference += share * (yesB / countB - yesA / countA);
      variance += share * share * ((rateA * (1 - rateA)) / countA + (rateB * (1 - rateB)) / countB);
    }
    const spread = variance * all;
    const rho = 8 / TUNED_FOR;
    const grown = all * rho + 1;
    const radius = Math.sqrt(
      ((spread * 2 * grown) / (all * all * rho)) * Math.log(Math.sqrt(grown) / (2 * this.#settings.alpha)),
    );
    return { difference, radius, conversations: all };
  }
}

type SixNumbers = readonly [number, number, number, number, number, number];

function logRatio(
  block: {
    readonly a: number;
    readonly countA: number;
    readonly yesA: number;
    readonly countB: number;
    readonly yesB: number;
  },
  odds: number,
): number {
  const { a, countA, yesA, countB, yesB } = block;
  const b = 1 / (1 + (odds * (1 - a)) / a);
  const q = (countA * a + countB * b) / (countA + countB);
  return (
    yesA * Math.log(a / q) +
    (countA - yesA) * Math.log((1 - a) / (1 - q)) +
    yesB * Math.log(b / q) +
    (countB - yesB) * Math.log((1 - b) / (1 - q))
  );
}

/** Never so far down that it would not come back within a lifetime, never without a bound. */
function bounded(log: number): number {
  return Math.min(300, Math.max(-1e6, log));
}

function logMean(logs: Float64Array): number {
  let largest = Number.NEGATIVE_INFINITY;
  for (const log of logs) largest = Math.max(largest, log);
  let sum = 0;
  for (const log of logs) sum += Math.exp(log - largest);
  return largest + Math.log(sum / logs.length);
}
