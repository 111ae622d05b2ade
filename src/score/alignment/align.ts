/**
 * The cheapest alignment there is, by the plainest method that is sure to find it:
 *
 * 1. Both are sequences: dynamic programming.
 * 2. One of them is without order, so that nothing can be out of order: an assignment.
 * 3. Else the assignment is a bound from below, and dynamic programming over the two as they are numbered one from above. Where
 *    they meet, or the assignment happens to be possible, that is it.
 * 4. Else a search between the bounds, of at most so many states. Beyond, the best that is known is given, and says that it
 *    may not be the best there is.
 *
 * Steps that no call can be for, and calls that no step can be for, are set aside before. Without an order, independent parts (the calls of one tool, and those of another) are solved separately.
 */
import { alignChains } from './align-chains.ts';
import { type Alignment, type AlignmentProblem, isConsistent } from './alignment-problem.ts';
import { assign } from './assign.ts';
import { type Candidates, candidatesIn, gainOf, type Part, partsOf } from './candidates.ts';
import { joinOrders } from './join-orders.ts';
import { restricted } from './partial-order.ts';

const STATES_MAX = 20_000;

export function align(problem: AlignmentProblem, states: number = STATES_MAX): Alignment {
  const candidates = candidatesIn(problem);
  const { callOf, isOptimal } = alignCandidates(problem, candidates, states);
  return { callOf, cost: candidates.unpaired - gainOf(candidates, callOf), isOptimal };
}

type Found = Pick<Alignment, 'callOf' | 'isOptimal'>;

function alignCandidates(problem: AlignmentProblem, candidates: Candidates, states: number): Found {
  const { expected, actual } = problem;
  if (expected.isChain && actual.isChain) return { callOf: alignChains(candidates, actual.size), isOptimal: true };
  if (expected.isFree || actual.isFree) return { callOf: alignFree(candidates, actual.size), isOptimal: true };
  const part = hopefulIn(candidates, actual.size);
  const callOf: number[] = Array(expected.size).fill(-1);
  const reduced = reducedTo(part, problem, candidates);
  const { callOf: found, isOptimal } = alignMixed(reduced.problem, reduced.candidates, states);
  take(callOf, part, found);
  return { callOf, isOptimal };
}

/** Each step has the call that it gains most by, where they all can; the parts in which they can't take an assignment. */
function alignFree(candidates: Candidates, callCount: number): readonly number[] {
  const { starts, calls, gains } = candidates;
  const callOf: number[] = [];
  const taken: boolean[] = Array(callCount).fill(false);
  const short = new Set<number>();
  for (let step = 0; step + 1 < starts.length; step += 1) {
    const [from, to] = [starts[step] as number, starts[step + 1] as number];
    let most = -1;
    for (let pair = from; pair < to; pair += 1) most = Math.max(most, gains[pair] as number);
    let at = from;
    while (at < to && (gains[at] !== most || taken[calls[at] as number] === true)) at += 1;
    const call = at < to ? (calls[at] as number) : -1;
    if (call >= 0) taken[call] = true;
    else if (from < to) short.add(step);
    callOf.push(call);
  }
  if (short.size === 0) return callOf;
  for (const part of partsOf(candidates, callCount)) {
    if (part.steps.some((step) => short.has(step))) take(callOf, part, assign(candidates, part).callOf);
  }
  return callOf;
}

function alignMixed(problem: AlignmentProblem, candidates: Candidates, states: number): Found {
  const { expected, actual } = problem;
  const bound = assign(candidates, { steps: numbers(expected.size), calls: numbers(actual.size) });
  if (isConsistent(problem, bound.callOf)) return { callOf: bound.callOf, isOptimal: true };
  const known = alignChains(candidates, actual.size);
  const above = bound.gain - gainOf(candidates, known);
  if (above === 0) return { callOf: known, isOptimal: true };
  const found = joinOrders(problem, bound, { states, below: above });
  if (found === 'gave up') return { callOf: known, isOptimal: false };
  return { callOf: found === 'nothing below' ? known : found, isOptimal: true };
}

function take(callOf: number[], { steps, calls }: Part, found: readonly number[]): void {
  found.forEach((call, row) => {
    const step = steps[row];
    if (step !== undefined) callOf[step] = calls[call] ?? -1;
  });
}

/** Steps and calls with any candidate. */
function hopefulIn({ starts, calls }: Candidates, callCount: number): Part {
  const hopeful: boolean[] = Array(callCount).fill(false);
  for (const call of calls) hopeful[call] = true;
  return {
    steps: numbers(starts.length - 1).filter((step) => starts[step] !== starts[step + 1]),
    calls: numbers(callCount).filter((call) => hopeful[call] === true),
  };
}

function reducedTo({ steps, calls }: Part, problem: AlignmentProblem, candidates: Candidates) {
  const places = new Map(calls.map((call, place) => [call, place]));
  // The steps that are set aside have no pairs, so that all pairs stay where they are.
  const starts = [...steps.map((step) => candidates.starts[step] ?? 0), candidates.calls.length];
  const renumbered = candidates.calls.map((call) => places.get(call) ?? -1);
  const missingCost = (step: number) => problem.missingCost(steps[step] ?? -1);
  const extraCost = (call: number) => problem.extraCost(calls[call] ?? -1);
  const costs: number[] = Array(steps.length * calls.length).fill(Number.POSITIVE_INFINITY);
  for (let step = 0; step < steps.length; step += 1) {
    for (let pair = starts[step] as number; pair < (starts[step + 1] as number); pair += 1) {
      const call = renumbered[pair] as number;
      costs[step * calls.length + call] = missingCost(step) + extraCost(call) - (candidates.gains[pair] as number);
    }
  }
  const reduced: AlignmentProblem = {
    expected: restricted(problem.expected, steps),
    actual: restricted(problem.actual, calls),
    pairCost: (step, call) => costs[step * calls.length + call] as number,
    missingCost,
    extraCost,
  };
  return { problem: reduced, candidates: { ...candidates, starts, calls: renumbered } };
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}
