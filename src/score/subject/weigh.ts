/**
 * From verdicts to a score, apart from running the checks, so that stored verdicts can be weighed again.
 *
 *     score = Σ weight of passed criteria / Σ weight of decided criteria      (decided = pass or fail)
 *
 * All in integer millionths: 0.30 + 0.25 + 0.20 is 750000, and 750000 of 1000000 meets `>= 0.75` exactly. A criterion
 * that is not applicable leaves both sums, unless it says that it counts as a pass or as a fail; one that could not be
 * decided for reasons that are not the agent's (error, skipped) always leaves them.
 *
 * A critical criterion that could not be asked (`error`) leaves no score: it may be the one that failed, and without it
 * a conversation must not come out as a success. The agent's own failures decide all the same.
 *
 * Two things make the score 0, whatever else went well, unless the suite says otherwise: a criterion that makes a hard
 * failure and failed, and a conversation that broke off.
 */
import { countedAs, decisionOf, isBroken, type NotApplicableHandling } from '../../model/decision.ts';
import type { Millionths, VerdictKind } from '../../model/evaluation.ts';
import type { ScoredOutcome } from '../../model/severity.ts';
import type { Broke } from './ending.ts';

export const ONE: Millionths = 1_000_000;

export interface Weight {
  readonly name: string;
  readonly weight: Millionths;
  readonly whenNotApplicable: NotApplicableHandling;
  /** The best outcome possible where this criterion fails. */
  readonly capsAt: ScoredOutcome | undefined;
}

/** How a suite weighs. */
export interface Weighing {
  readonly criteria: readonly Weight[];
  readonly minDecided: Millionths;
  /** Effect of a hard failure by a critical criterion on the score. */
  readonly hardFailureScores: 'zero' | 'as weighed';
  /** Result of a conversation that broke off. */
  readonly whenBroken: 'hard_failure' | 'by criteria';
}

export interface Weighed {
  readonly passed: Millionths;
  readonly decided: Millionths;
  readonly total: Millionths;
  /** Undefined where too little was decided, or nothing, and no critical criterion failed. */
  readonly score: Millionths | undefined;
  /** Why the score is 0 whatever was weighed. */
  readonly zeroedBy: 'critical' | Broke | undefined;
  /** The first critical criterion that could not be asked. */
  readonly uncheckedCritical: string | undefined;
}

export function weigh(
  { criteria, minDecided, hardFailureScores, whenBroken }: Weighing,
  verdictOf: (criterion: string) => VerdictKind,
  broke?: Broke,
): Weighed {
  let passed = 0;
  let decided = 0;
  let total = 0;
  let isHardFailure = false;
  let hasCriticalFailure = false;
  let uncheckedCritical: string | undefined;
  for (const criterion of criteria) {
    total += criterion.weight;
    const verdict = verdictOf(criterion.name);
    if (criterion.capsAt !== undefined && decisionOf(verdict) === 'fail') {
      hasCriticalFailure = true;
      if (criterion.capsAt === 'hard_failure') isHardFailure = true;
    }
    if (criterion.capsAt !== undefined && isBroken(verdict)) uncheckedCritical ??= criterion.name;
    const counted = countedAs(verdict, criterion.whenNotApplicable);
    if (counted === 'exclude') continue;
    decided += criterion.weight;
    if (counted === 'pass') passed += criterion.weight;
  }
  const enough = decided > 0 && decided * ONE >= minDecided * total;
  const weighed = { passed, decided, total, uncheckedCritical };
  const decidesAll = broke !== undefined && whenBroken === 'hard_failure' && (broke === 'no_answer' || !enough);
  if (decidesAll) return { ...weighed, score: 0, zeroedBy: broke };
  if (isHardFailure && hardFailureScores === 'zero') return { ...weighed, score: 0, zeroedBy: 'critical' };
  // A failed critical criterion is enough, however little else was decided, because the worst conversations must not
  // leave the mean.
  const isOpen = !enough || uncheckedCritical !== undefined;
  if (isOpen && !hasCriticalFailure) return { ...weighed, score: undefined, zeroedBy: undefined };
  return { ...weighed, score: decided === 0 ? 0 : ratio(passed, decided), zeroedBy: undefined };
}

/** Half up. Exact, because every term stays far below 2^53. */
export function ratio(part: Millionths, whole: Millionths): Millionths {
  return Math.floor((2 * part * ONE + whole) / (2 * whole));
}

/** The millionths a decimal stands for; undefined where it has more than six places or is not between 0 and 1. */
export function toMillionths(decimal: number): Millionths | undefined {
  const millionths = Math.round(decimal * ONE);
  return decimal >= 0 && decimal <= 1 && Math.abs(decimal * ONE - millionths) < 1e-6 ? millionths : undefined;
}

/** A score in a sentence: with at most three decimals. */
export function formatScore(score: Millionths): string {
  return (score / ONE).toFixed(3).replace(/0$/, '');
}

/** Decimal for people: at least two places, no more than needed. */
export function formatMillionths(millionths: Millionths): string {
  const digits = (millionths / ONE).toFixed(6);
  return digits.replace(/0{1,4}$/, '');
}
