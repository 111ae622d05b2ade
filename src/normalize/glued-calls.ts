/**
 * Parallel tool calls that an instrumentation glued into one while it put a stream together: ids, names and arguments are
 * those of all calls, one after the other (`get_ticketget_ticket`, `{"id":1}{"id":2}`). Only arguments show how many there
 * are: whole JSON objects, side by side, which no single call has.
 */
import type { AttributeValue } from '../model/attribute-value.ts';
import type { Message, Part } from '../model/step.ts';
import { contentOf } from './content.ts';
import type { MessageList } from './chat-messages.ts';

type ToolCallPart = Extract<Part, { readonly type: 'tool_call' }>;

const PIECES_MAX = 64;

export function unglued(list: MessageList, toolNames: () => readonly string[]): MessageList {
  if (!list.messages.some(({ parts }) => parts.some(isGlued))) return list;
  const messages = list.messages.map(
    (message): Message => ({
      ...message,
      parts: message.parts.flatMap((part) => (isGlued(part) ? split(part, toolNames()) : part)),
    }),
  );
  return { state: list.state, messages };
}

/** Cheap: most arguments parse, and are an object then. */
function isGlued(part: Part): part is ToolCallPart {
  return part.type === 'tool_call' && typeof part.args.json === 'string' && part.args.json.includes('}{');
}

function split(call: ToolCallPart, toolNames: readonly string[]): readonly Part[] {
  const args = jsonObjects(call.args.text);
  if (args === undefined || args.length < 2) return [call];
  const names = namesIn(call.name, args.length, toolNames);
  if (names === undefined) return [call];
  const ids = call.id === undefined ? [] : idsIn(call.id, args.length);
  // The cast is the list's own element type: `names` is as long as `args`.
  return args.map((text, at) => ({
    type: 'tool_call',
    id: ids[at],
    name: names[at] ?? call.name,
    args: contentOf(text satisfies AttributeValue),
  }));
}

/** The objects that the text consists of, or undefined where it is anything else. One pass. */
function jsonObjects(text: string): readonly string[] | undefined {
  const pieces: string[] = [];
  let depth = 0;
  let begin = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (inString) {
      if (char === '\\') at++;
      else if (char === '"') inString = false;
    } else if (char === '"') {
      if (depth === 0) return undefined;
      inString = true;
    } else if (char === '{') {
      if (depth === 0) begin = at;
      depth++;
    } else if (char === '}') {
      depth--;
      if (depth < 0 || pieces.length >= PIECES_MAX) return undefined;
      if (depth === 0) pieces.push(text.slice(begin, at + 1));
    } else if (depth === 0 && char !== ' ' && char !== '\n') return undefined;
  }
  return depth === 0 && !inString && pieces.every(isJson) ? pieces : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Names in a glued name: the same tool repeated, or tools that the model was offered. */
function namesIn(name: string, count: number, offered: readonly string[]): readonly string[] | undefined {
  const same = repeated(name, count);
  if (same !== undefined) return new Array<string>(count).fill(same);
  return offeredIn(name, count, offered);
}

function repeated(text: string, count: number): string | undefined {
  const length = text.length / count;
  if (!Number.isInteger(length) || length === 0) return undefined;
  const first = text.slice(0, length);
  return first.repeat(count) === text ? first : undefined;
}

/** Takes the longest name that fits, from the left: names of tools that are beginnings of each other are rare. */
function offeredIn(name: string, count: number, offered: readonly string[]): readonly string[] | undefined {
  const names: string[] = [];
  let rest = name;
  while (rest !== '' && names.length < count) {
    let longest = '';
    for (const tool of offered) if (tool.length > longest.length && rest.startsWith(tool)) longest = tool;
    if (longest === '') return undefined;
    names.push(longest);
    rest = rest.slice(longest.length);
  }
  return rest === '' && names.length === count ? names : undefined;
}

/** Ids of one API have one beginning (`call_`, `toolu_`) and one length. */
function idsIn(id: string, count: number): readonly string[] {
  const beginning = /^[a-z]{2,8}_/.exec(id)?.[0];
  if (beginning !== undefined) {
    const ids = id.split(beginning).slice(1);
    if (ids.length === count && ids.every((rest) => rest !== '')) return ids.map((rest) => beginning + rest);
  }
  const length = id.length / count;
  if (!Number.isInteger(length) || length < 4) return [];
  return Array.from({ length: count }, (_, at) => id.slice(at * length, (at + 1) * length));
}
