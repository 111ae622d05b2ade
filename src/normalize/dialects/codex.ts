/**
 * Codex (scopes `codex_cli_rs`, `codex_exec`, and others of its crates): one span for a turn, the model's streams below it, and
 * everything that was said in log records, which carry the ids of those spans where there are any.
 *
 *     session_task.turn      the turn: model, codex.turn.token_usage.{input,cached_input,output,reasoning_output}_tokens
 *     handle_responses       one answer of the model, with the same counts
 *     log codex.user_prompt       {prompt, conversation.id}
 *     log codex.tool_result       {tool_name, call_id, arguments, output, success}
 */
import type { SpanView } from '../../otlp/views.ts';
import type { Content, Message, Part } from '../../model/step.ts';
import { contentOf, textContent } from '../content.ts';
import type { Dialect } from '../dialect.ts';
import type { Draft } from '../draft.ts';
import type { Evidence, EventView } from '../evidence.ts';
import { isRedactionMarker } from '../jsonish.ts';
import { messageList, type MessageList } from '../chat-messages.ts';
import { asBoolean, asCount, asText, rows } from '../rows.ts';

const TURN = 'session_task.turn';
const TOKENS = 'codex.turn.token_usage';

export const codex: Dialect = {
  name: 'codex',
  rows: [
    ...rows('conversationId', asText, ['codex.conversation.id']),
    ...rows('inputTokens', asCount, [`${TOKENS}.input_tokens`]),
    ...rows('outputTokens', asCount, [`${TOKENS}.output_tokens`]),
    ...rows('cacheReadTokens', asCount, [`${TOKENS}.cached_input_tokens`]),
    ...rows('reasoningTokens', asCount, [`${TOKENS}.reasoning_output_tokens`]),
  ],
  infer,
  messagesOut: [{ rule: 'codex logs', find: calledInLogs }],
  input: [{ rule: 'codex.user_prompt', find: prompt }],
};

function infer(draft: Draft, span: SpanView): void {
  if (!span.scope.name.startsWith('codex')) return;
  if (span.name === TURN) draft.set('kind', 'agent', 'span name');
  else if (span.name === 'handle_responses') draft.set('kind', 'llm', 'span name');
  if (draft.conversationId !== undefined) return;
  const { attributes } = span;
  draft.set('conversationId', attributes.text('conversation.id'), 'conversation.id');
}

function prompt(evidence: Evidence): Content | undefined {
  if (!isTurn(evidence)) return undefined;
  let text: string | undefined;
  evidence.someEvent((event) => {
    if (nameOf(event) === 'codex.user_prompt') text = textOf(event, 'prompt');
    return text !== undefined;
  });
  return text === undefined ? undefined : textContent(text, isRedactionMarker(text) ? 'redacted' : 'whole');
}

function isTurn({ span }: Evidence): boolean {
  return span.name === TURN && span.scope.name.startsWith('codex');
}

/** Name of the event; in a log record it is the attribute `event.name`. */
function nameOf(event: EventView): string {
  return event.name === '' ? (textOf(event, 'event.name') ?? '') : event.name;
}

function textOf(event: EventView, key: string): string | undefined {
  const value = event.get(key);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A record that was delivered twice is one call. */
function calledInLogs(evidence: Evidence): MessageList | undefined {
  if (!isTurn(evidence)) return undefined;
  const messages: Message[] = [];
  const seen = new Set<string>();
  evidence.someEvent((event) => {
    const id = textOf(event, 'call_id');
    if (nameOf(event) !== 'codex.tool_result' || id === undefined || seen.has(id)) return false;
    seen.add(id);
    const args = contentOf(event.get('arguments'));
    const result = contentOf(event.get('output'));
    const isFailed = asBoolean(event.get('success') ?? null) === false;
    messages.push(
      message('assistant', { type: 'tool_call', id, name: textOf(event, 'tool_name') ?? '', args }),
      message('tool', { type: 'tool_result', id, result, ...(isFailed ? { failed: true } : {}) }),
    );
    return false;
  });
  return messages.length === 0 ? undefined : messageList(messages);
}

function message(role: string, part: Part): Message {
  return { role, name: undefined, parts: [part], finishReason: undefined };
}
