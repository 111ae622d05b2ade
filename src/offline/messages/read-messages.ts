/**
 * Messages in other forms of chat APIs, brought into the one that turns are read from:
 *
 *   function_call, role `function`          the calls of OpenAI's API before `tool_calls`
 *   content [{type: 'tool_use', …}]         Anthropic's calls; [{type: 'tool_result', …}] in a message of the user are their results
 *   refusal beside content: null            what the model said in place of an answer; also as a part of the content
 */
import type { Json } from '../../model/json.ts';

export type Message = { readonly [key: string]: Json };

const ROLES = ['user', 'assistant', 'system', 'developer', 'tool', 'function'] as const;

/** Throws with the place of a message that nobody could read. */
export function checkMessages(messages: readonly Json[]): void {
  if (messages.length === 0) throw new Error('`messages` is empty: expected at least a message of the user');
  for (const [place, message] of messages.entries()) {
    if (!isMapping(message)) throw new Error(`messages[${place}] is no message: expected {role, content}`);
    const { role } = message;
    if (!ROLES.some((known) => known === role))
      throw new Error(
        `messages[${place}] has the role ${(JSON.stringify(role ?? null) ?? '').slice(0, 60)}: expected ${ROLES.join(', ')}`,
      );
  }
}

export function inOneForm(messages: readonly Message[]): readonly Message[] {
  return messages.flatMap((message) => {
    if (message.role === 'function') return { role: 'tool', content: message.content ?? null };
    const parts = Array.isArray(message.content) ? message.content.filter(isMapping) : [];
    if (message.role === 'user') return [...parts.flatMap(resultOf), ...restOf(message, parts)];
    return message.role === 'assistant' ? [ofAgent(message, parts)] : [message];
  });
}

function ofAgent(message: Message, parts: readonly Message[]): Message {
  const calls = [...legacyCallsOf(message), ...parts.flatMap(callOf)];
  const refused = [message.refusal, ...parts.map(({ refusal }) => refusal)].filter((said) => typeof said === 'string');
  const isSilent =
    message.content === undefined || message.content === null || parts.some(({ type }) => type === 'refusal');
  return {
    ...message,
    ...(calls.length > 0 && {
      tool_calls: [...(Array.isArray(message.tool_calls) ? message.tool_calls : []), ...calls],
    }),
    ...(isSilent && refused.length > 0 && { content: refused.join('\n') }),
  };
}

function legacyCallsOf({ function_call: call }: Message): readonly Json[] {
  return isMapping(call) ? [{ function: call }] : [];
}

function callOf({ type, id, name, input }: Message): readonly Json[] {
  return type === 'tool_use' ? [{ id: id ?? null, function: { name: name ?? null, arguments: input ?? {} } }] : [];
}

/** A failure stays one: the result says so, as MCP's does. */
function resultOf({ type, tool_use_id: id, content, is_error: isError }: Message): readonly Message[] {
  if (type !== 'tool_result') return [];
  const given = content ?? '';
  const text = Array.isArray(given)
    ? given.flatMap((part: Json) => (isMapping(part) && typeof part.text === 'string' ? part.text : [])).join('\n')
    : given;
  return [
    {
      role: 'tool',
      tool_call_id: id ?? null,
      content: isError === true ? JSON.stringify({ is_error: true, content: text }) : text,
    },
  ];
}

/** A message that holds nothing but results begins no turn. */
function restOf(message: Message, parts: readonly Message[]): readonly Message[] {
  if (!parts.some(({ type }) => type === 'tool_result')) return [message];
  const rest = parts.filter(({ type }) => type !== 'tool_result');
  return rest.length === 0 ? [] : [{ ...message, content: rest }];
}

function isMapping(value: Json | undefined): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
