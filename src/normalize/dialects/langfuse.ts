/**
 * Langfuse's SDKs (`@langfuse/otel`, Python from version 3), by hand, around a provider's client, and as LangChain's handler:
 *
 *     langfuse.observation.type      span, generation, agent, tool, chain, retriever, embedding, guardrail, evaluator, event
 *     langfuse.observation.input     text, or JSON: a request {messages, tools}, messages, arguments
 *     langfuse.observation.output    text, or JSON: a message, {messages}, a LangChain message, a result
 *     langfuse.observation.level     ERROR, and why in .status_message; the span's own status is left unset
 *
 * A function observed in Python was given {args, kwargs}. Counts in `usage_details` add up: `input` is what is left when the `input_*` (cached, audio) are taken off. An observed
 * function that threw has `{error}` as its output. LangChain's handler calls the role of a tool's message by the tool's name.
 */
import type { AttributeValue } from '../../model/attribute-value.ts';
import type { SpanView } from '../../otlp/views.ts';
import type { StepError, StepKind } from '../../model/step.ts';
import { contentOf } from '../content.ts';
import { attributeFinder } from '../attribute-finder.ts';
import type { Dialect } from '../dialect.ts';
import type { Draft } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { decodeJsonish, isPresent, member, memberText } from '../jsonish.ts';
import { toolMessageIn } from '../langchain.ts';
import { decodeMessages, type MessageList } from '../chat-messages.ts';
import { wordsIn } from '../plain-text.ts';
import { argumentsIn, resultIn } from '../wrappings.ts';
import { asCount, asKind, asNumber, asText, row, rows } from '../rows.ts';
import { UNTYPED_ERROR } from './otel.ts';

const TYPE = 'langfuse.observation.type';
const INPUT = 'langfuse.observation.input';
const OUTPUT = 'langfuse.observation.output';
const TRACE_INPUT = 'langfuse.trace.input';
const TRACE_OUTPUT = 'langfuse.trace.output';
const LEVEL = 'langfuse.observation.level';
const USAGE = 'langfuse.observation.usage_details';

/** A `span` may be anything, and is a step if nothing else says what it is. */
const TYPES: ReadonlyMap<string, StepKind> = new Map<string, StepKind>([
  ['agent', 'agent'],
  ['generation', 'llm'],
  ['tool', 'tool'],
  ['chain', 'step'],
  ['retriever', 'retrieval'],
  ['embedding', 'embedding'],
  ['guardrail', 'guardrail'],
  ['evaluator', 'evaluator'],
]);

export const langfuse: Dialect = {
  name: 'langfuse',
  rows: [
    row('kind', TYPE, asKind(TYPES)),
    ...rows('agentName', asText, ['langfuse.observation.metadata.lc_agent_name']),
    ...rows('agentVersion', asText, ['langfuse.version', 'langfuse.release']),
    ...rows('responseModel', asText, ['langfuse.observation.model.name']),
    row('inputTokens', USAGE, usage(inputTokens)),
    row('outputTokens', USAGE, usage(outputTokens)),
    row('cacheReadTokens', USAGE, usage(cacheReadTokens)),
    row('cacheWriteTokens', USAGE, usage(cacheWriteTokens)),
    row('reasoningTokens', USAGE, usage(reasoningTokens)),
    row('costUsd', 'langfuse.observation.cost_details', usage(cost)),
    ...rows('errorMessage', asText, ['langfuse.observation.status_message']),
    ...rows('environment', asText, ['langfuse.environment']),
  ],
  captured: [
    ['input', INPUT],
    ['output', OUTPUT],
    ['toolArgs', INPUT],
    ['toolResult', OUTPUT],
  ],
  infer,
  inferDetails,
  messagesIn: [
    attributeFinder(INPUT, ({ span }) => messagesOf(span.attributes.get(INPUT), 'user')),
    attributeFinder(TRACE_INPUT, ({ span }) => messagesOf(span.attributes.get(TRACE_INPUT), 'user')),
  ],
  messagesOut: [
    attributeFinder(OUTPUT, (evidence) => messagesOf(outputOf(evidence, OUTPUT), 'assistant')),
    attributeFinder(TRACE_OUTPUT, (evidence) => messagesOf(outputOf(evidence, TRACE_OUTPUT), 'assistant')),
  ],
  input: [INPUT, TRACE_INPUT].map((key) =>
    attributeFinder(key, ({ span }) => wordsIn(span.attributes.get(key), 'user')),
  ),
  output: [OUTPUT, TRACE_OUTPUT].map((key) =>
    attributeFinder(key, (evidence) => wordsIn(named(outputOf(evidence, key) ?? ''), 'assistant')),
  ),
  toolArgs: [attributeFinder(INPUT, ({ span }) => argumentsIn(span.attributes.get(INPUT)))],
  toolResult: [attributeFinder(OUTPUT, (evidence) => resultIn(outputOf(evidence, OUTPUT)))],
  error: [attributeFinder(LEVEL, levelError), attributeFinder(OUTPUT, toolMessageError)],
};

function infer(draft: Draft, { attributes }: SpanView): void {
  if (draft.kind === undefined && attributes.text(TYPE) === 'span') draft.set('kind', 'step', TYPE);
}

/** An observation is called by whoever made it; one of an agent is called like the agent. */
function inferDetails(draft: Draft, { attributes, name }: SpanView): void {
  if (draft.kind === 'agent' && attributes.has(TYPE)) draft.set('agentName', name, 'span name');
}

function ifThere(value: AttributeValue | undefined): AttributeValue | undefined {
  return isPresent(value) ? value : undefined;
}

