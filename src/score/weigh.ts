/**
 * From verdicts to a score, apart from running the checks, so that stored verdicts can be weighed again.
 *
 *     score = Σ weight of passed criteria / Σ weight of decided criteria      (decided = pass or fail)
 *
 * All in integer millionths: 0.30 + 0.25 + 0.20 is 750000, and 750000 of 1000000 meets `>= 0.75` exactly. A criterion
 * that is not applicable leaves both sums, unless it says that it counts as a pass or as a fail; one that could not be
 * decided for reasons that are not the agent's (error, skipped) always leaves them.
 */
import { countedAs, type NotApplicableHandling } from '../model/decision.ts';
import type { Millionths, VerdictKind } from '../model/evaluation.ts';

export const ONE: Millionths = 1_000_000;

export interface Weight {
  readonly name: string;
  readonly weight: Millionths;
  readonly whenNotApplicable: NotApplicableHandling;
}

export interface Weighed {
  readonly passed: Millionths;
  readonly decided: Millionths;
  readonly total: Millionths;
  /** Undefined where too little was decided, or nothing. */
  readonly score: Millionths | undefined;
}

export function weigh(
  criteria: readonly Weight[],
  verdictOf: (criterion: string) => VerdictKind,
  minDecided: Millionths,
): Weighed {
  let passed = 0;
  let decided = 0;
  let total = 0;
  for (const criterion of criteria) {
    total += criterion.weight;
    const counted = countedAs(verdictOf(criterion.name), criterion.whenNotApplicable);
    if (counted === 'exclude') continue;
    decided += criterion.weight;
    if (counted === 'pass') passed += criterion.weight;
  }
  const enough = decided > 0 && decided * ONE >= minDecided * total;
  return { passed, decided, total, score: enough ? ratio(passed, decided) : undefined };
}

/** Half up. Exact, because every term stays far below 2^53. */
function ratio(passed: Millionths, decided: Millionths): Millionths {
  return Math.floor((2 * passed * ONE + decided) / (2 * decided));
}

/** The millionths a decimal stands for; undefined where it has more than six places or is not between 0 and 1. */
export function toMillionths(decimal: number): Millionths | undefined {
  const millionths = Math.round(decimal * ONE);
  return decimal >= 0 && decimal <= 1 && Math.abs(decimal * ONE - millionths) < 1e-6 ? millionths : undefined;
}

/** As a person writes it: at least two places, no more than it takes. */
export function formatMillionths(millionths: Millionths): string {
  const digits = (millionths / ONE).toFixed(6);
  return digits.replace(/0{1,4}$/, '');
}
