/**
 * Which call can be which step, what each pair is worth, and the alignment that makes the most of it. The layers of cost are
 * those that `compare-run.ts` promises; below them, calls of the right tool are rather paired than left, with the arguments that
 * are closest, and rather with the attempt that succeeded.
 */
import { align } from '../alignment/align.ts';
import type { Alignment } from '../alignment/alignment-problem.ts';
import { freeOrder, restricted } from '../alignment/partial-order.ts';
import {
  CLOSENESS,
  type CompareOptions,
  GRADES,
  pairClosenessIn,
  PairGrades,
  pairPointsIn,
  PERFECT,
} from './pair-grades.ts';
import { type ExpectedStep, forbidsExtras, type GoldenTrace, ordered } from './golden-trace.ts';
import { type Layers, layers } from './layered-cost.ts';
import type { Run } from './run.ts';

const WRITE_HALVES = 6;
export const READ_HALVES = 2;
/** More than any step weighs. */
const HALVES_MAX = 100;

const NO_CALLS: readonly number[] = [];
const NOTHING: ReadonlyMap<number, number> = new Map();

/** Not a bonus. A subset has none: each step may be left out, and each that is made counts. */
export function counts({ required }: ExpectedStep, { mode }: GoldenTrace): boolean {
  return required || mode === 'subset';
}

type Found = Pick<Alignment, 'callOf' | 'isOptimal'>;

const NOTHING_OPEN: Found = { callOf: NO_CALLS, isOptimal: true };

/** The part left to align of two sequences whose ends match: steps and calls from the first number up to the others. */
interface Middle {
  readonly from: number;
  readonly stepsTo: number;
  readonly callsTo: number;
}

export class StepPairs {
  readonly stepHalves: readonly number[];
  readonly #trace: GoldenTrace;
  readonly #run: Run;
  readonly #isWrite: CompareOptions['isWrite'];
  readonly #grades: PairGrades;
  /** Before and after it each step has a call that fits perfectly. */
  #middle: Middle;

  constructor(trace: GoldenTrace, run: Run, options: CompareOptions) {
    this.#trace = trace;
    this.#run = run;
    this.#isWrite = options.isWrite;
    this.#grades = new PairGrades(trace, run, options);
    this.#middle = { from: 0, stepsTo: trace.steps.length, callsTo: run.calls.length };
    this.stepHalves = trace.steps.map(
      ({ halves, writes, tool }) => halves ?? ((writes ?? options.isWrite(tool)) ? WRITE_HALVES : READ_HALVES),
    );
  }

  extraHalvesOf(call: number): number {
    return this.#isWrite(this.#run.calls[call]?.name ?? '') ? WRITE_HALVES : READ_HALVES;
  }

  /** Step score, doubled, of a step and the call that the best alignment gives it. */
  pointsOf(step: number, call: number): 0 | 1 | 2 {
    if (step < this.#middle.from || step >= this.#middle.stepsTo) return 2;
    return pairPointsIn(this.#grades.gradeOf(step, call));
  }

  /** Step score of any two. */
  #isPerfect(step: number, call: number): boolean {
    const expected = this.#trace.steps[step];
    const name = this.#run.calls[call]?.name;
    if (expected === undefined || name === undefined) return false;
    const isFor = expected.isGlob ? expected.isTool(name) : expected.tool === name;
    return isFor && this.#grades.gradeOf(step, call) === PERFECT;
  }

  best(): Found {
    const walked = ordered(this.#trace.mode) ? this.#walk() : NO_CALLS;
    const { length } = this.#trace.steps;
    if (walked.length < length) return this.#align(walked);
    this.#middle = { from: length, stepsTo: length, callsTo: this.#run.calls.length };
    return { callOf: walked, isOptimal: true };
  }

  /**
   * Most runs are as they should be: each step finds its call as one walks along, and there is nothing to weigh. As far as the steps
   * did; none where the numbers alone say that they won't.
   */
  #walk(): readonly number[] {
    const { steps, mode } = this.#trace;
    const { calls } = this.#run;
    const isWhole = forbidsExtras(mode);
    if (isWhole ? calls.length !== steps.length : calls.length < steps.length) return NO_CALLS;
    const callOf: number[] = [];
    let next = 0;
    for (let step = 0; step < steps.length; step += 1) {
      while (next < calls.length && !this.#isPerfect(step, next)) {
        if (isWhole) return callOf;
        next += 1;
      }
      if (next === calls.length) return callOf;
      callOf.push(next);
      next += 1;
    }
    return callOf;
  }

  #align(walked: readonly number[]): Found {
    const { steps, order: expected, mode } = this.#trace;
    const { calls, order: actual } = this.#run;
    const isSequence = expected.isChain && actual.isChain;
    if (isSequence) this.#middle = this.#betweenPerfectEnds(walked);
    const { from, stepsTo, callsTo } = this.#middle;
    const [open, made] = [range(from, stepsTo), range(from, callsTo)];
    const candidates = this.#candidatesOf(open, made);
    const settled = ordered(mode) ? NOTHING : this.#settledByTool(candidates);
    const within = settled.size === steps.length ? NOTHING_OPEN : this.#alignMiddle(candidates, settled);
    const callOf: number[] = [];
    for (let step = 0; step < from; step += 1) callOf.push(step);
    for (let step = from; step < stepsTo; step += 1) {
      const call = settled.get(step) ?? within.callOf[step - from] ?? -1;
      callOf.push(call < 0 ? -1 : call + from);
    }
    for (let call = callsTo; call < calls.length; call += 1) callOf.push(call);
    return { callOf, isOptimal: within.isOptimal };
  }

