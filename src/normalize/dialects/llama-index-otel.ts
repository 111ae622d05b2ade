/**
 * LlamaIndex as its own integration records it (`llama-index-observability-otel`): each method has a span, and what
 * happened in it is in span events whose members are flattened:
 *
 *     AgentWorkflow.run > AgentWorkflow.run_agent_step > OpenAI.achat      LLMChatStartEvent, LLMChatEndEvent
 *                       > AgentWorkflow.call_tool > FunctionTool.acall
 *     messages                    of both events: [{role, additional_kwargs, blocks}]
 *     response.message.*          {role, additional_kwargs, blocks}
 *     response.raw.*              the answer of the model's API
 *     llamaindex.step.input_summary = ToolCall(tool_name='…', tool_kwargs={…}, tool_id='…')      on a tool, cut if long
 *
 * No span has what a tool gave back: the next model call does.
 */
import { pythonObject } from '../../model/python-literal.ts';
import type { AttributeValue } from '../../model/attribute-value.ts';
import type { StepKind } from '../../model/step.ts';
import type { Attributes, SpanView } from '../../otlp/views.ts';
import { decodeMessages, type MessageList } from '../chat-messages.ts';
import { attributeFinder } from '../attribute-finder.ts';
import type { Dialect } from '../dialect.ts';
import type { Draft } from '../draft.ts';
import { decodeJsonish, isPresent, member, memberText } from '../jsonish.ts';
import { settleRawUsage } from '../raw-usage.ts';

const SCOPE = 'llamaindex.opentelemetry.tracer';
const SUMMARY = 'llamaindex.step.input_summary';
const USAGE = 'response.raw.usage.';

/** Kinds by the event with which the work begins. */
const BEGINNINGS: ReadonlyMap<string, StepKind> = new Map<string, StepKind>([
  ['LLMChatStartEvent', 'llm'],
  ['LLMCompletionStartEvent', 'llm'],
  ['EmbeddingStartEvent', 'embedding'],
  ['RetrievalStartEvent', 'retrieval'],
  ['ReRankStartEvent', 'rerank'],
]);
const ENDS: ReadonlySet<string> = new Set(['LLMChatEndEvent', 'LLMCompletionEndEvent']);
const TOOL = /\.a?call$/;
const TOOL_CALL = /^ToolCall\(tool_name='([^'\\]{1,256})'/;

export const llamaIndexOtel: Dialect = {
  name: 'llama-index-otel',
  infer,
  inferDetails,
  messagesIn: [{ rule: 'messages of LLMChatStartEvent', find: ({ span }) => asked(span) }],
  messagesOut: [{ rule: 'response of LLMChatEndEvent', find: ({ span }) => answered(span) }],
  toolArgs: [attributeFinder(SUMMARY, ({ span }) => toolArgs(span))],
};

function infer(draft: Draft, span: SpanView): void {
  if (span.scope.name !== SCOPE) return;
  const called = TOOL.test(span.name) ? span.attributes.text(SUMMARY) : undefined;
  const toolName = TOOL_CALL.exec(called ?? '')?.[1];
  if (called !== undefined && toolName !== undefined) {
    draft.set('kind', 'tool', SUMMARY);
    draft.set('toolName', toolName, SUMMARY);
    draft.set('toolCallId', memberText(pythonObject(called), 'tool_id'), SUMMARY);
    return;
  }
  draft.set('kind', span.name.endsWith('.run') ? 'workflow' : (kindByEvents(span) ?? 'step'), 'span name and events');
  const end = draft.kind === 'llm' ? endOf(span) : undefined;
  if (end !== undefined) settleRawUsage(draft, { usage: nestedUnder(end, USAGE) }, `${USAGE}*`);
}

function inferDetails(draft: Draft, span: SpanView): void {
  if (draft.kind !== 'llm' || span.scope.name !== SCOPE) return;
  const [start, end] = [startOf(span), endOf(span)];
  draft.set('requestModel', start?.text('model_dict.model_name'), 'model_dict.model_name');
  draft.set('responseModel', end?.text('response.raw.model'), 'response.raw.model');
  draft.set('responseId', end?.text('response.raw.id'), 'response.raw.id');
}

function kindByEvents(span: SpanView): StepKind | undefined {
  if (!span.hasEvents) return undefined;
  for (const { name } of span.events) {
    const kind = BEGINNINGS.get(name);
    if (kind !== undefined) return kind;
  }
  return undefined;
}

function startOf({ events }: SpanView): Attributes | undefined {
  return events.find(({ name }) => BEGINNINGS.has(name))?.attributes;
}

function endOf({ events }: SpanView): Attributes | undefined {
  return events.findLast(({ name }) => ENDS.has(name))?.attributes;
}

function asked(span: SpanView): MessageList | undefined {
  if (span.scope.name !== SCOPE || !span.hasEvents) return undefined;
  const start = startOf(span);
  const messages = start?.get('messages') ?? start?.get('prompt');
  return isPresent(messages) ? decodeMessages(messages, 'user') : undefined;
}

function answered(span: SpanView): MessageList | undefined {
  const end = span.scope.name === SCOPE && span.hasEvents ? endOf(span) : undefined;
  if (end === undefined) return undefined;
  const choices = decoded(end, 'response.raw.choices');
  const message = {
    role: 'assistant',
    blocks: decoded(end, 'response.message.blocks') ?? end.text('response.text'),
    additional_kwargs: { tool_calls: decoded(end, 'response.message.additional_kwargs.tool_calls') },
    finish_reason: memberText(Array.isArray(choices) ? choices[0] : undefined, 'finish_reason'),
  };
  // The cast holds: parsed JSON consists of AttributeValues.
  return decodeMessages([message] as unknown as AttributeValue, 'assistant');
}

function decoded(attributes: Attributes, key: string): unknown {
  const value = attributes.get(key);
  return isPresent(value) ? decodeJsonish(value).value : undefined;
}

function toolArgs(span: SpanView): AttributeValue | undefined {
  const called = span.scope.name === SCOPE ? span.attributes.text(SUMMARY) : undefined;
  const args = called?.startsWith('ToolCall(') === true ? member(pythonObject(called), 'tool_kwargs') : undefined;
  // The cast holds: what was printed consists of AttributeValues.
  return args as AttributeValue | undefined;
}

/** Members that were flattened, two deep: `prompt_tokens`, `prompt_tokens_details.cached_tokens`. */
function nestedUnder(attributes: Attributes, prefix: string): object {
  // Maps, since a name from a span may be `__proto__`.
  const members = new Map<string, unknown>();
  const details = new Map<string, Map<string, unknown>>();
  for (const key of attributes.keys()) {
    if (!key.startsWith(prefix)) continue;
    const [name = '', detail] = key.slice(prefix.length).split('.');
    if (detail === undefined) members.set(name, attributes.get(key));
    else details.set(name, (details.get(name) ?? new Map<string, unknown>()).set(detail, attributes.get(key)));
  }
  for (const [name, inside] of details) members.set(name, Object.fromEntries(inside));
  return Object.fromEntries(members);
}
