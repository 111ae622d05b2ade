/** Outcomes as queries ask for them, from the table that says how each counts: a new one is asked for as it counts. */
import type { Outcome } from '../src/model/evaluation.ts';
import { isGood, isInSuccessRate, isScored, OUTCOMES_IN_ORDER, SCORED_OUTCOMES } from '../src/model/severity.ts';

/** A success, or as good as a suite without evidence of the task can tell. */
export const GOOD = named(isGood);
/** In no rate of successes. */
export const UNRATED = named((outcome) => !isInSuccessRate(outcome));
export const UNSCORED = named((outcome) => !isScored(outcome));
export const WORST = SCORED_OUTCOMES.at(-1) ?? '';

function named(isMeant: (outcome: Outcome) => boolean): string {
  return OUTCOMES_IN_ORDER.filter(isMeant).join('|');
}
