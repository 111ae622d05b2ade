/**
 * A run beside its golden trace: which call was which step, how right each step was, and the trajectory score.
 *
 *     step = 1     the tool and the arguments are right
 *            0.5   the tool is right and the arguments are in part
 *            0     the tool, all arguments or a critical one are wrong, the step is missing, or the tool policy forbids the call
 *
 *     trajectory_score = (R + B) / W, and 0 where the tool policy forbids any of the calls
 *       R   Σ step × weight over the required steps
 *       B   the bonus, min(O, H) / 2
 *       O   Σ step × weight over the optional steps
 *       H   what the required steps at 0.5 lack: Σ weight / 2
 *       W   Σ weight of the required steps, and of the calls that a mode without extras forbids
 *
 * The bonus makes up for half of what arguments that were partly right have cost, and for nothing else. So a run with a
 * wrong required step never has a score of 1; and whether a score is enough is decided without the bonus. In the mode
 * `subset` a missing step does not count against the run: W has the steps that were made.
 *
 * The best alignment counts: the most weight of required steps right, then the least weight of forbidden calls, then
 * the least of failed steps, then the most of optional steps. These four decide the score, so that it does not depend
 * on which of several equally good alignments is found; beyond them, the one that is easiest to read is preferred.
 */
import type { ToolCall } from '../../model/turn.ts';
import { type ExpectedStep, forbidsExtras, type GoldenTrace, ordered } from './golden-trace.ts';
import { isExpected, observationOf } from './observation.ts';
import type { CompareOptions } from './pair-grades.ts';
import type { Run } from './run.ts';
import { counts, READ_HALVES, StepPairs } from './step-pairs.ts';

export interface ComparedStep {
  readonly step: ExpectedStep;
  /** Undefined where it is missing. */
  readonly call: ToolCall | undefined;
  /** The call's among the calls, from 0; -1 where it is missing. */
  readonly place: number;
  /** The step score, doubled. */
  readonly points: 0 | 1 | 2;
  readonly halves: number;
  /** A call that would have been right, had it come in its place; only of steps that are missing. */
  readonly outOfOrder: ToolCall | undefined;
  readonly isObservationExpected: boolean;
}

export interface RunComparison {
  readonly trace: GoldenTrace;
  /** Steps in the order of the trace. */
  readonly steps: readonly ComparedStep[];
  /** Calls that are no step, in their order; those that came out of order are among them. */
  readonly extras: readonly ToolCall[];
  readonly calls: readonly ToolCall[];
  readonly beyond: number;
  /** Exactly: `(right + bonus) / whole`, and 1 where the whole is 0. */
  readonly score: { readonly right: number; readonly bonus: number; readonly whole: number };
  /** Why a call is not to be made, by call; such a call scores 0. */
  readonly unsafe: ReadonlyMap<ToolCall, string>;
  readonly isOptimal: boolean;
}

export function compareRun(trace: GoldenTrace, run: Run, options: CompareOptions): RunComparison {
  const pairs = new StepPairs(trace, run, options);
  const { callOf, isOptimal } = pairs.best();
  const left = leftBy(callOf, run.calls.length);
  const outOfOrder = left.length > 0 && ordered(trace.mode) ? misplacedBy(pairs, callOf, left) : undefined;
  const steps = trace.steps.map((step, index): ComparedStep => {
    const at = callOf[index] ?? -1;
    const call = run.calls[at];
    const halves = pairs.stepHalves[index] ?? READ_HALVES;
    if (call === undefined) return new MissingStep(step, halves, () => run.calls[outOfOrder?.(index) ?? -1]);
    const isObservationExpected = step.observation === undefined || isExpected(observationOf(call), step.observation);
    return {
      step,
      call,
      place: at,
      points: pairs.pointsOf(index, at),
      halves,
      outOfOrder: undefined,
      isObservationExpected,
    };
  });
  let extraHalves = 0;
  if (forbidsExtras(trace.mode)) {
    extraHalves = READ_HALVES * run.beyond;
    for (const call of left) extraHalves += pairs.extraHalvesOf(call);
  }
  return {
    trace,
    steps,
    extras: left.flatMap((index) => run.calls[index] ?? []),
    calls: run.calls,
    beyond: run.beyond,
    score: scoreOf(trace, steps, { extraHalves, isSafe: options.unsafe.size === 0 }),
    unsafe: options.unsafe,
    isOptimal,
  };
}

class MissingStep implements ComparedStep {
  readonly step: ExpectedStep;
  readonly call = undefined;
  readonly place = -1;
  readonly points = 0;
  readonly halves: number;
  readonly isObservationExpected = true;
  readonly #find: () => ToolCall | undefined;

  constructor(step: ExpectedStep, halves: number, find: () => ToolCall | undefined) {
    this.step = step;
    this.halves = halves;
    this.#find = find;
  }

  get outOfOrder() {
    return this.#find();
  }
}

/** Call that could have been a missing step in its place; computed tool by tool, on demand. */
function misplacedBy(pairs: StepPairs, callOf: readonly number[], left: readonly number[]) {
  const known = new Map<number, number>();
  const missing: number[] = [];
  for (const [step, call] of callOf.entries()) if (call < 0) missing.push(step);
  return (step: number): number | undefined => {
    if (!known.has(step)) for (const [other, call] of pairs.misplaced(step, missing, left)) known.set(other, call);
    return known.get(step);
  };
}

/** The calls that are no step, ascending. */
function leftBy(callOf: readonly number[], callCount: number): readonly number[] {
  const taken: boolean[] = Array(callCount).fill(false);
  for (const call of callOf) if (call >= 0) taken[call] = true;
  const left: number[] = [];
  for (let call = 0; call < callCount; call += 1) if (taken[call] !== true) left.push(call);
  return left;
}

/** Score, with weights in quarters. */
function scoreOf(
  trace: GoldenTrace,
  steps: readonly ComparedStep[],
  { extraHalves, isSafe }: { readonly extraHalves: number; readonly isSafe: boolean },
): RunComparison['score'] {
  if (!isSafe) return { right: 0, bonus: 0, whole: 1 };
  let [right, half, optional, whole] = [0, 0, 0, 4 * extraHalves];
  for (const { step, call, points, halves } of steps) {
    if (!counts(step, trace)) {
      optional += points * halves;
      continue;
    }
    if (trace.mode === 'subset' && call === undefined) continue;
    whole += 4 * halves;
    right += 2 * points * halves;
    if (points === 1) half += halves;
  }
  return { right, bonus: Math.min(optional, half), whole };
}

/** The score in millionths, rounded down: a threshold is met only where the score itself meets it. */
export function scoreMillionths({ score: { right, bonus, whole } }: Pick<RunComparison, 'score'>): number {
  return millionthsOf(right + bonus, whole);
}

/** Score of the required steps, without the bonus: an optional step lifts no run over a threshold. */
export function requiredMillionths({ score: { right, whole } }: Pick<RunComparison, 'score'>): number {
  return millionthsOf(right, whole);
}

function millionthsOf(part: number, whole: number): number {
  return whole === 0 ? 1_000_000 : Math.floor((part * 1_000_000) / whole);
}
