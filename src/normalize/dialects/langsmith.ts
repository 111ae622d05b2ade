/**
 * LangSmith's OpenTelemetry exporter: each run of its own tracing as a span, with `langsmith.*` beside keys of the GenAI
 * conventions that it fills in its own way.
 *
 *     gen_ai.operation.name      derived, wrongly for retrievers and prompts: the kind of the run is right
 *     gen_ai.prompt, gen_ai.completion      JSON of what the run was given and gave back, in whatever form it had
 *     status      OK once the run began; of one that failed, an exception event tells
 *     langsmith.span.tags      `langsmith:hidden` on runs of LangGraph's own, such as the node `__start__`. Runs below a `traceable` overwrite its
 *                              span, so that one of these may be all there is of a turn: that is plumbing, not the agent's work
 *
 * Asked before the conventions, whose keys it bends.
 */
import type { AttributeValue } from '../../model/attribute-value.ts';
import type { SpanView } from '../../otlp/views.ts';
import type { StepError, StepKind } from '../../model/step.ts';
import { agentNameIn } from '../agent-names.ts';
import type { Dialect, Finder } from '../dialect.ts';
import type { Draft } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { decodeJsonish, member } from '../jsonish.ts';
import { toolMessageIn } from '../langchain.ts';
import { settleRawUsage } from '../raw-usage.ts';
import { asCount, asKind, asText, row, rows } from '../rows.ts';
import { runContent } from '../run-content.ts';
import { exceptionFinder } from './otel.ts';

const RUN_TYPES: ReadonlyMap<string, StepKind> = new Map<string, StepKind>([
  ['llm', 'llm'],
  ['tool', 'tool'],
  ['retriever', 'retrieval'],
  ['embedding', 'embedding'],
  ['chain', 'step'],
  ['prompt', 'step'],
  ['parser', 'step'],
]);

const RUN_TYPE = 'langsmith.span.kind';
const INPUTS = 'gen_ai.prompt';
const OUTPUTS = 'gen_ai.completion';
const USAGE = 'langsmith.usage_metadata';

const content = runContent({ inputs: INPUTS, outputs: OUTPUTS, guard: RUN_TYPE, workOf });

export const langSmith: Dialect = {
  name: 'langsmith',
  rows: [
    row('kind', RUN_TYPE, asKind(RUN_TYPES)),
    ...rows('agentName', asText, ['langsmith.metadata.lc_agent_name']),
    ...rows('agentVersion', asText, ['langsmith.metadata.revision_id', 'langsmith.metadata.version']),
    ...rows('toolCallId', asText, ['langsmith.metadata.tool_call_id']),
    ...rows('provider', asText, ['langsmith.metadata.ls_provider']),
    row('inputTokens', USAGE, inJson('input_tokens')),
    row('outputTokens', USAGE, inJson('output_tokens')),
    row('cacheReadTokens', USAGE, inJson('input_token_details', 'cache_read')),
    row('cacheReadTokens', 'gen_ai.usage.input_token_details', inJson('cache_read')),
    row('cacheWriteTokens', USAGE, inJson('input_token_details', 'cache_creation')),
    row('cacheWriteTokens', 'gen_ai.usage.input_token_details', inJson('cache_creation')),
    row('reasoningTokens', USAGE, inJson('output_token_details', 'reasoning')),
    row('reasoningTokens', 'gen_ai.usage.output_token_details', inJson('reasoning')),
  ],
  captured: [
    ['toolArgs', INPUTS],
    ['toolResult', OUTPUTS],
  ],
  marker: RUN_TYPE,
  infer,
  inferDetails,
  ...content,
  toolArgs: content.toolArgs.map((finder) => unlessHidden(finder, isInputHidden)),
  toolResult: content.toolResult.map((finder) => unlessHidden(finder, isOutputHidden)),
  error: [
    { rule: 'exception of a run', key: RUN_TYPE, find: runError },
    { rule: `${OUTPUTS} status`, key: RUN_TYPE, find: toolMessageError },
  ],
};

