/**
 * How bad an outcome is, and whether it counts as good. Stores keep the greatest severity of a conversation, and treat 0 as not failed: the number
 * of an outcome never changes.
 */
import type { Outcome } from './evaluation.ts';

interface Standing {
  /** 0 where nothing failed; undefined of what was not scored. */
  readonly severity: number | undefined;
  /** Good, bad, or neither: then it is in no success rate. */
  readonly counts: 'good' | 'bad' | 'neither';
  /** Outcome that claims the task was done, which takes evidence of the task. */
  readonly claimsTask?: true;
}

const STANDINGS = {
  successful_completion: { severity: 0, counts: 'good', claimsTask: true },
  // No criterion failed. The best outcome of a suite that has no evidence of the task.
  no_fault_found: { severity: 0, counts: 'good' },
  // Whether a person was rightly asked is not known, so it is in no success rate; its share stands beside that.
  handed_over: { severity: 0, counts: 'neither' },
  graceful_failure: { severity: 1, counts: 'bad' },
  partial_failure: { severity: 2, counts: 'bad' },
  hard_failure: { severity: 3, counts: 'bad' },
  unscored: { severity: undefined, counts: 'neither' },
} as const satisfies Record<Outcome, Standing>;

export type ScoredOutcome = {
  [outcome in Outcome]: (typeof STANDINGS)[outcome]['severity'] extends number ? outcome : never;
}[Outcome];

/** In the order in which people read them, from best to worst. */
// The cast holds because these are the table's own keys.
export const OUTCOMES_IN_ORDER = Object.keys(STANDINGS) as readonly Outcome[];

/** Outcomes from best to worst. */
export const SCORED_OUTCOMES: readonly ScoredOutcome[] = OUTCOMES_IN_ORDER.filter(isScored);

export const FAILED_OUTCOMES = SCORED_OUTCOMES.filter(isFailure);

/** Undefined of what was not scored. */
export function severityOf(outcome: Outcome): number | undefined {
  return STANDINGS[outcome].severity;
}

export function isScored(outcome: Outcome): outcome is ScoredOutcome {
  return STANDINGS[outcome].severity !== undefined;
}

export function claimsTask(outcome: Outcome): boolean {
  const standing: Standing = STANDINGS[outcome];
  return standing.claimsTask === true;
}

/** True for a success, and for the best outcome that a suite without evidence of the task can give. */
export function isGood(outcome: Outcome): boolean {
  return STANDINGS[outcome].counts === 'good';
}

export function isFailure(outcome: Outcome): boolean {
  return STANDINGS[outcome].counts === 'bad';
}

/** True if no outcome is worse. */
export function isWorst(outcome: Outcome): boolean {
  return outcome === SCORED_OUTCOMES.at(-1);
}

/** Whether a rate of successes has it in its denominator. */
export function isInSuccessRate(outcome: Outcome): boolean {
  return STANDINGS[outcome].counts !== 'neither';
}

/** Evaluations without a score come before all others. */
export function bySeverity(a: Outcome, b: Outcome): number {
  return (STANDINGS[a].severity ?? -1) - (STANDINGS[b].severity ?? -1);
}
