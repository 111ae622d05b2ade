/**
 * How bad an outcome is. Stores keep the greatest severity of a conversation, and treat 0 as a success: the number of an outcome never changes.
 */
import { type Outcome, OUTCOMES } from './evaluation.ts';

const SEVERITIES = {
  successful_completion: 0,
  graceful_failure: 1,
  partial_failure: 2,
  hard_failure: 3,
  unscored: undefined,
} as const satisfies Record<Outcome, number | undefined>;

export type ScoredOutcome = {
  [outcome in Outcome]: (typeof SEVERITIES)[outcome] extends number ? outcome : never;
}[Outcome];

/** From best to worst. */
export const SCORED_OUTCOMES: readonly ScoredOutcome[] = OUTCOMES.filter(isScored).toSorted(bySeverity);

export const FAILED_OUTCOMES = SCORED_OUTCOMES.filter(isFailure);

/** Undefined of what was not scored. */
export function severityOf(outcome: Outcome): number | undefined {
  return SEVERITIES[outcome];
}

export function isScored(outcome: Outcome): outcome is ScoredOutcome {
  return SEVERITIES[outcome] !== undefined;
}

export function isSuccess(outcome: Outcome): boolean {
  return SEVERITIES[outcome] === 0;
}

export function isFailure(outcome: Outcome): boolean {
  return isScored(outcome) && !isSuccess(outcome);
}

/** Evaluations without a score come before all others. */
export function bySeverity(a: Outcome, b: Outcome): number {
  return (SEVERITIES[a] ?? -1) - (SEVERITIES[b] ?? -1);
}
