/**
 * Which call can be which step, what each pair is worth, and the alignment that makes the most of it. The layers of cost are
 * those that `compare-run.ts` promises; below them, calls of the right tool are rather paired than left, with the arguments that
 * are closest, and rather with the attempt that succeeded.
 */
import type { ToolCall } from '../../model/turn.ts';
import { align } from './alignment/align.ts';
import type { Alignment } from './alignment/alignment-problem.ts';
import { freeOrder, restricted } from './alignment/partial-order.ts';
import type { CompareOptions } from './compare-run.ts';
import { type ExpectedStep, forbidsExtras, type GoldenTrace, ordered } from './golden-trace.ts';
import { type Layers, layers } from './layered-cost.ts';
import { type ArgumentsComparison, type ArgumentsMatcher, compareArguments } from './match-arguments.ts';
import { isExpected, observationOf } from './observation.ts';
import type { Run } from './run.ts';

export const WRITE_HALVES = 6;
export const READ_HALVES = 2;
/** As close as can be. */
const CLOSENESS = 6;

/** A pair in one small number, 0 where it has not been looked at yet: there are as many pairs as steps times calls. */
const SEEN = 1;
const POINTS = 8;

const REMEMBERED_LENGTH_MAX = 10_000;
const RIGHT: ArgumentsComparison = { points: 2, closeness: 1 };
const NO_CALLS: readonly number[] = [];
const NOTHING_SETTLED: ReadonlyMap<number, number> = new Map();

/** Not a bonus. Of a subset no step is one: each may be left out, and each that is made counts. */
export function counts({ required }: ExpectedStep, { mode }: GoldenTrace): boolean {
  return required || mode === 'subset';
}

export class StepPairs {
  readonly stepHalves: readonly number[];
  readonly extraHalves: readonly number[];
  readonly #trace: GoldenTrace;
  readonly #run: Run;
  readonly #options: CompareOptions;
  readonly #known: Uint8Array;
  readonly #callsOf = new Map<string, number[]>();

  constructor(trace: GoldenTrace, run: Run, options: CompareOptions) {
    this.#trace = trace;
    this.#run = run;
    this.#options = options;
    this.#known = new Uint8Array(trace.steps.length * run.calls.length);
    this.stepHalves = trace.steps.map(
      ({ halves, writes, tool }) => halves ?? ((writes ?? options.isWrite(tool)) ? WRITE_HALVES : READ_HALVES),
    );
    this.extraHalves = run.calls.map(({ name }) => (options.isWrite(name) ? WRITE_HALVES : READ_HALVES));
    run.calls.forEach(({ name }, index) => {
      const calls = this.#callsOf.get(name);
      if (calls === undefined) this.#callsOf.set(name, [index]);
      else calls.push(index);
    });
  }

  /** Of a step and a call of its tool: the step score, doubled. */
  pointsOf(step: number, call: number): 0 | 1 | 2 {
    const points = Math.floor((this.#seen(step, call) - SEEN) / POINTS);
    return points === 2 ? 2 : points === 1 ? 1 : 0;
  }

  /** Of the same: 0 to CLOSENESS. */
  #closenessOf(step: number, call: number): number {
    return (this.#seen(step, call) - SEEN) % POINTS;
  }

  #seen(step: number, call: number): number {
    const key = step * this.#run.calls.length + call;
    const known = this.#known[key] ?? 0;
    if (known !== 0) return known;
    const pair = this.#compare(this.#trace.steps[step], this.#run.calls[call]);
    this.#known[key] = pair;
    return pair;
  }

  #compare(step: ExpectedStep | undefined, call: ToolCall | undefined): number {
    if (step === undefined || call === undefined) return SEEN;
    const { points, closeness } = step.args === undefined ? RIGHT : this.#compareArguments(step.args, call);
    // A call that failed and was made again is not the one that was meant.
    const fit = isExpected(observationOf(call), step.observation ?? 'success') ? 1 : 0;
    const safePoints = this.#options.unsafe.has(call) ? 0 : points;
    return SEEN + safePoints * POINTS + Math.round(closeness * (CLOSENESS - 1)) + fit;
  }

  #compareArguments(matcher: ArgumentsMatcher, { args }: ToolCall): ArgumentsComparison {
    const { lastRight } = matcher;
    // Text of an object: other texts may stand for values of several types.
    const isText = lastRight !== undefined && args.state === 'whole' && args.text.startsWith('{');
    if (isText && lastRight.text === args.text) return RIGHT;
    const comparison = compareArguments(matcher, args.json, this.#options.scope);
    if (isText && comparison.points === 2 && args.text.length <= REMEMBERED_LENGTH_MAX) lastRight.text = args.text;
    return comparison;
  }

