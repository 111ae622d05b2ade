/**
 * The steps that were expected beside the calls that were made: what each pair costs, what a step costs that was not made,
 * what a call costs that was not expected. All costs are whole numbers, and their sums are exact.
 *
 * An alignment pairs steps with calls, each with at most one. It must be possible in one go: there is an order of events that
 * contradicts neither the expected order nor the actual one, in which every pair is one event.
 */
import type { PartialOrder } from './partial-order.ts';

export interface AlignmentProblem {
  readonly expected: PartialOrder;
  readonly actual: PartialOrder;
  /** Cost of a step and one of its candidates; infinity if the two cannot be paired. */
  pairCost(step: number, call: number): number;
  missingCost(step: number): number;
  extraCost(call: number): number;
  /** The calls that a step can be paired with, ascending; without it, all are tried. */
  candidatesOf?(step: number): readonly number[];
}

export interface Alignment {
  /** Call of each step, or -1. */
  readonly callOf: readonly number[];
  readonly cost: number;
  /** Whether nothing cheaper exists; false where the search was given up at its limit. */
  readonly isOptimal: boolean;
}

/**
 * Whether the pairs are possible in one go: the steps and the calls, each pair being one, have no circle of "comes
 * before". Unpaired elements cannot form a circle by themselves, because both orders are transitive.
 */
export function isConsistent({ expected, actual }: AlignmentProblem, callOf: readonly number[]): boolean {
  const steps = callOf.flatMap((call, step) => (call >= 0 ? [step] : []));
  const waiting = new Set(steps);
  const mayGo = (step: number) => {
    for (const other of waiting) {
      if (other === step) continue;
      if (expected.precedes(other, step) || actual.precedes(callOf[other] ?? -1, callOf[step] ?? -1)) return false;
    }
    return true;
  };
  // Pairs are taken away from the front. If none can be, they wait for each other.
  for (let progress = true; progress && waiting.size > 0; ) {
    progress = false;
    for (const step of waiting) {
      if (!mayGo(step)) continue;
      waiting.delete(step);
      progress = true;
    }
  }
  return waiting.size === 0;
}
