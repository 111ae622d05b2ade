/**
 * Message lists, in the form of the GenAI conventions and in the forms that emitters use in its place:
 *
 *     [{role, name?, parts: [{type, content}, …], finish_reason?}, …]      current GenAI
 *     [{role, content: string | [{type: 'text', text}, …], tool_calls?, tool_call_id?}, …]      chat completions
 *     [{type, content}, …]      parts without a message
 *     [{role, blocks: […], additional_kwargs: {tool_calls?, tool_call_id?}}, …]      LlamaIndex
 *     [['user', 'text'], …]   [{lc: 1, …}, …]   [{type: 'function_call', …}, …]      LangChain, the Responses API
 *     {messages: […]}   {choices: […]}   …      what an API was asked or gave back, see exchanges.ts
 *     'plain text'      one message
 *
 * Nothing here throws: what is not understood is kept as a part of type `other`.
 */
import type { AttributeValue } from '../model/attribute-value.ts';
import type { Content, ContentState, Message, Part } from '../model/step.ts';
import { MISSING, textContent } from './content.ts';
import { messagesInside } from './exchanges.ts';
import { finishReasonOf } from './finish-reason.ts';
import { decodeJsonish, isRedactionMarker, member, memberText } from './jsonish.ts';
import { langChainMessage } from './langchain.ts';
import { Finished, isTuple, itemRole, withoutBlocks, withoutUnderscores } from './message-forms.ts';
import { isRedactionMarkerOfOurs } from '../model/redaction.ts';
import { collectParts, collectToolCalls, encodedParts, SPOKEN_PART } from './message-parts.ts';
import { isPrintedMessage, readPrintedMessage } from './printed-message.ts';
import { toolResult } from './tool-results.ts';

/** Far above any real history, and low enough that a hostile one stays cheap. */
export const MESSAGES_MAX = 10_000;

export interface MessageList {
  readonly state: ContentState;
  readonly messages: readonly Message[];
}

export const NO_MESSAGES: MessageList = { state: 'missing', messages: [] };

export function decodeMessages(value: AttributeValue, defaultRole: 'user' | 'assistant' | 'system'): MessageList {
  const decoded = decodeJsonish(value);
  const messages = messagesOf(decoded.value, defaultRole);
  return decoded.state === 'whole' ? messageList(messages) : { state: decoded.state, messages };
}

export function messageList(messages: readonly Message[]): MessageList {
  if (messages.length === 0) return NO_MESSAGES;
  return { state: messages.some(isRedacted) ? 'redacted' : 'whole', messages };
}

function messagesOf(value: unknown, defaultRole: string): readonly Message[] {
  const list = messagesInside(value) ?? (Array.isArray(value) ? value : undefined);
  if (list === undefined) return messageOf(value, defaultRole);
  const items = list.length > MESSAGES_MAX ? list.slice(-MESSAGES_MAX) : list;
  if (isTuple(items)) return messageOf(items, defaultRole);
  const areParts = items.length > 0 && items.every((item) => isBarePart(item, defaultRole));
  if (areParts) return messageOf({ role: defaultRole, parts: items }, defaultRole);
  return items.flatMap((item) => messageOf(item, defaultRole));
}

function isBarePart(value: unknown, defaultRole: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (member(value, 'role') !== undefined || member(value, 'parts') !== undefined) return false;
  if (memberText(value, 'type') === undefined || langChainMessage(value) !== undefined) return false;
  return (itemRole(value) ?? defaultRole) === defaultRole;
}

/** Message of a value; empty if it has no content. */
export function messageOf(value: unknown, defaultRole: string): readonly Message[] {
  if (typeof value === 'string') {
    const printed = isPrintedMessage(value) ? readPrintedMessage(value) : undefined;
    if (printed !== undefined) return [readMessage(printed, defaultRole)];
    return value === '' ? [] : [plainMessage(defaultRole, value)];
  }
  if (typeof value !== 'object' || value === null) return [];
  if (memberText(value, '_role') !== undefined) return [readMessage(withoutUnderscores(value), defaultRole)];
  if (memberText(value, 'role') !== undefined) return [readMessage(value, defaultRole)];
  if (value instanceof Finished) return finishedMessage(value, defaultRole);
  if (Array.isArray(value)) return isTuple(value) ? [readMessage({ role: value[0], content: value[1] }, '')] : [];
  const item = itemRole(value);
  if (item !== undefined) return [readMessage({ parts: [value] }, item)];
  const message = langChainMessage(value);
  if (message !== undefined) return [readMessage(message, defaultRole)];
  return SAYING.some((key) => key in value) ? [readMessage(value, defaultRole)] : [];
}

/** Members by which an object without a role is a message: it has content. */
const SAYING = ['parts', 'content', 'text', 'tool_calls', 'toolCalls', 'function_call', 'finish_reason'] as const;

function finishedMessage({ message, reason }: Finished, defaultRole: string): readonly Message[] {
  return messageOf(message, defaultRole).map((read) => ({
    ...read,
    finishReason: finishReasonOf(reason) ?? read.finishReason,
  }));
}

