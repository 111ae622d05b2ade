/** Verdicts as JSON and stores keep them: with the same fields for every kind. */
import { isDecided } from './decision.ts';
import type { DecidedVerdict, Verdict, VerdictKind } from './evaluation.ts';
import { unreachable } from './unreachable.ts';

type VerdictParts = Omit<DecidedVerdict, 'verdict'>;

const NO_EVIDENCE: VerdictParts['evidence'] = [];

export function partsOf(verdict: Verdict): VerdictParts {
  return isDecided(verdict) ? verdict : { reason: verdict.reason, evidence: NO_EVIDENCE };
}

/** The opposite of `partsOf`. */
export function verdictFrom(verdict: VerdictKind, { reason, evidence, judgedBy, steps }: VerdictParts): Verdict {
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
    case 'error':
    case 'skipped':
      return { verdict, reason };
    default:
      return unreachable(verdict);
  }
}
