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
 * Steps that no call can be for, and calls that no step can be for, are set aside before.
 */
import { alignChains } from './align-chains.ts';
import { type Alignment, type AlignmentProblem, costOf, isConsistent } from './alignment-problem.ts';
import { assign } from './assign.ts';
import { joinOrders } from './join-orders.ts';
import { restricted } from './partial-order.ts';

export const STATES_MAX = 20_000;

export function align(problem: AlignmentProblem, states: number = STATES_MAX): Alignment {
  const { reduced, steps, calls } = withoutHopeless(problem);
  const { callOf, isOptimal } = alignReduced(reduced, states);
  const whole = Array.from({ length: problem.expected.size }, () => -1);
  callOf.forEach((call, step) => {
    if (call >= 0) whole[steps[step] ?? -1] = calls[call] ?? -1;
  });
  return { callOf: whole, cost: costOf(problem, whole), isOptimal };
}

function alignReduced(problem: AlignmentProblem, states: number): Pick<Alignment, 'callOf' | 'isOptimal'> {
  const { expected, actual } = problem;
  if (expected.size === 0 || actual.size === 0) {
    return { callOf: Array.from({ length: expected.size }, () => -1), isOptimal: true };
  }
  if (expected.isChain && actual.isChain) return { ...alignChains(problem), isOptimal: true };
  const bound = assign(problem);
  if (expected.isFree || actual.isFree || isConsistent(problem, bound.callOf)) {
    return { callOf: bound.callOf, isOptimal: true };
  }
  const known = alignChains(problem);
  if (known.cost === bound.cost) return { callOf: known.callOf, isOptimal: true };
  const found = joinOrders(problem, bound, { states, below: known.cost - bound.cost });
  if (found === 'gave up') return { callOf: known.callOf, isOptimal: false };
  return { callOf: found === 'nothing below' ? known.callOf : found, isOptimal: true };
}

function withoutHopeless(problem: AlignmentProblem) {
  const mayPair = (step: number, call: number) =>
    problem.pairCost(step, call) <= problem.missingCost(step) + problem.extraCost(call);
  const steps: number[] = [];
  const hopeful = new Uint8Array(problem.actual.size);
  for (let step = 0; step < problem.expected.size; step += 1) {
    let isHopeful = false;
    for (let call = 0; call < problem.actual.size; call += 1) {
      if (!mayPair(step, call)) continue;
      isHopeful = true;
      hopeful[call] = 1;
    }
    if (isHopeful) steps.push(step);
  }
  const calls = [...hopeful.keys()].filter((call) => hopeful[call] === 1);
  const reduced: AlignmentProblem = {
    expected: restricted(problem.expected, steps),
    actual: restricted(problem.actual, calls),
    pairCost: (step, call) => problem.pairCost(steps[step] ?? -1, calls[call] ?? -1),
    missingCost: (step) => problem.missingCost(steps[step] ?? -1),
    extraCost: (call) => problem.extraCost(calls[call] ?? -1),
  };
  return { reduced, steps, calls };
}
