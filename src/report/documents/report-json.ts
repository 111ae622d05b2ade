/** What a set of evaluations says, as users see it: in `assay score --json` and in the API. */
import type { Evaluation } from '../../model/evaluation.ts';
import { type EvaluationJson, toEvaluationJson } from '../../model/evaluation-json.ts';
import { lastRevisions } from './revisions.ts';
import { type Summary, summarize } from './summary.ts';

interface ReportJson {
  readonly summary: Summary;
  readonly evaluations: readonly EvaluationJson[];
}

/** The summary counts what is said now; of all revisions, the evaluations have each. */
export function toReportJson(evaluations: readonly Evaluation[]): ReportJson {
  return { summary: summarize(lastRevisions(evaluations)), evaluations: evaluations.map(toEvaluationJson) };
}

/** What suites in shadow say stands apart, and is in no summary. Nothing where none says anything. */
export function shadowsJson(evaluations: readonly Evaluation[]): {
  readonly shadow_evaluations?: readonly EvaluationJson[];
} {
  return evaluations.length === 0 ? {} : { shadow_evaluations: evaluations.map(toEvaluationJson) };
}
