/** Verdicts as JSON and stores keep them: with the same fields for every kind. */
import { isDecided } from './decision.ts';
import type { DecidedVerdict, UndecidedReason, Verdict, VerdictKind } from './evaluation.ts';
import { unreachable } from './unreachable.ts';

type VerdictParts = Omit<DecidedVerdict, 'verdict'> & { readonly undecided?: UndecidedReason };

const NO_EVIDENCE: VerdictParts['evidence'] = [];

export function partsOf(verdict: Verdict): VerdictParts {
  if (isDecided(verdict)) return verdict;
  const undecided = 'undecided' in verdict ? verdict.undecided : undefined;
  return { reason: verdict.reason, evidence: NO_EVIDENCE, ...(undecided !== undefined && { undecided }) };
}

/** The opposite of `partsOf`. */
export function verdictFrom(
  verdict: VerdictKind,
  { reason, evidence, judgedBy, steps, undecided }: VerdictParts,
): Verdict {
  switch (verdict) {
    case 'pass':
    case 'fail':
      return {
        verdict,
        reason,
        evidence,
        ...(judgedBy !== undefined && { judgedBy }),
        ...(steps !== undefined && { steps }),
      };
    case 'not_applicable':
      return { verdict, reason, ...(undecided !== undefined && { undecided }) };
    case 'error':
    case 'skipped':
      return { verdict, reason };
    default:
      return unreachable(verdict);
  }
}