function messagesOf(value: AttributeValue | undefined, role: 'user' | 'assistant'): MessageList | undefined {
  if (!isPresent(value)) return undefined;
  const list = decodeMessages(named(value), role);
  // JSON that is no message, such as a function's arguments, is for the finders of plain content.
  return list.messages.every(({ parts }) => parts.length === 0) && list.state === 'whole' ? undefined : list;
}

/** Form in which LangChain's handler writes a tool's message: `{content, additional_kwargs, role: 'look_up'}`. */
function named(value: AttributeValue): AttributeValue {
  if (typeof value !== 'string' || !value.includes('"additional_kwargs"')) return value;
  const decoded = decodeJsonish(value).value;
  const list = Array.isArray(decoded) ? decoded : member(decoded, 'messages');
  if (!Array.isArray(list)) return value;
  // The cast widens: parsed JSON consists of AttributeValues all the way down.
  return list.map((message: unknown) => (isNamedByTool(message) ? asToolMessage(message) : message)) as AttributeValue;
}

const ROLES: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'human', 'assistant', 'ai', 'tool']);

function isNamedByTool(message: unknown): boolean {
  const role = memberText(message, 'role');
  return role !== undefined && !ROLES.has(role) && member(message, 'additional_kwargs') !== undefined;
}

function asToolMessage(message: unknown): unknown {
  return { role: 'tool', name: member(message, 'role'), content: member(message, 'content') };
}

/** Unless it is only the error again. */
function outputOf({ span: { attributes } }: Evidence, key: string): AttributeValue | undefined {
  const value = attributes.get(key);
  if (!isPresent(value) || attributes.text(LEVEL) !== 'ERROR') return ifThere(value);
  const decoded = decodeJsonish(value).value;
  const isError = member(decoded, 'error') !== undefined && Object.keys(decoded ?? {}).length === 1;
  return isError ? undefined : value;
}

function levelError({ span: { attributes } }: Evidence): StepError | undefined {
  if (attributes.text(LEVEL) !== 'ERROR') return undefined;
  const message = attributes.text('langfuse.observation.status_message') ?? '';
  return { type: attributes.text('error.type') ?? UNTYPED_ERROR, message, source: LEVEL };
}

function toolMessageError({ span: { attributes } }: Evidence): StepError | undefined {
  const value = attributes.text(OUTPUT);
  if (value?.includes('"tool_call_id"') !== true) return undefined;
  const message = toolMessageIn(decodeJsonish(value).value);
  if (message?.status !== 'error') return undefined;
  return { type: 'tool_error', message: contentOf(message.content).text, source: OUTPUT };
}

type Counts = ReadonlyMap<string, number>;

function usage(read: (counts: Counts) => number | undefined): (value: AttributeValue) => number | undefined {
  return (value) => {
    const decoded = decodeJsonish(value).value;
    if (typeof decoded !== 'object' || decoded === null) return undefined;
    const counts = new Map<string, number>();
    for (const [name, count] of Object.entries(decoded)) {
      addCount(counts, name, count);
      if (typeof count !== 'object' || count === null) continue;
      for (const [detail, part] of Object.entries(count)) addCount(counts, `${name}.${detail}`, part);
    }
    return read(counts);
  };
}

function addCount(counts: Map<string, number>, name: string, count: unknown): void {
  const number = typeof count === 'number' ? asNumber(count) : undefined;
  if (number !== undefined) counts.set(name, number);
}

/** Input tokens, also by a provider's names, which include the details. */
function inputTokens(counts: Counts): number | undefined {
  const input = counts.get('input');
  if (input === undefined)
    return asCount(firstOf(counts, ['prompt_tokens', 'input_tokens', 'promptTokens']) ?? Number.NaN);
  return asCount(
    input +
      details(counts, 'input_') +
      (counts.get('cache_read_input_tokens') ?? 0) +
      (counts.get('cache_creation_input_tokens') ?? 0),
  );
}

function outputTokens(counts: Counts): number | undefined {
  const output = counts.get('output');
  if (output === undefined) {
    return asCount(firstOf(counts, ['completion_tokens', 'output_tokens', 'completionTokens']) ?? Number.NaN);
  }
  return asCount(output + details(counts, 'output_'));
}

function details(counts: Counts, prefix: string): number {
  let sum = 0;
  for (const [name, count] of counts) if (name.startsWith(prefix)) sum += count;
  return sum;
}

function cacheReadTokens(counts: Counts): number | undefined {
  return firstOf(counts, [
    'input_cached_tokens',
    'input_cache_read',
    'cache_read_input_tokens',
    'prompt_tokens_details.cached_tokens',
    'input_tokens_details.cached_tokens',
  ]);
}

function cacheWriteTokens(counts: Counts): number | undefined {
  return firstOf(counts, ['input_cache_creation', 'input_cache_write', 'cache_creation_input_tokens']);
}

function reasoningTokens(counts: Counts): number | undefined {
  return firstOf(counts, [
    'output_reasoning_tokens',
    'output_reasoning',
    'reasoning_tokens',
    'completion_tokens_details.reasoning_tokens',
    'output_tokens_details.reasoning_tokens',
  ]);
}

function firstOf(counts: Counts, names: readonly string[]): number | undefined {
  for (const name of names) {
    const count = counts.get(name);
    if (count !== undefined) return count;
  }
  return undefined;
}

function cost(counts: Counts): number | undefined {
  const total = counts.get('total');
  if (total !== undefined) return total;
  return counts.size === 0 ? undefined : [...counts.values()].reduce((sum, part) => sum + part, 0);
}
