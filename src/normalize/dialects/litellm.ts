/**
 * LiteLLM, the proxy and the library (scope `litellm`): the GenAI conventions, and what was sent along as Python prints it.
 * A gateway sees each model call by itself, in a trace of its own:
 *
 *     POST /v1/chat/completions > … > litellm_request > raw_gen_ai_request
 *
 *     metadata.requester_metadata = {'session_id': 'conv-1', …}      what the caller gave as metadata
 *     metadata.usage_object       = {'prompt_tokens': 50, 'prompt_tokens_details': {'cached_tokens': 20}, …}
 *     gen_ai.completion.<i>.function_call.{name, arguments}      calls of tools, which gen_ai.output.messages lacks
 */
import type { AttributeValue } from '../../model/attribute-value.ts';
import { pythonLiteral } from '../../model/python-literal.ts';
import type { Message, Part } from '../../model/step.ts';
import type { SpanView } from '../../otlp/views.ts';
import { decodeMessages, messageList, type MessageList } from '../chat-messages.ts';
import { contentOf } from '../content.ts';
import type { Dialect, Finder } from '../dialect.ts';
import type { Draft } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { inOrder, leavesUnder } from '../flattened.ts';
import { isPresent, memberText } from '../jsonish.ts';
import { settleRawUsage } from '../raw-usage.ts';
import { asNumber, asText, row, rows } from '../rows.ts';

/** Request and answer of the provider. The call is the span around it, except in the library, which has none of its own. */
const RAW = 'raw_gen_ai_request';
const USAGE = 'metadata.usage_object';
const CALLER = 'metadata.requester_metadata';
const CALLS = 'gen_ai.completion.';
const CALL_KEY = /^function_call\.(name|arguments)$/;

export const liteLlm: Dialect = {
  name: 'litellm',
  rows: [
    row('kind', 'llm.request.type', (value) => (value === 'acompletion' ? 'llm' : undefined)),
    row('conversationId', CALLER, memberOfPrinted('session_id')),
    row('userId', CALLER, memberOfPrinted('user_id')),
    ...rows('userId', asText, ['metadata.user_api_key_end_user_id']),
    ...rows('costUsd', asNumber, ['gen_ai.cost.total_cost']),
  ],
  infer,
  inferDetails,
  messagesIn: [raw('messages', 'user')],
  messagesOut: [raw('choices', 'assistant'), { rule: `${CALLS}*.function_call`, key: `${CALLS}*`, find: withCalls }],
};

function infer(draft: Draft, span: SpanView): void {
  const isRaw = span.name === RAW && span.scope.name === 'litellm';
  if (isRaw) draft.set('kind', 'llm', 'span name');
  const printed = isRaw ? rawOf(span, 'usage') : span.attributes.text(USAGE);
  if (printed !== undefined && draft.kind === 'llm') settleRawUsage(draft, { usage: pythonLiteral(printed) }, USAGE);
}

function inferDetails(draft: Draft, span: SpanView): void {
  if (span.scope.name !== 'litellm' || span.name !== RAW) return;
  draft.set('responseModel', rawOf(span, 'model'), 'llm.*.model');
  draft.set('responseId', rawOf(span, 'id'), 'llm.*.id');
}

/** A member of the raw request or answer: `llm.openai.usage`. */
function rawOf({ attributes }: Pick<SpanView, 'attributes'>, name: string): string | undefined {
  const key = attributes.keys().find((one) => one.startsWith('llm.') && one.endsWith(`.${name}`));
  return key === undefined ? undefined : attributes.text(key);
}

function raw(name: string, role: 'user' | 'assistant'): Finder<MessageList> {
  return {
    rule: `llm.*.${name}`,
    find: ({ span }) => {
      const printed = span.scope.name === 'litellm' && span.name === RAW ? rawOf(span, name) : undefined;
      const value = printed === undefined ? undefined : pythonLiteral(printed);
      return value === undefined ? undefined : decodeMessages({ [name]: value }, role);
    },
  };
}

/** A member of a dictionary that Python printed; most have not the word, and are long. */
function memberOfPrinted(name: string) {
  const read = (value: AttributeValue): string | undefined => {
    const printed = typeof value === 'string' && value.includes(name) ? pythonLiteral(value) : value;
    return memberText(printed, name);
  };
  return Object.assign(read, { members: [name] });
}

function withCalls({ span: { attributes } }: Evidence): MessageList | undefined {
  const names = new Map<number, string>();
  const args = new Map<number, AttributeValue>();
  for (const { index, path, value } of leavesUnder(attributes, CALLS)) {
    const what = CALL_KEY.exec(path)?.[1];
    if (what === 'name' && typeof value === 'string') names.set(index, value);
    else if (what === 'arguments') args.set(index, value);
  }
  if (names.size === 0) return undefined;
  const given = attributes.get('gen_ai.output.messages');
  const [first, ...others] = isPresent(given) ? decodeMessages(given, 'assistant').messages : [];
  if (first?.parts.some(({ type }) => type === 'tool_call') === true) return undefined;
  const calls = inOrder(new Map([...names].map(([at, name]) => [at, callOf(name, args.get(at))] as const)));
  const message: Message = first ?? { role: 'assistant', name: undefined, parts: [], finishReason: 'tool_call' };
  return messageList([{ ...message, parts: [...message.parts, ...calls] }, ...others]);
}

function callOf(name: string, args: AttributeValue | undefined): Part {
  return { type: 'tool_call', id: undefined, name, args: contentOf(args) };
}
