/**
 * The Vercel AI SDK's own keys: all of versions 3 to 6, and of 7 where the old form was asked for (`LegacyOpenTelemetry`).
 * Version 7 by default follows the GenAI conventions and keeps only a few `ai.*` figures.
 *
 *     ai.generateText               {system?, prompt? | messages?} in ai.prompt; the answer in ai.response.text or .object
 *       ai.generateText.doGenerate  one model call: ai.prompt.messages, ai.response.{text, reasoning, toolCalls, object}
 *       ai.toolCall                 ai.toolCall.{name, id, args, result}; below ….doStream where the answer is streamed
 *
 * The outer span repeats tokens: in version 4 the last step's, later the sum. A tool without `execute` runs in the client
 * and has no span. Before version 4 the answer was in `ai.result.*`.
 */
import type { AttributeValue } from '../../model/attribute-value.ts';
import type { SpanView } from '../../otlp/views.ts';
import type { Part, StepKind } from '../../model/step.ts';
import { contentOf } from '../content.ts';
import { attributeFinder } from '../attribute-finder.ts';
import type { Dialect, Finder } from '../dialect.ts';
import type { Draft } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { finishReasonsOf } from '../finish-reason.ts';
import { decodeJsonish, isPresent, isRedactionMarker, member } from '../jsonish.ts';
import { decodeMessages, messageOf, type MessageList } from '../chat-messages.ts';
import { asCount, asKind, asText, row, rows } from '../rows.ts';

const OPERATIONS: ReadonlyMap<string, StepKind> = new Map<string, StepKind>([
  ['ai.generateText', 'agent'],
  ['ai.generateText.doGenerate', 'llm'],
  ['ai.streamText', 'agent'],
  ['ai.streamText.doStream', 'llm'],
  ['ai.generateObject', 'agent'],
  ['ai.generateObject.doGenerate', 'llm'],
  ['ai.streamObject', 'agent'],
  ['ai.streamObject.doStream', 'llm'],
  ['ai.workflowAgent.stream', 'agent'],
  ['ai.toolCall', 'tool'],
  ['ai.embed', 'step'],
  ['ai.embed.doEmbed', 'embedding'],
  ['ai.embedMany', 'step'],
  ['ai.embedMany.doEmbed', 'embedding'],
  ['ai.rerank', 'step'],
  ['ai.rerank.doRerank', 'rerank'],
]);

/** Data that a provider adds. Before version 6, for cached and reasoned tokens, the only place. */
const METADATA = 'ai.response.providerMetadata';
const CACHE_READ = [
  'cacheReadInputTokens',
  'cache_read_input_tokens',
  'cachedPromptTokens',
  'cachedContentTokenCount',
  'promptCacheHitTokens',
];
const CACHE_WRITE = ['cacheCreationInputTokens', 'cache_creation_input_tokens', 'cacheWriteInputTokens'];
const REASONING = ['reasoningTokens', 'thoughtsTokenCount'];

export const vercel: Dialect = {
  name: 'vercel',
  rows: [
    row('kind', 'ai.operationId', asKind(OPERATIONS)),
    row('kind', 'operation.name', operationKind),
    ...rows('agentName', asText, ['ai.telemetry.functionId']),
    ...rows('toolName', asText, ['ai.toolCall.name']),
    ...rows('toolCallId', asText, ['ai.toolCall.id']),
    ...rows('requestModel', asText, ['ai.model.id']),
    ...rows('responseModel', asText, ['ai.response.model']),
    row('provider', 'ai.model.provider', (value) => asText(value)?.split('.', 1)[0]),
    ...rows('responseId', asText, ['ai.response.id']),
    ...rows('finishReasons', finishReasonsOf, ['ai.response.finishReason', 'ai.finishReason']),
    // Version 4 computes with NaN if a provider reports no usage; `asCount` ignores it.
    ...rows('inputTokens', asCount, ['ai.usage.inputTokens', 'ai.usage.promptTokens', 'ai.usage.tokens']),
    ...rows('outputTokens', asCount, ['ai.usage.outputTokens', 'ai.usage.completionTokens']),
    ...rows('cacheReadTokens', asCount, ['ai.usage.inputTokenDetails.cacheReadTokens', 'ai.usage.cachedInputTokens']),
    row('cacheReadTokens', METADATA, ofProvider(CACHE_READ)),
    ...rows('cacheWriteTokens', asCount, ['ai.usage.inputTokenDetails.cacheWriteTokens']),
    row('cacheWriteTokens', METADATA, ofProvider(CACHE_WRITE)),
    ...rows('reasoningTokens', asCount, ['ai.usage.outputTokenDetails.reasoningTokens', 'ai.usage.reasoningTokens']),
    row('reasoningTokens', METADATA, ofProvider(REASONING)),
  ],
  captured: [
    ['input', 'ai.prompt.messages'],
    ['input', 'ai.prompt'],
    ['output', 'ai.response.text'],
    ['output', 'ai.response.object'],
    ['output', 'ai.response.toolCalls'],
    ['output', 'ai.result.text'],
    ['output', 'ai.result.object'],
    ['output', 'ai.result.toolCalls'],
    ['toolArgs', 'ai.toolCall.args', 'keep'],
    ['toolResult', 'ai.toolCall.result', 'keep'],
  ],
  infer,
  messagesIn: [attributeFinder('ai.prompt.messages', modelPrompt), attributeFinder('ai.prompt', agentPrompt)],
  messagesOut: [answerUnder('ai.response'), answerUnder('ai.result')],
  input: ['ai.value', 'ai.values'].map((key) =>
    attributeFinder(key, ({ span }) => contentIfThere(span.attributes.get(key))),
  ),
  toolArgs: [attributeFinder('ai.toolCall.args')],
  toolResult: [attributeFinder('ai.toolCall.result')],
};

