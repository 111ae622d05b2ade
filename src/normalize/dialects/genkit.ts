/**
 * Genkit (scope `genkit-tracer`), whose spans hold an action's input and output whole, as JSON:
 *
 *     genkit:metadata:subtype    model, tool, flow, agent, embedder, retriever, …; without one the span is a helper
 *     genkit:name                of the model (`googleai/gemini-2.5-flash`), tool or flow
 *     genkit:input               model: {messages, tools, config}; tool: arguments; flow: whatever the application hands on
 *     genkit:output              model: {message | candidates, finishReason, usage}; tool: result; flow: whatever comes back
 *
 * There is no place for a conversation's id. It may be in what a flow was given, in the context of the call (only that of the
 * outermost action is written), or be the session of a Genkit agent. `generate` calls itself again after each round of tools;
 * those helpers repeat what the models below them say. A tool's span has no id of the call: pairing gives it one.
 */
import type { SpanView } from '../../otlp/views.ts';
import type { Content, StepKind } from '../../model/step.ts';
import { contentOf, textContent } from '../content.ts';
import { attributeFinder } from '../attribute-finder.ts';
import type { Dialect, Finder } from '../dialect.ts';
import type { Draft } from '../draft.ts';
import { decodeJsonish, isPresent, member, memberText } from '../jsonish.ts';
import { decodeMessages, type MessageList } from '../chat-messages.ts';
import { asCount, asKind, asText, memberAs, row, rows } from '../rows.ts';
import { CONVERSATION_NAMES } from './associations.ts';

const SUBTYPE = 'genkit:metadata:subtype';
const NAME = 'genkit:name';
const INPUT = 'genkit:input';
const OUTPUT = 'genkit:output';

const SUBTYPES: ReadonlyMap<string, StepKind> = new Map<string, StepKind>([
  ['model', 'llm'],
  ['background-model', 'llm'],
  ['tool', 'tool'],
  ['tool.v2', 'tool'],
  ['flow', 'workflow'],
  ['agent', 'agent'],
  ['embedder', 'embedding'],
  ['retriever', 'retrieval'],
  ['indexer', 'memory'],
  ['reranker', 'rerank'],
  ['evaluator', 'evaluator'],
  ['prompt', 'step'],
  ['executable-prompt', 'step'],
]);
const TYPES: ReadonlyMap<string, StepKind> = new Map<string, StepKind>([
  ['util', 'step'],
  ['flowStep', 'step'],
  ['promptTemplate', 'step'],
  ['dotprompt', 'step'],
]);

/** Names that applications give to the text of user or agent in a flow's input or output. */
const SAID = ['message', 'prompt', 'question', 'query', 'input', 'text', 'userMessage', 'user_input'] as const;
const ANSWERED = ['reply', 'answer', 'response', 'message', 'text', 'output', 'result'] as const;

/** Far more than an id and a message need: a flow's input is read for its id when the span arrives. */
const ID_SEARCH_LENGTH_MAX = 65_536;

export const genkit: Dialect = {
  name: 'genkit',
  rows: [
    row('kind', SUBTYPE, asKind(SUBTYPES)),
    row('kind', 'genkit:type', asKind(TYPES)),
    ...rows('conversationId', asText, ['genkit:metadata:agent:sessionId']),
    row('conversationId', 'genkit:metadata:context', memberAs(CONVERSATION_NAMES, asText)),
    row('userId', 'genkit:metadata:context', memberAs(['userId', 'user_id', 'uid'], asText)),
  ],
  captured: [
    ['input', INPUT],
    ['output', OUTPUT],
    ['toolArgs', INPUT],
    ['toolResult', OUTPUT],
  ],
  infer,
  inferDetails,
  messagesIn: [messages(INPUT, 'user')],
  messagesOut: [messages(OUTPUT, 'assistant')],
  input: [spoken(INPUT, SAID)],
  output: [spoken(OUTPUT, ANSWERED)],
  toolArgs: [attributeFinder(INPUT)],
  toolResult: [attributeFinder(OUTPUT)],
};

