/** An evaluation as it waits for a backend: what it said, and the span that it is about. */
import type { Evaluation } from '../../model/evaluation.ts';
import type { SpanId, TraceId } from '../../model/ids.ts';
import { type EvaluationJson, toEvaluationJson } from '../../model/evaluation-json.ts';
import { evaluationIdOf } from './evaluation-record.ts';
import type { AgentLabels } from '../../model/agent-labels.ts';

export interface ResultPayload {
  readonly id: string;
  /** Log time, in milliseconds. */
  readonly at: number;
  /** The agent's span of the turn; of a conversation, of its last turn. Absent where there is none. */
  readonly traceId?: TraceId;
  readonly spanId?: SpanId;
  readonly labels: AgentLabels;
  /** The criteria that a model was asked; absent where there are none. */
  readonly judged?: readonly string[];
  /** Versions of the evaluators: hashes of what they say. Absent where it was stored by an older Assay. */
  readonly evaluators?: { readonly suite: string; readonly criteria: { readonly [criterion: string]: string } };
  readonly evaluation: EvaluationJson;
}

export function writeResultPayload(
  evaluation: Evaluation,
  about: {
    readonly at: number;
    readonly labels: AgentLabels;
    readonly judged: readonly string[];
    readonly span: { readonly traceId: TraceId; readonly rootSpanId: SpanId } | undefined;
    readonly versions: { readonly suite: string; readonly criteria: ReadonlyMap<string, string> };
  },
): string {
  const { at, labels, judged, span, versions } = about;
  const payload: ResultPayload = {
    id: evaluationIdOf(evaluation),
    at,
    ...(span === undefined ? {} : { traceId: span.traceId, spanId: span.rootSpanId }),
    labels,
    ...(judged.length === 0 ? {} : { judged }),
    evaluators: { suite: versions.suite, criteria: Object.fromEntries(versions.criteria) },
    evaluation: toEvaluationJson(evaluation),
  };
  return JSON.stringify(payload);
}

export function readResultPayload(text: string): ResultPayload {
  // The cast holds because `writeResultPayload` wrote the text.
  return JSON.parse(text) as ResultPayload;
}
