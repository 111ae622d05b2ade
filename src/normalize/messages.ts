/**
 * Message lists, in the form of the GenAI conventions and in the forms that emitters use in its place:
 *
 *     [{role, name?, parts: [{type, content}, …], finish_reason?}, …]      current GenAI
 *     [{role, content: string | [{type: 'text', text}, …], tool_calls?, tool_call_id?}, …]      chat completions
 *     [{type, content}, …]      parts without a message
 *     'plain text'      one message
 *
 * Nothing here throws: what is not understood is kept as a part of type `other`.
 */
import type { Content, ContentState, Message, Part } from '../model/step.ts';
import type { AttributeValue } from '../model/otlp/views.ts';
import { contentOf, MISSING, textContent } from './content.ts';
import { finishReasonOf } from './finish-reason.ts';
import { decodeJsonish, isRedactionMarker, member, memberText, toJson } from './jsonish.ts';

/** Far above any real history, and low enough that a hostile one stays cheap. */
const MESSAGES_MAX = 10_000;

export interface MessageList {
  readonly state: ContentState;
  readonly messages: readonly Message[];
}

export const NO_MESSAGES: MessageList = { state: 'missing', messages: [] };

export function decodeMessages(value: AttributeValue, defaultRole: 'user' | 'assistant' | 'system'): MessageList {
  const decoded = decodeJsonish(value);
  const messages = messagesOf(decoded.value, defaultRole);
  if (messages.length === 0) return decoded.state === 'whole' ? NO_MESSAGES : { state: decoded.state, messages };
  const redacted = decoded.state === 'whole' && messages.some(isRedacted);
  return { state: redacted ? 'redacted' : decoded.state, messages };
}

function messagesOf(value: unknown, defaultRole: string): readonly Message[] {
  if (Array.isArray(value)) {
    const items = value.length > MESSAGES_MAX ? value.slice(-MESSAGES_MAX) : value;
    if (items.length > 0 && items.every(isBarePart)) return messageOf({ role: defaultRole, parts: items }, defaultRole);
    return items.flatMap((item) => messageOf(item, defaultRole));
  }
  const wrapped = member(value, 'messages');
  if (Array.isArray(wrapped)) return messagesOf(wrapped, defaultRole);
  return messageOf(value, defaultRole);
}

function isBarePart(value: unknown): boolean {
  return (
    member(value, 'role') === undefined &&
    memberText(value, 'type') !== undefined &&
    member(value, 'parts') === undefined
  );
}

/** One message, or none where there is nothing in it. */
export function messageOf(value: unknown, defaultRole: string): readonly Message[] {
  if (typeof value === 'string') return value === '' ? [] : [plainMessage(defaultRole, value)];
  if (typeof value !== 'object' || value === null) return [];
  const parts: Part[] = [];
  collectParts(member(value, 'parts') ?? member(value, 'content') ?? member(value, 'text'), parts);
  collectToolCalls(member(value, 'tool_calls') ?? member(value, 'toolCalls'), parts);
  const writtenRole = roleOf(memberText(value, 'role') ?? defaultRole);
  const callId = memberText(value, 'tool_call_id') ?? memberText(value, 'toolCallId');
  const answersCall =
    callId !== undefined && writtenRole === 'tool' && !parts.some((part) => part.type === 'tool_result');
  const message: Message = {
    role: writtenRole === 'user' && isOnlyResults(parts) ? 'tool' : writtenRole,
    name: memberText(value, 'name'),
    parts: answersCall ? [{ type: 'tool_result', id: callId, result: contentOf(member(value, 'content')) }] : parts,
    finishReason: finishReasonOf(member(value, 'finish_reason') ?? member(value, 'finishReason')),
  };
  return [message];
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

function isRedacted(message: Message): boolean {
  return message.parts.some((part) => part.type === 'text' && isRedactionMarker(part.text));
}

function collectParts(value: unknown, into: Part[]): void {
  if (typeof value === 'string') {
    if (value !== '') into.push({ type: 'text', text: value });
  } else if (Array.isArray(value)) {
    for (const item of value) collectPart(item, into);
  } else if (typeof value === 'object' && value !== null) {
    collectPart(value, into);
  }
}

function collectPart(value: unknown, into: Part[]): void {
  if (typeof value === 'string') {
    if (value !== '') into.push({ type: 'text', text: value });
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  switch (memberText(value, 'type') ?? (member(value, 'text') === undefined ? '' : 'text')) {
    case 'text':
    case 'input_text':
    case 'output_text': {
      const text = member(value, 'content') ?? member(value, 'text');
      if (typeof text === 'string' && text !== '') into.push({ type: 'text', text });
      return;
    }
    case 'reasoning':
    case 'thinking': {
      const text = memberText(value, 'content') ?? memberText(value, 'text') ?? memberText(value, 'thinking');
      if (text !== undefined) into.push({ type: 'reasoning', text });
      return;
    }
    case 'tool_call':
    case 'tool-call':
    case 'tool_use':
    case 'function':
    case 'function_call':
      into.push(toolCallOf(value));
      return;
    case 'tool_call_response':
    case 'tool-result':
    case 'tool_result':
    case 'function_call_output':
      into.push({ type: 'tool_result', id: callIdOf(value), result: resultOf(value) });
      return;
    case 'blob':
    case 'file':
    case 'uri':
    case 'image':
    case 'image_url':
    case 'input_audio':
    case 'audio':
    case 'video':
    case 'document':
      into.push({
        type: 'media',
        modality: memberText(value, 'modality') ?? memberText(value, 'type') ?? 'file',
        mime: memberText(value, 'mime_type') ?? memberText(value, 'mediaType'),
      });
      return;
    default:
      into.push({ type: 'other', raw: toJson(value) });
  }
}

function collectToolCalls(value: unknown, into: Part[]): void {
  if (!Array.isArray(value)) return;
  for (const item of value) if (typeof item === 'object' && item !== null) into.push(toolCallOf(item));
}

function toolCallOf(value: object): Part {
  const called = member(value, 'function');
  return {
    type: 'tool_call',
    id: callIdOf(value),
    name: memberText(called, 'name') ?? memberText(value, 'name') ?? memberText(value, 'toolName') ?? '',
    args: contentOf(
      member(called, 'arguments') ?? member(value, 'arguments') ?? member(value, 'args') ?? member(value, 'input'),
    ),
  };
}

/** `call_id` first: the Responses API has an `id` of the item as well, which nothing else refers to. */
function callIdOf(value: object): string | undefined {
  return (
    memberText(value, 'call_id') ??
    memberText(value, 'tool_call_id') ??
    memberText(value, 'tool_use_id') ??
    memberText(value, 'toolCallId') ??
    memberText(value, 'id')
  );
}

function resultOf(value: object): Content {
  return contentOf(
    member(value, 'response') ?? member(value, 'result') ?? member(value, 'output') ?? member(value, 'content'),
  );
}

/** What that role said last, in words. */
export function lastSaid(list: MessageList, role: 'user' | 'assistant'): Content {
  if (list.state === 'missing') return MISSING;
  for (let at = list.messages.length - 1; at >= 0; at--) {
    const message = list.messages[at];
    if (message === undefined || message.role !== role) continue;
    const text = textOf(message);
    if (text !== '') return textContent(text, list.state);
  }
  return list.state === 'whole' ? MISSING : textContent('', list.state);
}

export function textOf(message: Message): string {
  let text = '';
  for (const part of message.parts) if (part.type === 'text') text = text === '' ? part.text : `${text}\n${part.text}`;
  return text;
}