function infer(draft: Draft, { attributes }: SpanView): void {
  if (draft.kind === 'tool') {
    if (draft.toolName === undefined) draft.set('toolName', attributes.text(NAME), NAME);
  } else if (draft.kind === 'llm') {
    if (draft.inputTokens === undefined && attributes.has(OUTPUT)) inferUsage(draft, attributes.text(OUTPUT) ?? '');
  } else if (draft.conversationId === undefined && (draft.kind === 'workflow' || draft.kind === 'agent')) {
    const input = attributes.text(INPUT);
    if (input === undefined || input.length > ID_SEARCH_LENGTH_MAX) return;
    draft.set('conversationId', memberAs(CONVERSATION_NAMES, asText)(input), INPUT);
    draft.set('userId', memberAs(['userId', 'user_id'], asText)(input), INPUT);
  }
}

function inferDetails(draft: Draft, { attributes }: SpanView): void {
  const name = attributes.text(NAME);
  if (name === undefined || !attributes.has('genkit:type')) return;
  if (draft.kind === 'workflow' || draft.kind === 'agent') draft.set('agentName', name, NAME);
  if (draft.kind !== 'llm') return;
  const slash = name.indexOf('/');
  draft.set('requestModel', slash === -1 ? name : name.slice(slash + 1), NAME);
  if (slash > 0) draft.set('provider', name.slice(0, slash), NAME);
}

/**
 * Genkit's own figures; what it leaves out (a plug-in for OpenAI drops cached tokens) is in the provider's own answer,
 * which is there too. Gemini counts thoughts beside what was said, and the total shows it.
 */
function inferUsage(draft: Draft, text: string): void {
  const output = decodeJsonish(text).value;
  const usage = member(output, 'usage');
  const raw = member(member(output, 'raw'), 'usage') ?? member(member(output, 'custom'), 'usage');
  const count = (holder: unknown, name: string) => countOf(member(holder, name));
  const input = count(usage, 'inputTokens');
  const said = count(usage, 'outputTokens');
  const thoughts =
    count(usage, 'thoughtsTokens') ?? count(member(raw, 'completion_tokens_details'), 'reasoning_tokens');
  const areThoughtsBeside = (input ?? 0) + (said ?? 0) + (thoughts ?? 0) === count(usage, 'totalTokens');
  draft.set('inputTokens', input, OUTPUT);
  draft.set('outputTokens', said === undefined || !areThoughtsBeside ? said : said + (thoughts ?? 0), OUTPUT);
  draft.set('reasoningTokens', thoughts, OUTPUT);
  draft.set(
    'cacheReadTokens',
    count(usage, 'cachedContentTokens') ??
      count(member(raw, 'prompt_tokens_details'), 'cached_tokens') ??
      count(member(member(output, 'custom'), 'usageMetadata'), 'cachedContentTokenCount'),
    OUTPUT,
  );
}

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' ? asCount(value) : undefined;
}

/** Not of flows: an application's own `{message}` is no list of messages. */
function messages(key: string, role: 'user' | 'assistant'): Finder<MessageList> {
  return attributeFinder(key, ({ span: { attributes } }) => {
    const value = attributes.get(key);
    if (!isPresent(value) || isFlow(attributes.text(SUBTYPE))) return undefined;
    const list = decodeMessages(value, role);
    return list.messages.some(({ parts }) => parts.length > 0) || list.state !== 'whole' ? list : undefined;
  });
}

function isFlow(subtype: string | undefined): boolean {
  return subtype === 'flow' || subtype === 'agent';
}

/**
 * A text, or the text in an object that applications call so. An object of which nothing says that it was said is no
 * question of the user's, but a result all the same.
 */
function spoken(key: string, names: readonly string[]): Finder<Content> {
  return attributeFinder(key, ({ span: { attributes } }) => {
    const value = attributes.get(key);
    if (!isPresent(value)) return undefined;
    const decoded = decodeJsonish(value);
    if (typeof decoded.value === 'string') return textContent(decoded.value, decoded.state);
    for (const name of names) {
      const text = memberText(decoded.value, name);
      if (text !== undefined) return textContent(text, decoded.state);
    }
    return key === OUTPUT ? contentOf(value) : undefined;
  });
}
