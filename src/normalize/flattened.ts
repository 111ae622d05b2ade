/**
 * Message lists written as one attribute for each leaf, the index in the key:
 *
 *     llm.input_messages.0.message.role                                          OpenInference
 *     llm.input_messages.0.message.contents.1.message_content.text
 *     llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments
 *     gen_ai.prompt.0.role                                                       OpenLLMetry
 *     gen_ai.completion.0.tool_calls.0.arguments
 *
 * Indices come from outside: nothing is allocated by index, gaps and any beginning are allowed, and the order of the
 * attributes does not matter.
 */
import type { AttributeValue } from '../model/attribute-value.ts';
import { type Attributes, REPEATED } from '../otlp/views.ts';
import type { Message } from '../model/step.ts';
import { isPresent, member, memberText } from './jsonish.ts';
import { ANY_PART, encodedParts } from './message-parts.ts';
import { messageList, type MessageList, messageOf, MESSAGES_MAX } from './chat-messages.ts';

interface FlatForm {
  /** `llm.input_messages.` */
  readonly prefix: string;
  readonly defaultRole: 'user' | 'assistant';
  /** Whether a content that is a JSON list of parts stands for those parts. */
  readonly hasEncodedParts?: boolean;
}

export function flattenedMessages(attributes: Attributes, form: FlatForm): MessageList | undefined {
  const flat = new Map<number, FlatMessage>();
  for (const { index, path, value } of leavesUnder(attributes, form.prefix)) {
    let message = flat.get(index);
    if (message === undefined) {
      message = { fields: new Map(), calls: undefined, contents: undefined };
      flat.set(index, message);
    }
    put(message, path.startsWith('message.') ? path.slice('message.'.length) : path, value);
  }
  if (flat.size === 0) return undefined;
  const messages = inOrder(flat).flatMap((message) => read(message, form));
  return messageList(messages);
}

interface Leaf {
  readonly index: number;
  /** The part after the index, without the dot. */
  readonly path: string;
  readonly value: Exclude<AttributeValue, null>;
}

/** The attributes below a prefix that ends in a dot. */
export function leavesUnder(attributes: Attributes, prefix: string): readonly Leaf[] {
  const leaves: Leaf[] = [];
  const { places } = attributes;
  for (let place = 0; place < places; place++) {
    if (attributes.keyNumberAt(place) === REPEATED) continue;
    const key = attributes.keyAt(place);
    if (!key.startsWith(prefix)) continue;
    const [index, path] = indexed(key.slice(prefix.length));
    if (index === undefined) continue;
    const value = attributes.valueAt(place);
    if (isPresent(value)) leaves.push({ index, path, value });
  }
  return leaves;
}

/** Members in the order of their indices; of too many, the newest. */
export function inOrder<T>(byIndex: ReadonlyMap<number, T> | undefined): readonly T[] {
  if (byIndex === undefined) return [];
  // Nearly always they were written in order.
  let last = -1;
  for (const index of byIndex.keys()) {
    if (index < last) return newest([...byIndex].sort(([a], [b]) => a - b).map(([, item]) => item));
    last = index;
  }
  return newest([...byIndex.values()]);
}

function newest<T>(items: readonly T[]): readonly T[] {
  return items.length > MESSAGES_MAX ? items.slice(-MESSAGES_MAX) : items;
}

const INDEX_DIGITS_MAX = 9;
const ZERO = 0x30;

/** `12.role` is 12 and `role`. */
function indexed(path: string): readonly [index: number | undefined, rest: string] {
  const dot = path.indexOf('.');
  const digits = dot < 0 ? path.length : dot;
  if (digits === 0 || digits > INDEX_DIGITS_MAX) return [undefined, ''];
  let index = 0;
  for (let at = 0; at < digits; at++) {
    const digit = path.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) return [undefined, ''];
    index = index * 10 + digit;
  }
  return [index, dot < 0 ? '' : path.slice(dot + 1)];
}

type Fields = Map<string, Exclude<AttributeValue, null>>;
interface FlatMessage {
  readonly fields: Fields;
  /** Made when the first is found: most messages have neither. */
  calls: Map<number, Fields> | undefined;
  contents: Map<number, Fields> | undefined;
}

