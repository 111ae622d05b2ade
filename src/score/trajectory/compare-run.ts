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
import { type ExpectedStep, forbidsExtras, type GoldenTrace, ordered } from './golden-trace.ts';
import type { ArgumentScope } from './match-arguments.ts';
import { isExpected, observationOf } from './observation.ts';
import type { Run } from './run.ts';
import { counts, READ_HALVES, StepPairs } from './step-pairs.ts';
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

export function compareRun(trace: GoldenTrace, run: Run, options: CompareOptions): RunComparison {
  const pairs = new StepPairs(trace, run, options);
  const { callOf, isOptimal } = pairs.straight() ?? pairs.best();
  const taken = new Uint8Array(run.calls.length);
  for (const call of callOf) if (call >= 0) taken[call] = 1;
  const left: number[] = [];
  for (const [index, isTaken] of taken.entries()) if (isTaken === 0) left.push(index);
  const misplaced = ordered(trace.mode) ? pairs.misplaced(callOf, left) : new Map<number, number>();
  const steps = trace.steps.map((step, index): ComparedStep => {
    const call = run.calls[callOf[index] ?? -1];
    return {
      step,
      call,
      points: call === undefined ? 0 : pairs.pointsOf(index, callOf[index] ?? -1),
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

/** The score in millionths, rounded down: a threshold is met only where the score itself meets it. */
export function scoreMillionths({ score: { right, whole } }: Pick<RunComparison, 'score'>): number {
  return whole === 0 ? 1_000_000 : Math.floor((right * 1_000_000) / whole);
}
