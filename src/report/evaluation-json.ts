/** Evaluations as users see them: in `assay score --json` and in the API, the same bytes for the same evaluation. */
import type { Evaluation, FindingKind, Outcome, VerdictKind } from '../model/evaluation.ts';
import { type Summary, summarize } from './summary.ts';

export interface EvaluationJson {
  readonly conversation_id: string;
  readonly turn_id?: string;
  readonly suite: string;
  readonly suite_version: string;
  readonly scope: string;
  readonly revision: number;
  readonly score: number | null;
  readonly outcome: Outcome;
  readonly explanation: string;
  readonly verdicts: { readonly [criterion: string]: VerdictJson };
  readonly findings?: readonly FindingJson[];
  /** Criteria whose verdicts are not in: this is what can be said so far. */
  readonly waits_for?: readonly string[];
}

export interface VerdictJson {
  readonly verdict: VerdictKind;
  readonly reason: string;
  readonly evidence: readonly string[];
  /** Absent where no model was asked. */
  readonly judged_by?: { readonly judge: string; readonly version: string };
}

export interface FindingJson {
  readonly finding: FindingKind;
  readonly reason: string;
  readonly evidence: readonly string[];
}

export interface ReportJson {
  readonly summary: Summary;
  readonly evaluations: readonly EvaluationJson[];
}

export function toReportJson(evaluations: readonly Evaluation[]): ReportJson {
  return { summary: summarize(evaluations), evaluations: evaluations.map(toEvaluationJson) };
}

export function toEvaluationJson(evaluation: Evaluation): EvaluationJson {
  return {
    conversation_id: evaluation.conversationId,
    ...(evaluation.turnId === undefined ? {} : { turn_id: evaluation.turnId }),
    suite: evaluation.suite,
    suite_version: evaluation.suiteVersion,
    scope: evaluation.scope,
    revision: evaluation.revision,
    score: evaluation.score === undefined ? null : evaluation.score / 1_000_000,
    outcome: evaluation.outcome,
    explanation: evaluation.explanation,
    // `fromEntries` defines properties, so a criterion called `__proto__` would be one more key.
    verdicts: Object.fromEntries(
      [...evaluation.verdicts].map(([criterion, { verdict, reason, evidence, judgedBy }]) => [
        criterion,
        { verdict, reason, evidence, ...(judgedBy !== undefined && { judged_by: judgedBy }) },
      ]),
    ),
    ...(evaluation.findings !== undefined && {
      findings: evaluation.findings.map(({ finding, reason, evidence }) => ({ finding, reason, evidence })),
    }),
    ...(evaluation.waitsFor === undefined ? {} : { waits_for: evaluation.waitsFor }),
  };
}