  #isFor(step: number, call: number): boolean {
    return this.#trace.steps[step]?.isTool(this.#run.calls[call]?.name ?? '') === true;
  }

  #isPerfect(step: number, call: number): boolean {
    return this.#isFor(step, call) && this.#seen(step, call) === SEEN + 2 * POINTS + CLOSENESS;
  }

  /** The calls of a step's tool. */
  #candidatesOf(step: number): readonly number[] {
    const expected = this.#trace.steps[step];
    if (expected === undefined) return NO_CALLS;
    if (!isGlob(expected.tool)) return this.#callsOf.get(expected.tool) ?? NO_CALLS;
    const found: number[] = [];
    for (const [name, calls] of this.#callsOf) if (expected.isTool(name)) found.push(...calls);
    return found.sort((a, b) => a - b);
  }

  /** Most runs are as they should be: each step finds its call as one walks along, and there is nothing to weigh. */
  straight(): Pick<Alignment, 'callOf' | 'isOptimal'> | undefined {
    const { steps, mode } = this.#trace;
    const { calls } = this.#run;
    const isWhole = forbidsExtras(mode);
    if (isWhole ? calls.length !== steps.length : calls.length < steps.length) return undefined;
    if (!ordered(mode)) return undefined;
    const callOf: number[] = [];
    let next = 0;
    for (let step = 0; step < steps.length; step += 1) {
      while (next < calls.length && !this.#isPerfect(step, next)) {
        if (isWhole) return undefined;
        next += 1;
      }
      if (next === calls.length) return undefined;
      callOf.push(next);
      next += 1;
    }
    return { callOf, isOptimal: true };
  }

  /**
   * Where order does not matter, the steps and calls of one tool have nothing to do with those of another. Of a tool each of whose
   * steps finds a call that fits perfectly, nothing is left to weigh: the call of each such step.
   */
  #settledByTool(): ReadonlyMap<number, number> {
    const settled = new Map<number, number>();
    const stepsOf = new Map<string, number[]>();
    for (const [step, { tool }] of this.#trace.steps.entries()) {
      // By a glob tools have to do with each other.
      if (isGlob(tool)) return settled;
      const steps = stepsOf.get(tool);
      if (steps === undefined) stepsOf.set(tool, [step]);
      else steps.push(step);
    }
    for (const [tool, steps] of stepsOf) {
      const calls = [...(this.#callsOf.get(tool) ?? NO_CALLS)];
      const found = steps.map((step) => {
        const at = calls.findIndex((call) => this.#isPerfect(step, call));
        return at < 0 ? -1 : (calls.splice(at, 1)[0] ?? -1);
      });
      if (found.includes(-1)) continue;
      for (const [index, step] of steps.entries()) settled.set(step, found[index] ?? -1);
    }
    return settled;
  }

  best(): Pick<Alignment, 'callOf' | 'isOptimal'> {
    const { steps, order: expected } = this.#trace;
    const { calls, order: actual } = this.#run;
    const { pack, missing } = this.#costs();
    const isForbidden = forbidsExtras(this.#trace.mode);
    const extra = this.extraHalves.map((halves) => (isForbidden ? pack(0, halves, 0, 0, 0) : 0));
    const middle =
      expected.isChain && actual.isChain
        ? this.#betweenPerfectEnds(missing)
        : { from: 0, stepsTo: steps.length, callsTo: calls.length };
    const settled = ordered(this.#trace.mode) ? NOTHING_SETTLED : this.#settledByTool();
    const { from, stepsTo, callsTo } = middle;
    const within = align({
      expected: restricted(expected, range(from, stepsTo)),
      actual: restricted(actual, range(from, callsTo)),
      missingCost: (step) => missing[step + from] ?? 0,
      extraCost: (call) => extra[call + from] ?? 0,
      pairCost: (step, call) => this.#pairCost(step + from, call + from, pack),
      candidatesOf: (step) => {
        const all = settled.has(step) ? NO_CALLS : this.#candidatesOf(step + from);
        if (from === 0 && callsTo === calls.length) return all;
        return all.filter((call) => call >= from && call < callsTo).map((call) => call - from);
      },
    });
    const callOf = steps.map((_, step) => {
      const known = settled.get(step);
      if (known !== undefined) return known;
      if (step < from) return step;
      if (step >= stepsTo) return step + calls.length - steps.length;
      const call = within.callOf[step - from] ?? -1;
      return call < 0 ? -1 : call + from;
    });
    return { callOf, isOptimal: within.isOptimal };
  }

  #costs(): { readonly pack: Layers['pack']; readonly missing: readonly number[] } {
    const trace = this.#trace;
    let required = 0;
    let optional = 0;
    trace.steps.forEach((step, index) => {
      if (counts(step, trace)) required += this.stepHalves[index] ?? 0;
      else optional += this.stepHalves[index] ?? 0;
    });
    const forbidden = forbidsExtras(trace.mode) ? sum(this.extraHalves) : 0;
    const nearest = (CLOSENESS + 1) * trace.steps.length;
    const { pack } = layers([2 * required, forbidden, required, 2 * optional, nearest]);
    const missing = trace.steps.map((step, index) => {
      const halves = this.stepHalves[index] ?? 0;
      if (!counts(step, trace)) return pack(0, 0, 0, 2 * halves, CLOSENESS + 1);
      return pack(2 * halves, 0, trace.mode === 'subset' ? 0 : halves, 0, CLOSENESS + 1);
    });
    return { pack, missing };
  }

  #pairCost(step: number, call: number, pack: Layers['pack']): number {
    const expected = this.#trace.steps[step];
    if (expected === undefined || !this.#isFor(step, call)) return Number.POSITIVE_INFINITY;
    const points = this.pointsOf(step, call);
    const halves = this.stepHalves[step] ?? 0;
    const lost = (2 - points) * halves;
    const rest = CLOSENESS - this.#closenessOf(step, call);
    if (!counts(expected, this.#trace)) return pack(0, 0, 0, lost, rest);
    // Of a subset, the weight of what was made is the whole that the score is a part of.
    return pack(lost, 0, this.#trace.mode === 'subset' || points === 0 ? halves : 0, 0, rest);
  }

  /**
   * Of two sequences whose first elements fit perfectly, those are a pair of some best alignment, provided that no other step of
   * the tool would lose more without the call. (Whatever alignment there is, giving the first call to the first step instead makes
   * it no worse.) The same from the end; what is left between is all there is to weigh.
   */
  #betweenPerfectEnds(missing: readonly number[]) {
    const { steps } = this.#trace;
    const { calls } = this.#run;
    const most = this.#mostMissingByTool(missing);
    const isSure = (step: number, call: number) =>
      missing[step] === most?.get(steps[step]?.tool ?? '') && this.#isPerfect(step, call);
    let from = 0;
    let [stepsTo, callsTo] = [steps.length, calls.length];
    while (from < stepsTo && from < callsTo && isSure(from, from)) from += 1;
    while (from < stepsTo && from < callsTo && isSure(stepsTo - 1, callsTo - 1)) {
      stepsTo -= 1;
      callsTo -= 1;
    }
    return { from, stepsTo, callsTo };
  }

  /** Undefined where a glob makes it hard to say. */
  #mostMissingByTool(missing: readonly number[]): ReadonlyMap<string, number> | undefined {
    const most = new Map<string, number>();
    for (const [index, { tool }] of this.#trace.steps.entries()) {
      if (isGlob(tool)) return undefined;
      most.set(tool, Math.max(most.get(tool) ?? 0, missing[index] ?? 0));
    }
    return most;
  }

  /** Of the steps that are missing, those that were made at another time, as well as they can be told. */
  misplaced(callOf: readonly number[], left: readonly number[]): ReadonlyMap<number, number> {
    const missing = callOf.flatMap((call, step) => (call < 0 ? [step] : []));
    if (missing.length === 0 || left.length === 0) return new Map();
    const places = new Map(left.map((call, place) => [call, place]));
    const { callOf: found } = align({
      candidatesOf: (step) => this.#candidatesOf(missing[step] ?? -1).flatMap((call) => places.get(call) ?? []),
      expected: freeOrder(missing.length),
      actual: freeOrder(left.length),
      missingCost: () => 2 * CLOSENESS,
      extraCost: () => 0,
      pairCost: (step, call) => {
        const [one, other] = [missing[step] ?? -1, left[call] ?? -1];
        if (!this.#isFor(one, other)) return Number.POSITIVE_INFINITY;
        const points = this.pointsOf(one, other);
        if (points === 0) return Number.POSITIVE_INFINITY;
        return (2 - points) * CLOSENESS + CLOSENESS - this.#closenessOf(one, other);
      },
    });
    return new Map(
      found.flatMap((call, index) => {
        const [step, at] = [missing[index], left[call]];
        return step === undefined || at === undefined ? [] : [[step, at] as const];
      }),
    );
  }
}

function isGlob(tool: string): boolean {
  return tool.includes('*') || tool.includes('?');
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
