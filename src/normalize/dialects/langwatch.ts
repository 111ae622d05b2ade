/**
 * LangWatch's SDKs: spans of a type, with what went in and came out each as `{type, value}`.
 *
 *     langwatch.span.type    span, workflow, chain, agent, tool, llm, rag, guardrail, evaluation, …
 *     langwatch.input, langwatch.output     {type: 'text' | 'chat_messages' | 'json' | 'list' | 'raw', value}
 *     langwatch.metrics      {promptTokens, completionTokens, cost} in one of several spellings
 *     langwatch.thread.id    the conversation (see associations.ts)
 */
import { agentNameIn } from '../agent-names.ts';
import type { AttributeValue } from '../../model/attribute-value.ts';
import type { Content, StepKind } from '../../model/step.ts';
import { contentOf } from '../content.ts';
import { attributeFinder } from '../attribute-finder.ts';
import type { Dialect, Finder } from '../dialect.ts';
import { decodeJsonish, isPresent, member } from '../jsonish.ts';
import { decodeMessages, type MessageList } from '../chat-messages.ts';
import { asCount, asKind, asNumber, memberAs, row } from '../rows.ts';

const INPUT = 'langwatch.input';
const OUTPUT = 'langwatch.output';
const METRICS = 'langwatch.metrics';

const TYPES: ReadonlyMap<string, StepKind> = new Map<string, StepKind>([
  ['llm', 'llm'],
  ['agent', 'agent'],
  ['tool', 'tool'],
  ['workflow', 'workflow'],
  ['chain', 'step'],
  ['component', 'step'],
  ['module', 'step'],
  ['task', 'step'],
  ['rag', 'retrieval'],
  ['guardrail', 'guardrail'],
  ['evaluation', 'evaluator'],
]);

export const langWatch: Dialect = {
  name: 'langwatch',
  marker: 'langwatch.span.type',
  inferDetails: (draft, span) => {
    if (draft.kind === 'agent') draft.set('agentName', agentNameIn(span.name), 'span name');
  },
  rows: [
    row('kind', 'langwatch.span.type', asKind(TYPES)),
    row('inputTokens', METRICS, metric(['promptTokens', 'prompt_tokens'], asCount)),
    row('outputTokens', METRICS, metric(['completionTokens', 'completion_tokens'], asCount)),
    row('costUsd', METRICS, metric(['cost'], asNumber)),
  ],
  captured: [
    ['input', INPUT],
    ['output', OUTPUT],
    ['toolArgs', INPUT],
    ['toolResult', OUTPUT],
  ],
  messagesIn: [messages(INPUT, 'user')],
  messagesOut: [messages(OUTPUT, 'assistant')],
  input: [content(INPUT)],
  output: [content(OUTPUT)],
  toolArgs: [attributeFinder(INPUT, ({ span }) => insideOf(span.attributes.get(INPUT)))],
  toolResult: [attributeFinder(OUTPUT, ({ span }) => insideOf(span.attributes.get(OUTPUT)))],
};

/** Metrics are a typed value too, or plain. */
function metric<T>(names: readonly string[], read: (value: AttributeValue) => T | undefined) {
  const plain = memberAs(names, read);
  return (value: AttributeValue) => {
    const inside = insideOf(value);
    return inside === undefined ? undefined : plain(inside);
  };
}

function insideOf(value: AttributeValue | undefined): Exclude<AttributeValue, null> | undefined {
  if (!isPresent(value)) return undefined;
  const inside = untyped(decodeJsonish(value).value, 0);
  // The cast widens: parsed JSON consists of AttributeValues all the way down.
  return inside === undefined || inside === null ? value : (inside as Exclude<AttributeValue, null>);
}

/** Lists of lists of lists are nobody's tool results. */
const LISTS_MAX = 4;

/** undefined where it is no typed value. The items of a list are typed again, each for itself. */
function untyped(typed: unknown, depth: number): unknown {
  const value = typeof member(typed, 'type') === 'string' ? member(typed, 'value') : undefined;
  if (!Array.isArray(value) || member(typed, 'type') !== 'list' || depth > LISTS_MAX) return value;
  return value.map((item: unknown) => untyped(item, depth + 1) ?? item);
}

function messages(key: string, role: 'user' | 'assistant'): Finder<MessageList> {
  return attributeFinder(key, ({ span: { attributes } }) => {
    const value = attributes.get(key);
    const isLlm = attributes.text('langwatch.span.type') === 'llm';
    const isChat = isPresent(value) && member(decodeJsonish(value).value, 'type') === 'chat_messages';
    const inside = isLlm || isChat ? insideOf(value) : undefined;
    return inside === undefined ? undefined : decodeMessages(inside, role);
  });
}

function content(key: string): Finder<Content> {
  return attributeFinder(key, ({ span }) => {
    const value = insideOf(span.attributes.get(key));
    return value === undefined ? undefined : contentOf(value);
  });
}
