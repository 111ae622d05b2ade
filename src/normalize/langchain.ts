/**
 * Messages as LangChain and LangGraph serialise them, turned into plain `{role, content, tool_calls, …}`:
 *
 *     {lc: 1, type: 'constructor', id: ['langchain_core', 'messages', 'AIMessage'], kwargs: {content, tool_calls, …}}
 *     {type: 'human', data: {content, …}}      messages_to_dict
 *     {type: 'human', content, …}      a message's own dump
 *
 * A chunk of a streamed message is a message. Other serialised values of LangChain (prompts, documents, models) are
 * left unchanged.
 */
import { member, memberText } from './jsonish.ts';
import { isMapping } from '../model/json.ts';

const ROLES: ReadonlyMap<string, string> = new Map([
  ['human', 'user'],
  ['user', 'user'],
  ['ai', 'assistant'],
  ['assistant', 'assistant'],
  ['system', 'system'],
  ['developer', 'system'],
  ['tool', 'tool'],
  ['function', 'tool'],
  ['chat', 'user'],
]);
const CLASS_NAME = /^([A-Za-z]{1,16}?)Message(?:Chunk)?$/;

export interface PlainMessage {
  readonly role: string;
  readonly content: unknown;
  readonly name: string | undefined;
  readonly tool_calls: unknown;
  readonly tool_call_id: string | undefined;
  readonly finish_reason: unknown;
  readonly status: string | undefined;
  readonly usage: unknown;
}

export function langChainMessage(value: unknown): PlainMessage | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const kwargs = member(value, 'kwargs');
  if (isMapping(kwargs)) {
    const path = member(value, 'id');
    const role = Array.isArray(path) ? roleOfClass(path.at(-1)) : undefined;
    return role === undefined ? undefined : plain(kwargs, role);
  }
  const type = member(value, 'type');
  if (typeof type !== 'string' || memberText(value, 'role') !== undefined) return undefined;
  const role = roleOfClass(type) ?? ROLES.get(type);
  if (role === undefined) return undefined;
  const data = member(value, 'data');
  if (isMapping(data)) return plain(data, role);
  return 'content' in value ? plain(value, role) : undefined;
}

function roleOfClass(name: unknown): string | undefined {
  const kind = typeof name === 'string' ? CLASS_NAME.exec(name)?.[1] : undefined;
  return kind === undefined ? undefined : ROLES.get(kind.toLowerCase());
}

function plain(fields: object, role: string): PlainMessage {
  const additional = member(fields, 'additional_kwargs');
  const response = member(fields, 'response_metadata');
  return {
    // A ChatMessage has a role of its own.
    role: memberText(fields, 'role') ?? role,
    content: member(fields, 'content'),
    name: memberText(fields, 'name'),
    tool_calls: firstFilled(
      member(fields, 'tool_calls'),
      member(additional, 'tool_calls'),
      member(fields, 'invalid_tool_calls'),
    ),
    tool_call_id: memberText(fields, 'tool_call_id'),
    finish_reason: member(response, 'finish_reason') ?? member(response, 'stop_reason'),
    status: memberText(fields, 'status'),
    usage: member(fields, 'usage_metadata'),
  };
}

function firstFilled(...lists: readonly unknown[]): unknown {
  return lists.find((list) => Array.isArray(list) && list.length > 0);
}

/** A tool's result that is a message for the model: the message, whatever it was wrapped in. */
export function toolMessageIn(value: unknown): PlainMessage | undefined {
  let at = value;
  for (let depth = 0; depth < 4; depth++) {
    const message = langChainMessage(at);
    if (message !== undefined) return message.role === 'tool' ? message : undefined;
    const inner = member(at, 'output') ?? member(at, 'update') ?? member(at, 'messages');
    at = Array.isArray(inner) && inner.length === 1 ? inner[0] : inner;
  }
  return undefined;
}
