/**
 * A run beside its golden trace: which call was which step, how right each step was, and the trajectory score.
 *
 *     step = 1     the tool and the arguments are right
 *            0.5   the tool is right and the arguments are in part
 *            0     the tool, all arguments or a critical one are wrong, the step is missing, or the tool policy forbids the call
 *
 *     trajectory_score = (R + min(O, H)) / W
 *       R   Σ step × weight over the required steps
 *       O   Σ step × weight over the optional steps
 *       H   what the required steps at 0.5 lack: Σ weight / 2
 *       W   Σ weight of the required steps, and of the calls that a mode without extras forbids
 *
 * So optional steps make up for arguments that were partly right and for nothing else: what a failed step or a forbidden call
 * costs, stays. In the mode `subset` a step that was not made is not held against the run: W has the steps that were made.
 *
 * Of all alignments the best one counts: the most weight of required steps right, then the least weight of forbidden calls, then
 * the least of failed steps, then the most of optional steps. These four decide the score, so that it does not depend on which of
 * several equally good alignments is found; beyond them, the one that is easiest to read is preferred.
 */
import type { ToolCall } from '../../model/turn.ts';
import { align } from './alignment/align.ts';
import type { Alignment } from './alignment/alignment-problem.ts';
import { freeOrder, type PartialOrder, partialOrder } from './alignment/partial-order.ts';
import { type ExpectedStep, forbidsExtras, type GoldenTrace, ordered } from './golden-trace.ts';
import { layers } from './layered-cost.ts';
import { type ArgumentScope, compareArguments } from './match-arguments.ts';
import { isExpected, observationOf } from './observation.ts';
import type { Run } from './run.ts';
import type { IsWrite } from './write-operations.ts';

export interface ComparedStep {
  readonly step: ExpectedStep;
  /** Undefined where it is missing. */
  readonly call: ToolCall | undefined;
  /** The step score, doubled. */
  readonly points: 0 | 1 | 2;
  readonly halves: number;
  /** A call that would have been right, had it come in its place; only of steps that are missing. */
  readonly outOfOrder: ToolCall | undefined;
  readonly isObservationExpected: boolean;
}

export interface RunComparison {
  readonly trace: GoldenTrace;
  /** In the order of the trace. */
  readonly steps: readonly ComparedStep[];
  /** Calls that are no step, in their order; those that came out of order are among them. */
  readonly extras: readonly ToolCall[];
  readonly calls: readonly ToolCall[];
  readonly beyond: number;
  /** Exactly: `right / whole`, and 1 where the whole is 0. */
  readonly score: { readonly right: number; readonly whole: number };
  /** Why a call is not to be made, by call; such a call scores 0. */
  readonly unsafe: ReadonlyMap<ToolCall, string>;
  readonly isOptimal: boolean;
}

export interface CompareOptions {
  readonly isWrite: IsWrite;
  readonly scope: ArgumentScope;
  readonly unsafe: ReadonlyMap<ToolCall, string>;
}

const WRITE_HALVES = 6;
const READ_HALVES = 2;
const CLOSENESS = 6;

export function compareRun(trace: GoldenTrace, run: Run, options: CompareOptions): RunComparison {
  const pairs = new Pairs(trace, run, options);
  const { callOf, isOptimal } = pairs.straight() ?? pairs.best();
  const taken = new Set(callOf);
  const left = run.calls.flatMap((_, index) => (taken.has(index) ? [] : [index]));
  const misplaced = ordered(trace.mode) ? pairs.misplaced(callOf, left) : new Map<number, number>();
  const steps = trace.steps.map((step, index): ComparedStep => {
    const call = run.calls[callOf[index] ?? -1];
    return {
      step,
      call,
      points: call === undefined ? 0 : pairs.of(index, callOf[index] ?? -1).points,
      halves: pairs.stepHalves[index] ?? READ_HALVES,
      outOfOrder: run.calls[misplaced.get(index) ?? -1],
      isObservationExpected: call === undefined || isExpected(observationOf(call), step.observation),
    };
  });
  const extraHalves = left.reduce((sum, call) => sum + (pairs.extraHalves[call] ?? 0), READ_HALVES * run.beyond);
  return {
    trace,
    steps,
    extras: left.flatMap((index) => run.calls[index] ?? []),
    calls: run.calls,
    beyond: run.beyond,
    score: scoreOf(trace, steps, forbidsExtras(trace.mode) ? extraHalves : 0),
    unsafe: options.unsafe,
    isOptimal,
  };
}

/** Not a bonus. Of a subset no step is one: each may be left out, and each that is made counts. */
function counts({ required }: ExpectedStep, { mode }: GoldenTrace): boolean {
  return required || mode === 'subset';
}

function scoreOf(trace: GoldenTrace, steps: readonly ComparedStep[], extraHalves: number) {
  let [right, half, bonus, whole] = [0, 0, 0, 2 * extraHalves];
  for (const { step, call, points, halves } of steps) {
    if (!counts(step, trace)) {
      bonus += points * halves;
      continue;
    }
    if (trace.mode === 'subset' && call === undefined) continue;
    whole += 2 * halves;
    right += points * halves;
    if (points === 1) half += halves;
  }
  return { right: right + Math.min(bonus, half), whole };
}

interface Pair {
  readonly points: 0 | 1 | 2;
  readonly isTool: boolean;
  readonly closeness: number;
}

const NO_PAIR: Pair = { points: 0, isTool: false, closeness: 0 };

class Pairs {
  readonly stepHalves: readonly number[];
  readonly extraHalves: readonly number[];
  readonly #trace: GoldenTrace;
  readonly #run: Run;
  readonly #options: CompareOptions;
  readonly #known: (Pair | undefined)[] = [];

