/** Evaluations as JUnit XML: a suite is a test suite, an evaluation a test case, a failed criterion its failure. */
import { partsOf } from '../../model/verdict-parts.ts';
import { decisionOf } from '../../model/decision.ts';
import type { Evaluation } from '../../model/evaluation.ts';
import { isGood, isInSuccessRate } from '../../model/severity.ts';
import { junitDocument, type JUnitResult } from './junit-document.ts';

export function toJUnit(evaluations: readonly Evaluation[]): string {
  const bySuite = Map.groupBy(evaluations, ({ suite }) => suite);
  return junitDocument(
    [...bySuite].map(([name, rows]) => ({
      name,
      cases: rows.map((evaluation) => ({ name: nameOf(evaluation), result: resultOf(evaluation) })),
    })),
  );
}

function nameOf({ conversationId, turnId }: Evaluation): string {
  return turnId === undefined ? conversationId : `${conversationId} ${turnId}`;
}

function resultOf({ outcome, because, explanation, verdicts }: Evaluation): JUnitResult {
  // Whether a person was rightly asked is not known.
  if (!isInSuccessRate(outcome)) return { is: 'skipped', message: explanation };
  if (isGood(outcome)) return { is: 'passed' };
  const details = [...verdicts]
    .filter(([, { verdict }]) => decisionOf(verdict) === 'fail')
    .map(([criterion, verdict]) => {
      const { reason, evidence } = partsOf(verdict);
      const where = evidence.length === 0 ? '' : ` (span ${evidence[0]})`;
      return `${criterion}: ${reason}${where}`;
    });
  return {
    is: 'failed',
    type: outcome,
    message: because === undefined ? explanation : `${because}: ${explanation}`,
    details,
  };
}
