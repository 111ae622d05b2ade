/**
 * MLflow tracing. Every attribute's value is JSON, also where it is a text: `"\"LLM\""`. A span has what it was given and
 * gave back in `mlflow.spanInputs` and `mlflow.spanOutputs`, in the form of whatever was traced.
 */
import type { AttributeValue } from '../../model/attribute-value.ts';
import type { SpanView } from '../../otlp/views.ts';
import type { StepKind } from '../../model/step.ts';
import { agentNameIn } from '../agent-names.ts';
import type { Dialect } from '../dialect.ts';
import type { Draft, Field, Fields } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { decodeJsonish, member } from '../jsonish.ts';
import { settleRawUsage } from '../raw-usage.ts';
import { asCount, asNumber, asText, type Row, row } from '../rows.ts';
import { runContent } from '../run-content.ts';

const KINDS: ReadonlyMap<string, StepKind> = new Map<string, StepKind>([
  ['AGENT', 'agent'],
  ['CHAIN', 'step'],
  ['WORKFLOW', 'workflow'],
  ['TASK', 'step'],
  ['LLM', 'llm'],
  ['CHAT_MODEL', 'llm'],
  ['TOOL', 'tool'],
  ['RETRIEVER', 'retrieval'],
  ['EMBEDDING', 'embedding'],
  ['RERANKER', 'rerank'],
  ['PARSER', 'step'],
  ['MEMORY', 'memory'],
  ['GUARDRAIL', 'guardrail'],
  ['EVALUATOR', 'evaluator'],
]);

const TYPE = 'mlflow.spanType';
const INPUTS = 'mlflow.spanInputs';
const OUTPUTS = 'mlflow.spanOutputs';
const USAGE = 'mlflow.chat.tokenUsage';

export const mlflow: Dialect = {
  name: 'mlflow',
  rows: [
    row('kind', TYPE, (value) => KINDS.get(unquoted(value)?.toUpperCase() ?? '')),
    text('conversationId', 'mlflow.trace.session'),
    text('userId', 'mlflow.trace.user'),
    text('responseModel', 'mlflow.llm.model'),
    text('provider', 'mlflow.llm.provider'),
    inJson('inputTokens', USAGE, 'input_tokens', asCount),
    inJson('outputTokens', USAGE, 'output_tokens', asCount),
    inJson('cacheReadTokens', USAGE, 'cache_read_input_tokens', asCount),
    inJson('cacheWriteTokens', USAGE, 'cache_creation_input_tokens', asCount),
    inJson('costUsd', 'mlflow.llm.cost', 'total_cost', asNumber),
  ],
  captured: [
    ['input', INPUTS],
    ['output', OUTPUTS],
    ['toolArgs', INPUTS],
    ['toolResult', OUTPUTS],
  ],
  marker: TYPE,
  infer,
  inferDetails,
  ...runContent({ inputs: INPUTS, outputs: OUTPUTS, guard: TYPE, workOf }),
};

function text<F extends 'conversationId' | 'userId' | 'responseModel' | 'provider'>(field: F, key: string): Row {
  return row(field, key, (value) => asText(unquoted(value) ?? null));
}

function inJson<F extends Field>(
  field: F,
  key: string,
  name: string,
  read: (value: AttributeValue) => Fields[F] | undefined,
): Row {
  return row(field, key, (value) => {
    const found = member(decodeJsonish(value).value, name);
    return typeof found === 'number' ? read(found) : undefined;
  });
}

function unquoted(value: AttributeValue): string | undefined {
  const { value: decoded } = decodeJsonish(value);
  return typeof decoded === 'string' ? decoded : undefined;
}

function infer(draft: Draft, span: SpanView): void {
  if (draft.kind === 'step' && span.parentSpanId === undefined) {
    draft.kind = 'workflow';
    draft.rules?.set('kind', `${TYPE} at the root`);
  } else if (draft.kind === 'llm') {
    const answer = span.attributes.text(OUTPUTS);
    const isUncounted = (draft.inputTokens ?? draft.outputTokens) === undefined;
    if (answer === undefined || !(isUncounted ? answer.includes('"usage') : REASONED.test(answer))) return;
    settleRawUsage(draft, decodeJsonish(answer).value, `${OUTPUTS} usage`);
  }
}

/** Reasoning tokens, which MLflow does not count, found in the raw answer. */
const REASONED = /"reasoning_tokens": ?[1-9]/;

function inferDetails(draft: Draft, span: SpanView): void {
  if (draft.kind !== 'agent' && draft.kind !== 'workflow') return;
  if (draft.agentName === undefined) draft.set('agentName', agentNameIn(span.name), 'span name');
}

function workOf({ span }: Evidence): 'model' | 'tool' | 'other' {
  const kind = KINDS.get(unquoted(span.attributes.get(TYPE) ?? null)?.toUpperCase() ?? '');
  return kind === 'llm' ? 'model' : kind === 'tool' ? 'tool' : 'other';
}
