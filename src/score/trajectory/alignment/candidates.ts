/**
 * The pairs of a problem that are worth a look: those that cost no more than leaving both out. Most calls are of another tool than
 * most steps, so that they are few.
 */
import type { AlignmentProblem } from './alignment-problem.ts';

export interface Candidates {
  /** For each step its calls, ascending. */
  readonly calls: readonly (readonly number[])[];
  /** What each of those pairs costs, in the same places. */
  readonly costs: readonly (readonly number[])[];
}

export function candidatesIn(problem: AlignmentProblem): Candidates {
  const calls: (readonly number[])[] = [];
  const costs: (readonly number[])[] = [];
  const all = problem.candidatesOf === undefined ? [...Array(problem.actual.size).keys()] : [];
  for (let step = 0; step < problem.expected.size; step += 1) {
    const missing = problem.missingCost(step);
    const kept: number[] = [];
    const keptCosts: number[] = [];
    for (const call of problem.candidatesOf?.(step) ?? all) {
      const cost = problem.pairCost(step, call);
      if (cost > missing + problem.extraCost(call)) continue;
      kept.push(call);
      keptCosts.push(cost);
    }
    calls.push(kept);
    costs.push(keptCosts);
  }
  return { calls, costs };
}

export interface Part {
  readonly steps: readonly number[];
  readonly calls: readonly number[];
}

/** Steps and calls that can have to do with each other, directly or by others: where there is no order, each part is for itself. */
export function partsOf({ calls }: Candidates, callCount: number): readonly Part[] {
  const partOfCall = new Int32Array(callCount).fill(-1);
  const merged: number[] = [];
  const root = (part: number): number => {
    let at = part;
    while (merged[at] !== at) at = merged[at] ?? at;
    return at;
  };
  const partOfStep = calls.map((candidates) => {
    if (candidates.length === 0) return -1;
    const part = merged.length;
    merged.push(part);
    for (const call of candidates) {
      const known = partOfCall[call] ?? -1;
      if (known < 0) partOfCall[call] = part;
      else merged[root(known)] = root(part);
    }
    return part;
  });
  const parts = new Map<number, { readonly steps: number[]; readonly calls: number[] }>();
  const partAt = (part: number) => {
    const key = root(part);
    let found = parts.get(key);
    if (found === undefined) {
      found = { steps: [], calls: [] };
      parts.set(key, found);
    }
    return found;
  };
  partOfStep.forEach((part, step) => {
    if (part >= 0) partAt(part).steps.push(step);
  });
  partOfCall.forEach((part, call) => {
    if (part >= 0) partAt(part).calls.push(call);
  });
  return [...parts.values()];
}
