/**
 * The pairs of a problem that are worth a look: those that cost no more than leaving both out. Most calls are of another tool than
 * most steps, so that they are few.
 */
import type { AlignmentProblem } from './alignment-problem.ts';

export interface Candidates {
  /** The pairs of a step are those from `starts[step]` up to `starts[step + 1]`. */
  readonly starts: readonly number[];
  /** Call of each pair; the calls of a step are ascending. */
  readonly calls: readonly number[];
  /** Saving of each pair, compared with leaving both out: 0 or more. */
  readonly gains: readonly number[];
  /** Cost of leaving everything out. */
  readonly unpaired: number;
}

export function candidatesIn(problem: AlignmentProblem): Candidates {
  const [starts, calls, gains]: [number[], number[], number[]] = [[0], [], []];
  const extra: number[] = [];
  let unpaired = 0;
  for (let call = 0; call < problem.actual.size; call += 1) {
    const cost = problem.extraCost(call);
    extra.push(cost);
    unpaired += cost;
  }
  const all = problem.candidatesOf === undefined ? [...extra.keys()] : [];
  for (let step = 0; step < problem.expected.size; step += 1) {
    const missing = problem.missingCost(step);
    unpaired += missing;
    for (const call of problem.candidatesOf?.(step) ?? all) {
      const gain = missing + (extra[call] as number) - problem.pairCost(step, call);
      if (gain < 0) continue;
      calls.push(call);
      gains.push(gain);
    }
    starts.push(calls.length);
  }
  return { starts, calls, gains, unpaired };
}

/** Saving of an alignment, all of whose pairs are candidates. */
export function gainOf({ starts, calls, gains }: Candidates, callOf: readonly number[]): number {
  let gain = 0;
  for (const [step, call] of callOf.entries()) {
    if (call >= 0) gain += gains[calls.indexOf(call, starts[step])] as number;
  }
  return gain;
}

export interface Part {
  readonly steps: readonly number[];
  readonly calls: readonly number[];
}

/** Steps and calls that can have to do with each other, directly or by others: where there is no order, each part is for itself. */
export function partsOf({ starts, calls }: Candidates, callCount: number): readonly Part[] {
  const steps = starts.length - 1;
  // The first step that a call was seen with; a part goes by one of its steps.
  const stepOf: number[] = Array(callCount).fill(-1);
  const merged: number[] = [];
  const root = (step: number): number => {
    let at = step;
    while (merged[at] !== at) at = merged[at] as number;
    return at;
  };
  for (let step = 0; step < steps; step += 1) {
    merged.push(step);
    for (let pair = starts[step] as number; pair < (starts[step + 1] as number); pair += 1) {
      const call = calls[pair] as number;
      const known = stepOf[call] as number;
      if (known < 0) stepOf[call] = step;
      else merged[root(known)] = step;
    }
  }
  const partOf: ({ readonly steps: number[]; readonly calls: number[] } | undefined)[] = Array(steps).fill(undefined);
  for (let step = 0; step < steps; step += 1) {
    if (starts[step] === starts[step + 1]) continue;
    const at = root(step);
    const part = partOf[at];
    if (part === undefined) partOf[at] = { steps: [step], calls: [] };
    else part.steps.push(step);
  }
  for (const [call, step] of stepOf.entries()) if (step >= 0) partOf[root(step)]?.calls.push(call);
  return partOf.filter((part) => part !== undefined);
}