function put(message: FlatMessage, path: string, value: Exclude<AttributeValue, null>): void {
  if (path.startsWith('tool_calls.')) {
    message.calls ??= new Map();
    putInto(message.calls, path.slice('tool_calls.'.length), value);
  } else if (path.startsWith('contents.')) {
    message.contents ??= new Map();
    putInto(message.contents, path.slice('contents.'.length), value);
  } else message.fields.set(path, value);
}

function putInto(list: Map<number, Fields>, path: string, value: Exclude<AttributeValue, null>): void {
  const [index, rest] = indexed(path);
  if (index === undefined) return;
  let fields = list.get(index);
  if (fields === undefined) {
    fields = new Map();
    list.set(index, fields);
  }
  fields.set(rest, value);
}

/** Reads by the forms that `messages.ts` knows, so that roles, results and reasons are read in one place. */
function read({ fields, calls, contents }: FlatMessage, form: FlatForm): readonly Message[] {
  const role = text(fields, 'role') ?? form.defaultRole;
  const callId = text(fields, 'tool_call_id');
  const parts = inOrder(contents).map(partOf);
  const content = parts.length > 0 && parts.some(isWords) ? parts : contentOf(fields, parts, form);
  const called = fields.get('function_call_name');
  const beside = inOrder(calls).map(callOf);
  // Calls with ids are told apart by them; without ids, a call in the contents repeats one beside it.
  const isRepeated = parts.some((part) => member(part, 'type') === 'tool_call' && member(part, 'id') === undefined);
  const plain = {
    // Anthropic lets the user hand over what a tool gave back.
    role: callId !== undefined && role === 'user' ? 'tool' : role,
    name: text(fields, 'name'),
    content,
    tool_call_id: callId,
    tool_calls: isRepeated ? beside.filter(({ id }) => id !== undefined) : beside,
    finish_reason: text(fields, 'finish_reason'),
    refusal: text(fields, 'refusal'),
    ...(called === undefined
      ? {}
      : { function_call: { name: called, arguments: fields.get('function_call_arguments_json') } }),
  };
  return messageOf(plain, form.defaultRole);
}

function text(fields: Fields, key: string): string | undefined {
  const value = fields.get(key);
  return typeof value === 'string' ? value : undefined;
}

function isWords(part: object): boolean {
  return memberText(part, 'text') !== undefined;
}

/** A text alone stays a text: a tool's result is not a list of one. */
function contentOf(fields: Fields, parts: readonly object[], form: FlatForm): unknown {
  const content = fields.get('content');
  if (content === undefined) return parts;
  const encoded = form.hasEncodedParts === true ? encodedParts(content, ANY_PART) : undefined;
  const whole = encoded ?? content;
  if (parts.length === 0) return whole;
  return Array.isArray(whole) ? [...whole, ...parts] : [whole, ...parts];
}

/** Begins the fields of a picture, which some write without a type. */
const IMAGE = 'message_content.image';

function partOf(fields: Fields): object {
  const type = text(fields, 'message_content.type');
  if (type === 'tool_use' || fields.has('tool_call.function.name')) return callPart(fields);
  if (type === 'tool_result') {
    return {
      type,
      tool_use_id: text(fields, 'tool_call.id') ?? text(fields, 'message_content.id'),
      content: text(fields, 'message_content.text') ?? text(fields, 'message_content.data'),
    };
  }
  const said = text(fields, 'message_content.text');
  if (type === 'reasoning') return { type, content: said ?? text(fields, 'message_content.data') };
  if (said !== undefined) return { type: 'text', text: said };
  return { type: type ?? ([...fields.keys()].some((key) => key.startsWith(IMAGE)) ? 'image' : 'unknown') };
}

function callPart(fields: Fields): object {
  return {
    type: 'tool_call',
    id: text(fields, 'tool_call.id') ?? text(fields, 'message_content.id'),
    name: text(fields, 'tool_call.function.name') ?? text(fields, 'message_content.name'),
    arguments: fields.get('tool_call.function.arguments') ?? fields.get('message_content.input'),
  };
}

interface FlatCall {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly arguments: AttributeValue | undefined;
}

function callOf(fields: Fields): FlatCall {
  return {
    id: text(fields, 'tool_call.id') ?? text(fields, 'id'),
    name: text(fields, 'tool_call.function.name') ?? text(fields, 'name') ?? text(fields, 'function.name'),
    arguments:
      fields.get('tool_call.function.arguments') ?? fields.get('arguments') ?? fields.get('function.arguments'),
  };
}