/** Content that the user hides is `{}`. A run's output is otherwise never that: it is `{outputs: …}`. */
function isOutputHidden({ span }: Evidence): boolean {
  return span.attributes.text(OUTPUTS) === '{}';
}

/** `{}` is also what a tool without parameters is given, and then something comes out. */
function isInputHidden(evidence: Evidence): boolean {
  const { attributes } = evidence.span;
  return attributes.text(INPUTS) === '{}' && (!attributes.has(OUTPUTS) || isOutputHidden(evidence));
}

function unlessHidden<T>(finder: Finder<T>, isHidden: (evidence: Evidence) => boolean): Finder<T> {
  return { ...finder, find: (evidence) => (isHidden(evidence) ? undefined : finder.find(evidence)) };
}

function infer(draft: Draft, span: SpanView): void {
  const { attributes } = span;
  const runType = attributes.text(RUN_TYPE);
  if (draft.kind === 'step' && runType === 'chain' && span.parentSpanId === undefined && !isPlumbing(span)) {
    // A chain with nothing around it is what the user called.
    draft.kind = 'workflow';
    draft.rules?.set('kind', `${RUN_TYPE} at the root`);
  } else if (draft.kind === 'tool' && draft.toolCallId === undefined) {
    const message = toolMessageIn(jsonIn(attributes.text(OUTPUTS), 'tool_call_id'));
    draft.set('toolCallId', message?.tool_call_id, `${OUTPUTS} tool_call_id`);
  } else if (draft.kind === 'llm' && (draft.inputTokens ?? draft.outputTokens) === undefined) {
    settleRawUsage(draft, jsonIn(attributes.text(OUTPUTS), '"usage'), `${OUTPUTS} usage`);
  }
}

function isPlumbing({ attributes }: SpanView): boolean {
  const tags = attributes.text('langsmith.span.tags') ?? '';
  return tags.split(',').some((tag) => tag.trim() === 'langsmith:hidden');
}

/** The run that an application starts is called like its agent; what LangChain runs inside is not. */
function inferDetails(draft: Draft, span: SpanView): void {
  if (draft.agentName !== undefined || span.parentSpanId !== undefined) return;
  // A model that was called without anything around it is called after its class.
  if (draft.kind === 'llm' && span.attributes.text('langsmith.trace.name') === span.name) return;
  draft.set('agentName', agentNameIn(span.name), 'span name');
}

function inJson(...path: readonly string[]): (value: AttributeValue) => number | undefined {
  return (value) => {
    let at: unknown = decodeJsonish(value).value;
    for (const name of path) at = member(at, name);
    return typeof at === 'number' ? asCount(at) : undefined;
  };
}

function jsonIn(text: string | undefined, word: string): unknown {
  return text?.includes(word) === true ? decodeJsonish(text).value : undefined;
}

function workOf({ span }: Evidence): 'model' | 'tool' | 'other' {
  const runType = span.attributes.text(RUN_TYPE);
  return runType === 'llm' ? 'model' : runType === 'tool' ? 'tool' : 'other';
}

/** The exporter says OK before it knows how the run will end, and OpenTelemetry does not let it take that back. */
function runError(evidence: Evidence): StepError | undefined {
  if (evidence.status !== 'ok') return undefined;
  const exception = exceptionFinder.find(evidence);
  if (exception === undefined) return undefined;
  const message = exception.message.replace(/^Error: /, '');
  return { type: exception.type, message, source: 'exception' };
}

function toolMessageError({ span }: Evidence): StepError | undefined {
  if (span.attributes.text(RUN_TYPE) !== 'tool') return undefined;
  const message = toolMessageIn(jsonIn(span.attributes.text(OUTPUTS), '"error"'));
  if (message?.status !== 'error') return undefined;
  const said = typeof message.content === 'string' ? message.content : '';
  return { type: 'tool_error', message: said, source: `${OUTPUTS} status` };
}
