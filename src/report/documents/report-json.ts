/** Writes a set of evaluations as users see it: in `assay score --json` and in the API. */
import type { NamedOutcome } from '../../model/validity.ts';
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

/** Outcomes of the conversation in the world. Nothing where nothing is known. */
export function outcomesJson(outcomes: readonly Omit<NamedOutcome, 'conversationId'>[]): {
  readonly came_of_it?: readonly CameOfIt[];
} {
  if (outcomes.length === 0) return {};
  return {
    came_of_it: outcomes.map(({ label, isGood, value, case: ofCase }) => ({
      ...{ label, good: isGood },
      ...(value === undefined ? {} : { value }),
      ...(ofCase === undefined ? {} : { case: ofCase }),
    })),
  };
}

interface CameOfIt {
  readonly label: string;
  readonly good: boolean;
  readonly value?: string;
  readonly case?: string;
}

/** Evaluations of suites in shadow stand apart, and are in no summary. Nothing where none says anything. */
export function shadowsJson(evaluations: readonly Evaluation[]): {
  readonly shadow_evaluations?: readonly EvaluationJson[];
} {
  return evaluations.length === 0 ? {} : { shadow_evaluations: evaluations.map(toEvaluationJson) };
}
