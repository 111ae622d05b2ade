/**
 * Claude Code and the Claude Agent SDK: the traces (beta) and logs that the CLI writes, and OpenInference's spans of the SDK.
 *
 *     span.type      interaction (one prompt and all that follows), llm_request, tool; below a tool tool.blocked_on_user, the
 *                    wait for permission, and tool.execution, the same call again. Some releases put `claude_code.` before it
 *     input_tokens   without what was read from or written to the cache
 *     user_prompt    on the interaction; span event tool.output on the tool
 *
 * The rest is in log records, which have the ids of the interaction:
 *
 *     tool_result           tool_use_id, tool_input, success, error
 *     assistant_response    response, query_source: what was said to the user, unless it was a title or the like
 *
 * They become what came out of the interaction: calls, failures and the answer, from which the tools' spans are completed.
 * Texts are `<REDACTED>` unless the user asked for them. Tools over MCP are `mcp__<server>__<tool>` to the model; the CLI
 * calls them by their own name, and so do we.
 */
import type { AttributeValue } from '../../model/attribute-value.ts';
import type { SpanView } from '../../otlp/views.ts';
import type { Content, Message, Part, StepError, StepKind } from '../../model/step.ts';
import { contentOf, MISSING, textContent } from '../content.ts';
import { attributeFinder } from '../attribute-finder.ts';
import type { Dialect } from '../dialect.ts';
import type { Draft } from '../draft.ts';
import type { Evidence, EventView } from '../evidence.ts';
import { decodeJsonish, isPresent, isRedactionMarker, memberText } from '../jsonish.ts';
import { messageList, type MessageList } from '../chat-messages.ts';
import { unwrappedResult } from '../tool-results.ts';
import { asBoolean, asCount, asText, row, rows } from '../rows.ts';

const TYPE = 'span.type';
const SCOPE = 'com.anthropic.claude_code';
const PROMPT = 'user_prompt';
const SUCCESS = 'success';
const OUTPUT = 'output.value';
const API_ERROR = 'API Error';
const OPEN_INFERENCE_SCOPE = '@arizeai/openinference-instrumentation-claude-agent-sdk';

const TYPES: ReadonlyMap<string, StepKind> = new Map<string, StepKind>([
  ['interaction', 'agent'],
  ['llm_request', 'llm'],
  ['tool', 'tool'],
  ['tool.execution', 'step'],
  ['tool.blocked_on_user', 'step'],
  ['hook', 'step'],
]);

/** Sources whose requests produce the answer for the user; others make titles, suggestions, summaries. */
const SPEAKING: ReadonlySet<string> = new Set(['sdk', 'repl_main_thread']);

export const claudeCode: Dialect = {
  name: 'claude-code',
  rows: [
    ...rows('toolCallId', asText, ['tool_use_id']),
    row('requestModel', 'model', asText),
    ...rows('inputTokens', asCount, ['input_tokens']),
    ...rows('outputTokens', asCount, ['output_tokens']),
    ...rows('cacheReadTokens', asCount, ['cache_read_tokens']),
    ...rows('cacheWriteTokens', asCount, ['cache_creation_tokens']),
  ],
  captured: [['input', PROMPT]],
  infer,
  messagesOut: [{ rule: 'claude_code logs', key: TYPE, find: toldInLogs }],
  input: [attributeFinder(PROMPT, prompt)],
  output: [
    { rule: API_ERROR, key: OUTPUT, find: (evidence) => (apiError(evidence) === undefined ? undefined : MISSING) },
  ],
  toolArgs: [{ rule: 'tool_input', key: TYPE, find: toolInput }],
  toolResult: [
    { rule: 'tool.output', key: TYPE, find: toolOutput },
    { rule: `claude ${OUTPUT}`, key: OUTPUT, find: toolContent },
  ],
  error: [attributeFinder(SUCCESS, failure), { rule: API_ERROR, key: OUTPUT, find: apiError }],
};

function infer(draft: Draft, span: SpanView): void {
  const type = typeOf(span);
  if (type === undefined) {
    if (span.scope.name === OPEN_INFERENCE_SCOPE) inferOpenInference(draft);
    return;
  }
  draft.kind = TYPES.get(type) ?? 'step';
  draft.rules?.set('kind', TYPE);
  if (draft.kind === 'tool') {
    draft.set('toolName', plainName(span.attributes.text('tool_name')), 'tool_name');
  } else if (draft.kind === 'llm') draft.set('cacheIsExtra', true, TYPE);
}

/** OpenInference's counts are those of the API, too. */
function inferOpenInference(draft: Draft): void {
  if (draft.inputTokens !== undefined) draft.set('cacheIsExtra', true, 'scope');
  if (draft.toolName !== undefined) draft.toolName = plainName(draft.toolName);
}

/** The words are anybody's; with the scope or the name of the span they are Claude Code's. */
function typeOf({ attributes, scope, name }: SpanView): string | undefined {
  const type = attributes.text(TYPE);
  if (type === undefined || !(scope.name.startsWith(SCOPE) || name.startsWith('claude_code.'))) return undefined;
  return type.startsWith('claude_code.') ? type.slice('claude_code.'.length) : type;
}