/** Releases that write no `ai.operationId`: the operation, a blank, and what the application calls it. */
function operationKind(value: AttributeValue): StepKind | undefined {
  return typeof value === 'string' ? OPERATIONS.get(value.split(' ', 1)[0] ?? '') : undefined;
}

/** `{openai: {cachedPromptTokens}}`, or one level further down: `{google: {usageMetadata: {thoughtsTokenCount}}}`. */
function ofProvider(names: readonly string[]): (value: AttributeValue) => number | undefined {
  return (value) => {
    // Nearly none has any of them, so that hardly any is parsed.
    if (typeof value === 'string' && !names.some((name) => value.includes(name))) return undefined;
    for (const said of Object.values(decodedObject(value))) {
      for (const holder of [said, ...Object.values(decodedObject(said))]) {
        for (const name of names) {
          const found = member(holder, name);
          const count = typeof found === 'number' ? asCount(found) : undefined;
          if (count !== undefined) return count;
        }
      }
    }
    return undefined;
  };
}

function decodedObject(value: unknown): object {
  // The cast widens: decodeJsonish only asks whether it is a string.
  const decoded = decodeJsonish(value as AttributeValue).value;
  return typeof decoded === 'object' && decoded !== null && !Array.isArray(decoded) ? decoded : {};
}

function infer(draft: Draft, span: SpanView): void {
  if (span.statusCode === 'error') inferStatus(draft, span);
  inferCache(draft, span);
}

/**
 * Once something failed in a trace, `@arizeai/openinference-vercel` gives all spans that end later the same status. The SDK
 * itself writes a message only together with the exception.
 */
function inferStatus(draft: Draft, span: SpanView): void {
  const { attributes } = span;
  if (span.statusMessage === '' || !attributes.has('openinference.span.kind')) return;
  for (const event of span.events) if (event.name === 'exception') return;
  if (attributes.has('ai.operationId')) draft.set('statusIsCopied', true, 'no exception');
}

/** Before version 6, Anthropic's input count was handed on as Anthropic gives it: without what was in the cache. */
function inferCache(draft: Draft, span: SpanView): void {
  if ((draft.cacheReadTokens ?? 0) + (draft.cacheWriteTokens ?? 0) === 0) return;
  const { attributes } = span;
  if (!attributes.has('ai.operationId') || attributes.has('ai.usage.inputTokenDetails.noCacheTokens')) return;
  const provider = attributes.text('ai.model.provider') ?? '';
  if (provider.includes('anthropic') || provider.includes('bedrock')) {
    draft.set('cacheIsExtra', true, 'ai.model.provider');
  }
}

function modelPrompt({ span }: Evidence): MessageList | undefined {
  return listOf(span.attributes.get('ai.prompt.messages'));
}

/** Input of the application: a system prompt, and a text or messages. */
function agentPrompt({ span }: Evidence): MessageList | undefined {
  const value = span.attributes.get('ai.prompt');
  if (!isPresent(value)) return undefined;
  const decoded = decodeJsonish(value);
  if (typeof decoded.value === 'string') return listOf(value);
  const said = member(decoded.value, 'messages') ?? member(decoded.value, 'prompt');
  // The cast widens: what was decoded consists of AttributeValues all the way down.
  const asked = decodeMessages((said ?? '') as AttributeValue, 'user');
  const instructions = messageOf(systemOf(decoded.value), 'system');
  const messages = [...instructions, ...asked.messages];
  if (messages.length === 0) return undefined;
  const state = decoded.state !== 'whole' || asked.state === 'missing' ? decoded.state : asked.state;
  return { state, messages };
}

/** Text; since version 6 also a message or several. */
function systemOf(prompt: unknown): unknown {
  const system = member(prompt, 'system') ?? member(prompt, 'instructions');
  if (!Array.isArray(system)) return system;
  return { role: 'system', content: system.map((message: unknown) => member(message, 'content') ?? message) };
}

function listOf(value: AttributeValue | undefined): MessageList | undefined {
  if (!isPresent(value)) return undefined;
  const list = decodeMessages(value, 'user');
  return list.state === 'missing' ? undefined : list;
}

/** Text, reasoning, requested calls and object are an attribute each. */
function answerUnder(prefix: string): Finder<MessageList> {
  return {
    rule: prefix,
    key: `${prefix}.*`,
    find: ({ span }) => {
      const read = (name: string) => {
        const value = span.attributes.get(`${prefix}.${name}`);
        return isPresent(value) ? value : undefined;
      };
      const parts: Part[] = [];
      const reasoning = read('reasoning');
      if (typeof reasoning === 'string') parts.push({ type: 'reasoning', text: reasoning });
      const said = read('text') ?? read('object');
      const text = said === undefined ? '' : contentOf(said).text;
      if (text !== '') parts.push({ type: 'text', text });
      const requested = read('toolCalls');
      const calls = requested === undefined ? undefined : decodeJsonish(requested);
      const [message] = messageOf({ role: 'assistant', tool_calls: calls?.value }, 'assistant');
      parts.push(...(message?.parts ?? []));
      if (parts.length === 0) return undefined;
      const state = isRedactionMarker(text) ? 'redacted' : (calls?.state ?? 'whole');
      return { state, messages: [{ role: 'assistant', name: undefined, parts, finishReason: undefined }] };
    },
  };
}

function contentIfThere(value: AttributeValue | undefined) {
  return isPresent(value) ? contentOf(value) : undefined;
}
