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
 * Steps that no call can be for, and calls that no step can be for, are set aside before. Where there is no order, what can have
 * nothing to do with each other (the calls of one tool, and those of another) is solved by itself.
 */
import { alignChains } from './align-chains.ts';
import { type Alignment, type AlignmentProblem, costOf, isConsistent } from './alignment-problem.ts';
import { assign } from './assign.ts';
import { type Candidates, candidatesIn, type Part, partsOf } from './candidates.ts';
import { joinOrders } from './join-orders.ts';
import { restricted } from './partial-order.ts';

export const STATES_MAX = 20_000;

export function align(problem: AlignmentProblem, states: number = STATES_MAX): Alignment {
  const candidates = candidatesIn(problem);
  const { callOf, isOptimal } = alignCandidates(problem, candidates, states);
  return { callOf, cost: costOf(problem, callOf), isOptimal };
}

function alignCandidates(
  problem: AlignmentProblem,
  candidates: Candidates,
  states: number,
): Pick<Alignment, 'callOf' | 'isOptimal'> {
  const { expected, actual } = problem;
  if (expected.isChain && actual.isChain) return { callOf: alignChains(problem, candidates), isOptimal: true };
  const callOf = Array.from({ length: expected.size }, () => -1);
  if (expected.isFree || actual.isFree) {
    for (const part of partsOf(candidates, actual.size)) {
      const reduced = reducedTo(part, problem, candidates);
      take(callOf, part, cheapestEach(reduced.problem, reduced.candidates));
    }
    return { callOf, isOptimal: true };
  }
  const part = hopefulIn(candidates, actual.size);
  const reduced = reducedTo(part, problem, candidates);
  const { callOf: found, isOptimal } = alignMixed(reduced.problem, reduced.candidates, states);
  take(callOf, part, found);
  return { callOf, isOptimal };
}

function alignMixed(
  problem: AlignmentProblem,
  candidates: Candidates,
  states: number,
): Pick<Alignment, 'callOf' | 'isOptimal'> {
  const bound = assign(problem, candidates);
  if (isConsistent(problem, bound.callOf)) return { callOf: bound.callOf, isOptimal: true };
  const known = alignChains(problem, candidates);
  const knownCost = costOf(problem, known);
  if (knownCost === bound.cost) return { callOf: known, isOptimal: true };
  const found = joinOrders(problem, bound, { states, below: knownCost - bound.cost });
  if (found === 'gave up') return { callOf: known, isOptimal: false };
  return { callOf: found === 'nothing below' ? known : found, isOptimal: true };
}

/** Where each step can have the call that it gains most by, they all do; else it takes an assignment. */
function cheapestEach(problem: AlignmentProblem, candidates: Candidates): readonly number[] {
  const taken = new Set<number>();
  const callOf: number[] = [];
  for (const [step, calls] of candidates.calls.entries()) {
    const gains = calls.map((call, index) => (candidates.costs[step]?.[index] ?? 0) - problem.extraCost(call));
    const most = Math.min(...gains);
    const call = calls.find((candidate, index) => gains[index] === most && !taken.has(candidate));
    if (call === undefined) return assign(problem, candidates).callOf;
    taken.add(call);
    callOf.push(call);
  }
  return callOf;
}

function take(callOf: number[], { steps, calls }: Part, found: readonly number[]): void {
  found.forEach((call, step) => {
    const at = steps[step];
    if (call >= 0 && at !== undefined) callOf[at] = calls[call] ?? -1;
  });
}

/** What has any candidate at all. */
function hopefulIn(candidates: Candidates, callCount: number): Part {
  const hopeful = new Uint8Array(callCount);
  const steps: number[] = [];
  candidates.calls.forEach((calls, step) => {
    if (calls.length > 0) steps.push(step);
    for (const call of calls) hopeful[call] = 1;
  });
  return { steps, calls: [...hopeful.keys()].filter((call) => hopeful[call] === 1) };
}

function reducedTo({ steps, calls }: Part, problem: AlignmentProblem, candidates: Candidates) {
  const places = new Map(calls.map((call, place) => [call, place]));
  const reduced: AlignmentProblem = {
    expected: restricted(problem.expected, steps),
    actual: restricted(problem.actual, calls),
    pairCost: (step, call) => problem.pairCost(steps[step] ?? -1, calls[call] ?? -1),
    missingCost: (step) => problem.missingCost(steps[step] ?? -1),
    extraCost: (call) => problem.extraCost(calls[call] ?? -1),
  };
  return {
    problem: reduced,
    candidates: {
      calls: steps.map((step) => (candidates.calls[step] ?? []).map((call) => places.get(call) ?? -1)),
      costs: steps.map((step) => candidates.costs[step] ?? []),
    },
  };
}
