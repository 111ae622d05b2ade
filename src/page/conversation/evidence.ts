/** The links between verdicts and spans, in both directions. */
import type { FullEvaluation, VerdictOfCriterion } from '../../api/conversation-detail.ts';

export interface Evidence {
  /** As it stands in the address. */
  readonly key: string;
  readonly criterion: string;
  readonly verdict: VerdictOfCriterion['verdict'];
}

export interface EvidenceLinks {
  /** Ids of spans, the first one being the step that made the criterion fail. */
  readonly byVerdict: ReadonlyMap<string, readonly string[]>;
  readonly bySpan: ReadonlyMap<string, readonly Evidence[]>;
}

/** As it stands in the address: names of suites and criteria have no colon. */
export function verdictKey({ suite, turn_id: turn }: FullEvaluation, { criterion }: VerdictOfCriterion): string {
  return [suite, criterion, ...(turn === undefined ? [] : [turn])].join(':');
}

export function evidenceOf(evaluations: readonly FullEvaluation[]): EvidenceLinks {
  const byVerdict = new Map<string, readonly string[]>();
  const bySpan = new Map<string, Evidence[]>();
  for (const evaluation of evaluations) {
    for (const verdict of evaluation.verdicts) {
      const key = verdictKey(evaluation, verdict);
      byVerdict.set(key, verdict.evidence);
      for (const span of new Set(verdict.evidence)) {
        const list = bySpan.get(span) ?? [];
        list.push({ key, criterion: verdict.criterion, verdict: verdict.verdict });
        bySpan.set(span, list);
      }
    }
  }
  return { byVerdict, bySpan };
}