  /** Steps and calls are numbered from the first of the middle. */
  #alignMiddle(candidates: readonly (readonly number[])[], settled: ReadonlyMap<number, number>): Found {
    const { from, stepsTo, callsTo } = this.#middle;
    const { steps, mode, order: expected } = this.#trace;
    const isForbidden = forbidsExtras(mode);
    const { pack } = this.#layers();
    const pairCost = this.#pairCosts(pack);
    return align({
      expected: restricted(expected, range(from, stepsTo)),
      actual: restricted(this.#run.order, range(from, callsTo)),
      missingCost: (at) => {
        const step = steps[at + from];
        const halves = this.stepHalves[at + from] ?? 0;
        if (step === undefined || !counts(step, this.#trace)) return pack(0, 0, 0, 2 * halves, CLOSENESS + 1);
        return pack(2 * halves, 0, mode === 'subset' ? 0 : halves, 0, CLOSENESS + 1);
      },
      extraCost: (at) => (isForbidden ? pack(0, this.extraHalvesOf(at + from), 0, 0, 0) : 0),
      pairCost: (step, call) => pairCost(step + from, this.#grades.gradeOf(step + from, call + from)),
      candidatesOf: (step) => (settled.has(step) ? NO_CALLS : (candidates[step] ?? NO_CALLS)),
    });
  }

  #layers(): Layers {
    const { from, stepsTo, callsTo } = this.#middle;
    let [required, optional, forbidden] = [0, 0, 0];
    for (let at = from; at < stepsTo; at += 1) {
      const step = this.#trace.steps[at];
      const halves = this.stepHalves[at] ?? 0;
      if (step !== undefined && counts(step, this.#trace)) required += halves;
      else optional += halves;
    }
    if (forbidsExtras(this.#trace.mode)) {
      for (let call = from; call < callsTo; call += 1) forbidden += this.extraHalvesOf(call);
    }
    const nearest = (CLOSENESS + 1) * (stepsTo - from);
    return layers([2 * required, forbidden, required, 2 * optional, nearest]);
  }

  /** Cost of a pair, by its step and its grade; few steps differ in this, so that most of it is computed once. */
  #pairCosts(pack: Layers['pack']): (step: number, grade: number) => number {
    const { steps, mode } = this.#trace;
    const known: number[] = [];
    return (step, grade) => {
      const expected = steps[step];
      if (expected === undefined) return Number.POSITIVE_INFINITY;
      const isCounted = counts(expected, this.#trace);
      const halves = this.stepHalves[step] ?? 0;
      const key = (2 * halves + (isCounted ? 1 : 0)) * GRADES + grade;
      let cost = known[key];
      if (cost === undefined) {
        const points = pairPointsIn(grade);
        const lost = (2 - points) * halves;
        const rest = CLOSENESS - pairClosenessIn(grade);
        // In a subset, the score is a share of the weight of the steps that were made.
        const failed = mode === 'subset' || points === 0 ? halves : 0;
        cost = isCounted ? pack(lost, 0, failed, 0, rest) : pack(0, 0, 0, lost, rest);
        known[key] = cost;
      }
      return cost;
    };
  }

  /** Calls of each step's tool, by their places in the list, ascending. Steps of one name share one. */
  #candidatesOf(steps: readonly number[], calls: readonly number[]): readonly (readonly number[])[] {
    const named = new Map<string, number[]>();
    for (const [place, call] of calls.entries()) {
      const name = this.#run.calls[call]?.name ?? '';
      const places = named.get(name);
      if (places === undefined) named.set(name, [place]);
      else places.push(place);
    }
    return steps.map((index) => {
      const step = this.#trace.steps[index];
      if (step === undefined) return NO_CALLS;
      if (!step.isGlob) return named.get(step.tool) ?? NO_CALLS;
      const found: number[] = [];
      for (const [name, places] of named) if (step.isTool(name)) found.push(...places);
      return found.sort((a, b) => a - b);
    });
  }

  /**
   * If order does not matter, the steps and calls of a tool are independent of those of another. Calls of a tool each
   * of whose steps finds a perfect call, so that nothing is left to weigh.
   */
  #settledByTool(candidates: readonly (readonly number[])[]): ReadonlyMap<number, number> {
    // A glob makes tools depend on each other.
    if (this.#trace.steps.some(({ isGlob }) => isGlob)) return NOTHING;
    const settled = new Map<number, number>();
    const taken: boolean[] = [];
    const unsettled = new Set<readonly number[]>();
    for (const [step, calls] of candidates.entries()) {
      if (unsettled.has(calls)) continue;
      const call = calls.find((place) => taken[place] !== true && this.#grades.gradeOf(step, place) === PERFECT);
      if (call === undefined) unsettled.add(calls);
      else {
        taken[call] = true;
        settled.set(step, call);
      }
    }
    if (unsettled.size === 0) return settled;
    for (const [step, calls] of candidates.entries()) if (unsettled.has(calls)) settled.delete(step);
    return settled;
  }

  /**
   * If the first elements of two sequences fit perfectly, they are a pair of some best alignment, provided that no
   * other step of the tool would lose more without the call. (Whatever alignment there is, giving the first call to the
   * first step instead makes it no worse.) The same from the end; what is left between is all there is to weigh.
   */
  #betweenPerfectEnds(walked: readonly number[]): Middle {
    const { steps } = this.#trace;
    const { calls } = this.#run;
    const mayBeSure = this.#losesMost();
    let from = 0;
    let [stepsTo, callsTo] = [steps.length, calls.length];
    const isNext = () => from < stepsTo && from < callsTo;
    while (isNext() && mayBeSure(from) && (walked[from] === from || this.#isPerfect(from, from))) from += 1;
    while (isNext() && mayBeSure(stepsTo - 1) && this.#isPerfect(stepsTo - 1, callsTo - 1)) {
      stepsTo -= 1;
      callsTo -= 1;
    }
    return { from, stepsTo, callsTo };
  }

  /** Whether no step of the same tool would lose more; where a glob makes it hard to say, of no step. */
  #losesMost(): (step: number) => boolean {
    const { steps } = this.#trace;
    // Loss of a step: its weight, and more than any weight if it counts in a higher layer.
    const lossOf = (at: number, step: ExpectedStep) =>
      (this.stepHalves[at] ?? 0) + (counts(step, this.#trace) ? HALVES_MAX : 0);
    let [least, greatest] = [Number.POSITIVE_INFINITY, 0];
    for (let at = 0; at < steps.length; at += 1) {
      const step = steps[at] as ExpectedStep;
      if (step.isGlob) return () => false;
      const loss = lossOf(at, step);
      if (loss < least) least = loss;
      if (loss > greatest) greatest = loss;
    }
    if (least === greatest) return () => true;
    const most = new Map<string, number>();
    for (const [at, step] of steps.entries()) most.set(step.tool, Math.max(most.get(step.tool) ?? 0, lossOf(at, step)));
    return (at) => {
      const step = steps[at];
      return step !== undefined && lossOf(at, step) === most.get(step.tool);
    };
  }

  /**
   * The calls that would have been a missing step and the others of its tool, had they come in their place, as well as they can be
   * told: by step, and -1 for none. Nothing of the score depends on it, so that only what somebody asks for is worked out.
   */
  misplaced(step: number, missing: readonly number[], left: readonly number[]): ReadonlyMap<number, number> {
    const { steps } = this.#trace;
    const { calls } = this.#run;
    const tool = steps[step]?.tool;
    // A glob makes tools depend on each other.
    const isApart = !missing.some((other) => steps[other]?.isGlob === true);
    const open = isApart ? missing.filter((other) => steps[other]?.tool === tool) : missing;
    const made = isApart ? left.filter((call) => calls[call]?.name === tool) : left;
    const candidates = this.#candidatesOf(open, made);
    const { callOf } = align({
      candidatesOf: (row) => candidates[row] ?? NO_CALLS,
      expected: freeOrder(open.length),
      actual: freeOrder(made.length),
      missingCost: () => 2 * CLOSENESS,
      extraCost: () => 0,
      pairCost: (row, place) => {
        const grade = this.#grades.gradeOf(open[row] ?? -1, made[place] ?? -1);
        const points = pairPointsIn(grade);
        return points === 0 ? Number.POSITIVE_INFINITY : (2 - points) * CLOSENESS + CLOSENESS - pairClosenessIn(grade);
      },
    });
    return new Map(open.map((other, row) => [other, made[callOf[row] ?? -1] ?? -1]));
  }
}

function range(from: number, to: number): readonly number[] {
  const numbers: number[] = [];
  for (let number = from; number < to; number += 1) numbers.push(number);
  return numbers;
}