function plainName(name: string | undefined): string | undefined {
  const at = name?.startsWith('mcp__') === true ? name.indexOf('__', 'mcp__'.length) : -1;
  return at === -1 ? name : name?.slice(at + 2);
}

function prompt({ span }: Evidence): Content | undefined {
  const text = span.attributes.text(PROMPT);
  if (text === undefined || text === '' || typeOf(span) === undefined) return undefined;
  return textContent(text, isRedactionMarker(text) ? 'redacted' : 'whole');
}

function toldInLogs(evidence: Evidence): MessageList | undefined {
  if (typeOf(evidence.span) !== 'interaction') return undefined;
  const messages: Message[] = [];
  const seen = new Set<string>();
  evidence.someEvent((event) => {
    const name = eventName(event);
    if (name === 'tool_result') collectCall(event, messages, seen);
    else if (name === 'assistant_response' && isSaidToUser(event)) {
      const text = asText(event.get('response') ?? null);
      if (text !== undefined) messages.push(message('assistant', { type: 'text', text }));
    }
    return false;
  });
  return messages.length === 0 ? undefined : messageList(messages);
}

/** `claude_code.tool_result` in the body, `tool_result` in the attributes. */
function eventName(event: EventView): string {
  const name = event.name === '' ? event.get('event.name') : event.name;
  if (typeof name !== 'string') return '';
  return name.startsWith('claude_code.') ? name.slice('claude_code.'.length) : name;
}

function isSaidToUser(event: EventView): boolean {
  const source = event.get('query_source');
  return typeof source !== 'string' || SPEAKING.has(source);
}

/** A record that was delivered twice is one. The tool's result is in its span; its failure is here. */
function collectCall(event: EventView, messages: Message[], seen: Set<string>): void {
  const id = asText(event.get('tool_use_id') ?? null);
  if (id === undefined || seen.has(id)) return;
  seen.add(id);
  const args = event.get('tool_input');
  // Unless asked for details, all tools over MCP are `mcp_tool`.
  const parameters = decodeJsonish(event.get('tool_parameters') ?? null).value;
  const name = memberText(parameters, 'mcp_tool_name') ?? plainName(asText(event.get('tool_name') ?? null)) ?? '';
  messages.push(message('assistant', { type: 'tool_call', id, name, args: contentOf(args) }));
  if (asBoolean(event.get(SUCCESS) ?? null) !== false) return;
  const result = contentOf(event.get('error') ?? event.get('error_type') ?? 'the tool failed');
  messages.push(message('tool', { type: 'tool_result', id, result, failed: true }));
}

function message(role: string, part: Part): Message {
  return { role, name: undefined, parts: [part], finishReason: undefined };
}

/** The main argument of a built-in tool has a key of its own if the whole was not written. */
function toolInput({ span }: Evidence): AttributeValue | undefined {
  if (typeOf(span) !== 'tool') return undefined;
  const { attributes } = span;
  const input = attributes.get('tool_input');
  if (isPresent(input)) return input;
  const command = attributes.text('full_command');
  if (command !== undefined) return JSON.stringify({ command });
  const path = attributes.text('file_path');
  return path === undefined ? undefined : JSON.stringify({ file_path: path });
}

function toolOutput(evidence: Evidence): AttributeValue | undefined {
  if (typeOf(evidence.span) !== 'tool') return undefined;
  let found: AttributeValue | undefined;
  evidence.someEvent((event) => {
    if (event.name === 'tool.output') found = event.get('output') ?? event.get('content') ?? event.get('diff');
    return isPresent(found);
  });
  return isPresent(found) ? found : undefined;
}

/** OpenInference writes the content blocks that the tool's server sent. */
function toolContent({ span: { attributes, scope } }: Evidence): AttributeValue | undefined {
  const value = attributes.get(OUTPUT);
  if (scope.name !== OPEN_INFERENCE_SCOPE || !isPresent(value)) return undefined;
  // The cast widens: parsed JSON consists of AttributeValues all the way down.
  return unwrappedResult(decodeJsonish(value).value) as AttributeValue;
}

function failure({ span }: Evidence): StepError | undefined {
  const { attributes } = span;
  if (typeOf(span) === undefined || asBoolean(attributes.get(SUCCESS) ?? null) !== false) return undefined;
  const type = attributes.text('error_class') ?? attributes.text('error_type') ?? attributes.text('status_code');
  return { type: type ?? '_OTHER', message: attributes.text('error') ?? '', source: SUCCESS };
}

const API_ERROR_TEXT = /^API Error: (\d{3}) (.{1,4096})/s;

/** Error of a failed request, which the SDK hands on as if it were the answer, with the status OK. */
function apiError({ span: { attributes, scope } }: Evidence): StepError | undefined {
  if (scope.name !== OPEN_INFERENCE_SCOPE) return undefined;
  const [, status, message] = API_ERROR_TEXT.exec(attributes.text(OUTPUT) ?? '') ?? [];
  return status === undefined ? undefined : { type: status, message: message ?? '', source: API_ERROR };
}