function readMessage(value: object, defaultRole: string): Message {
  if ('blocks' in value && !('content' in value)) return readMessage(withoutBlocks(value), defaultRole);
  const parts: Part[] = [];
  const content = member(value, 'content');
  // Mastra and Google put a content with parts of its own where others have the parts.
  const written = member(value, 'parts') ?? member(content, 'parts') ?? content ?? member(value, 'text');
  collectParts(spokenIn(written) ?? written, parts);
  const refusal = parts.length === 0 ? memberText(value, 'refusal') : undefined;
  if (refusal !== undefined) parts.push({ type: 'text', text: refusal });
  collectToolCalls(member(value, 'tool_calls') ?? member(value, 'toolCalls'), parts);
  const called = member(value, 'function_call');
  // Dumps of Python's OpenAI client have all members, most of them null.
  if (typeof called === 'object' && called !== null) collectToolCalls([{ function: called }], parts);
  const role = roleOf(memberText(value, 'role') ?? defaultRole);
  return {
    role: role === 'user' && isOnlyResults(parts) ? 'tool' : role,
    name: memberText(value, 'name'),
    parts: role === 'tool' ? asResults(value, parts) : member(value, 'role') === 'model' ? joined(parts) : parts,
    finishReason: finishReasonOf(
      member(value, 'finish_reason') ?? member(value, 'finishReason') ?? member(value, 'stop_reason'),
    ),
  };
}

/** OpenLLMetry makes a text of a content that was a list. */
function spokenIn(written: unknown): readonly unknown[] | undefined {
  const only: unknown = Array.isArray(written) && written.length === 1 ? written[0] : undefined;
  return only === undefined ? undefined : encodedParts(member(only, 'content') ?? member(only, 'text'), SPOKEN_PART);
}

/** A tool's message is a result, even if it is written as text. */
function asResults(value: object, parts: readonly Part[]): readonly Part[] {
  if (parts.some((part) => part.type === 'tool_result')) return parts;
  const id = memberText(value, 'tool_call_id') ?? memberText(value, 'toolCallId');
  const result = toolResult(value, id, member(value, 'content') ?? member(value, 'parts'));
  return id === undefined && result.result.state === 'missing' ? parts : [result];
}

/** A Gemini model's stream leaves as many texts as there were pieces: one after the other they are what was said. */
function joined(parts: readonly Part[]): readonly Part[] {
  const whole: Part[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    const isMore = (part.type === 'text' || part.type === 'reasoning') && last?.type === part.type;
    if (isMore) whole[whole.length - 1] = { type: part.type, text: last.text + part.text };
    else whole.push(part);
  }
  return whole;
}

function plainMessage(role: string, text: string): Message {
  return { role, name: undefined, parts: [{ type: 'text', text }], finishReason: undefined };
}

function roleOf(role: string): string {
  switch (role.toLowerCase()) {
    case 'model':
    case 'ai':
      return 'assistant';
    case 'human':
      return 'user';
    case 'developer':
      return 'system';
    case 'function':
      return 'tool';
    default:
      return role;
  }
}

/** Some model APIs have no role for tools and let the user say the result. */
function isOnlyResults(parts: readonly Part[]): boolean {
  return parts.length > 0 && parts.every((part) => part.type === 'tool_result');
}

/**
 * True if the emitter redacted it, which then redacts all messages. Our own redaction takes out secrets and leaves the
 * rest.
 */
function isRedacted(message: Message): boolean {
  return message.parts.some(
    (part) => part.type === 'text' && isRedactionMarker(part.text) && !isRedactionMarkerOfOurs(part.text),
  );
}

function said(text: string, list: MessageList): Content {
  return textContent(text, isRedactionMarkerOfOurs(text) ? 'redacted' : list.state);
}

/** Last text of that role. An answer is one to what the user said last: before that it was to something else. */
export function lastSaid(list: MessageList, role: 'user' | 'assistant', isRemark = (_: Message) => false): Content {
  if (list.state === 'missing') return MISSING;
  for (let at = list.messages.length - 1; at >= 0; at--) {
    const message = list.messages[at];
    if (message === undefined) continue;
    if (role === 'assistant' && message.role === 'user') break;
    if (message.role !== role || isRemark(message)) continue;
    const text = textOf(message);
    if (text !== '') return said(text, list);
  }
  return list.state === 'whole' ? MISSING : textContent('', list.state);
}

/**
 * Last text of the agent in its output. A transcript of a whole conversation ends with a question where this one was
 * not answered; and what was said while asking for tools was a remark on the way. An answer may stand before the calls
 * that led to it, as some emitters write it.
 */
export function answerIn(list: MessageList): Content {
  return lastSaid(list, 'assistant', asksForTools);
}

/** True if the message asks for tools and holds no results, as a message that sums up a turn does. */
function asksForTools(message: Message): boolean {
  const asks = message.parts.some((part) => part.type === 'tool_call');
  return asks && !message.parts.some((part) => part.type === 'tool_result');
}

export function textOf(message: Message): string {
  let text = '';
  for (const part of message.parts) if (part.type === 'text') text = text === '' ? part.text : `${text}\n${part.text}`;
  return text;
}