  constructor(trace: GoldenTrace, run: Run, options: CompareOptions) {
    this.#trace = trace;
    this.#run = run;
    this.#options = options;
    this.stepHalves = trace.steps.map(
      ({ halves, writes, tool }) => halves ?? ((writes ?? options.isWrite(tool)) ? WRITE_HALVES : READ_HALVES),
    );
    this.extraHalves = run.calls.map(({ name }) => (options.isWrite(name) ? WRITE_HALVES : READ_HALVES));
  }

  of(step: number, call: number): Pair {
    const key = step * this.#run.calls.length + call;
    const known = this.#known[key];
    if (known !== undefined) return known;
    const pair = this.#compare(this.#trace.steps[step], this.#run.calls[call]);
    this.#known[key] = pair;
    return pair;
  }

  #compare(step: ExpectedStep | undefined, call: ToolCall | undefined): Pair {
    if (step === undefined || call === undefined || !step.isTool(call.name)) return NO_PAIR;
    const { points, closeness } =
      step.args === undefined
        ? { points: 2 as const, closeness: 1 }
        : compareArguments(step.args, call.args.json, this.#options.scope);
    // A call that failed and was made again is not the one that was meant.
    const fit = isExpected(observationOf(call), step.observation ?? 'success') ? 1 : 0;
    return {
      points: this.#options.unsafe.has(call) ? 0 : points,
      isTool: true,
      closeness: Math.round(closeness * (CLOSENESS - 1)) + fit,
    };
  }

  /** Most runs are as they should be: each step finds its call as one walks along, and there is nothing to weigh. */
  straight(): Pick<Alignment, 'callOf' | 'isOptimal'> | undefined {
    const { steps, mode } = this.#trace;
    const { calls } = this.#run;
    if (forbidsExtras(mode) && calls.length !== steps.length) return undefined;
    const callOf: number[] = [];
    let next = 0;
    for (let step = 0; step < steps.length; step += 1) {
      let pair = NO_PAIR;
      for (; next < calls.length; next += 1) {
        pair = this.of(step, next);
        if (pair.points === 2 && pair.closeness === CLOSENESS) break;
        if (forbidsExtras(mode)) return undefined;
      }
      if (next === calls.length) return undefined;
      callOf.push(next);
      next += 1;
    }
    return { callOf, isOptimal: true };
  }

  best(): Alignment {
    const { trace, run, order } = { trace: this.#trace, run: this.#run, order: this.#expectedOrder() };
    const required = sum(trace.steps.map((step, index) => (counts(step, trace) ? (this.stepHalves[index] ?? 0) : 0)));
    const optional = sum(this.stepHalves) - required;
    const forbidden = forbidsExtras(trace.mode) ? sum(this.extraHalves) : 0;
    const { pack } = layers([2 * required, forbidden, required, 2 * optional, (CLOSENESS + 1) * trace.steps.length]);
    const isSubset = trace.mode === 'subset';
    const missing = trace.steps.map((step, index) => {
      const halves = this.stepHalves[index] ?? 0;
      return counts(step, trace)
        ? pack([2 * halves, 0, isSubset ? 0 : halves, 0, CLOSENESS + 1])
        : pack([0, 0, 0, 2 * halves, CLOSENESS + 1]);
    });
    const extra = this.extraHalves.map((halves) => pack([0, forbidden === 0 ? 0 : halves, 0, 0, 0]));
    return align({
      expected: order,
      actual: run.order,
      missingCost: (step) => missing[step] ?? 0,
      extraCost: (call) => extra[call] ?? 0,
      pairCost: (step, call) => {
        const { points, isTool, closeness } = this.of(step, call);
        const expected = trace.steps[step];
        if (!isTool || expected === undefined) return Number.POSITIVE_INFINITY;
        const halves = this.stepHalves[step] ?? 0;
        const lost = (2 - points) * halves;
        const rest = CLOSENESS - closeness;
        if (!counts(expected, trace)) return pack([0, 0, 0, lost, rest]);
        // Of a subset, the weight of what was made is the whole that the score is a part of.
        return pack([lost, 0, isSubset || points === 0 ? halves : 0, 0, rest]);
      },
    });
  }

  /** Of the steps that are missing, those that were made at another time, as well as they can be told. */
  misplaced(callOf: readonly number[], left: readonly number[]): ReadonlyMap<number, number> {
    const missing = callOf.flatMap((call, step) => (call < 0 ? [step] : []));
    if (missing.length === 0 || left.length === 0) return new Map();
    const { callOf: found } = align({
      expected: freeOrder(missing.length),
      actual: freeOrder(left.length),
      missingCost: () => 2 * CLOSENESS,
      extraCost: () => 0,
      pairCost: (step, call) => {
        const { points, closeness } = this.of(missing[step] ?? -1, left[call] ?? -1);
        return points === 0 ? Number.POSITIVE_INFINITY : (2 - points) * CLOSENESS + CLOSENESS - closeness;
      },
    });
    return new Map(
      found.flatMap((call, index) => {
        const [step, at] = [missing[index], left[call]];
        return step === undefined || at === undefined ? [] : [[step, at] as const];
      }),
    );
  }

  #expectedOrder(): PartialOrder {
    const { steps, mode } = this.#trace;
    if (!ordered(mode)) return freeOrder(steps.length);
    return partialOrder(steps.length, (earlier, later) => steps[later]?.after.has(earlier) === true);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The score in millionths, rounded down: a threshold is met only where the score itself meets it. */
export function scoreMillionths({ score: { right, whole } }: Pick<RunComparison, 'score'>): number {
  return whole === 0 ? 1_000_000 : Math.floor((right * 1_000_000) / whole);
}
