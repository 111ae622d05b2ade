/**
 * The word that all suites together say of a conversation. A fault outweighs a success, and evidence of the task
 * outweighs that no fault was found. Stores keep the place in this list: a word never changes its place.
 */
import type { Outcome } from './evaluation.ts';

export const CALLED = [
  'unscored',
  'no_fault_found',
  'successful_completion',
  'handed_over',
  'graceful_failure',
  'partial_failure',
  'hard_failure',
] as const satisfies readonly Outcome[];

/** The one that counts of two evaluations of one conversation. */
export function strongerOf(one: Outcome | undefined, other: Outcome): Outcome {
  return one === undefined || CALLED.indexOf(other) > CALLED.indexOf(one) ? other : one;
}
