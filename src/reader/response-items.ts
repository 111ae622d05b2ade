/**
 * Items of OpenAI's Responses API, from messages and back:
 *
 *   {type: 'message', role, content: [{type: 'input_text' | 'output_text' | 'refusal', …}]}     a message
 *   {type: 'function_call', call_id, name, arguments}                                            a call of the message before
 *   {type: 'function_call_output', call_id, output}                                              its result
 *   {type: '…_call', …}                                                                          a tool of OpenAI's
 */
import type { Json } from '../model/json.ts';
import type { ChatMessage } from './to-messages.ts';

type Item = { readonly [key: string]: Json };

export function itemsOfMessages(messages: readonly ChatMessage[]): readonly Item[] {
  return messages.flatMap(({ role, content, tool_calls: calls = [], tool_call_id: id }): readonly Item[] => {
    if (role === 'tool') return [{ type: 'function_call_output', call_id: id ?? '', output: content ?? '' }];
    const type = role === 'assistant' ? 'output_text' : 'input_text';
    return [
      ...(content === null ? [] : [{ type: 'message', role, content: [{ type, text: content }] }]),
      ...calls.map((call) => ({ type: 'function_call', call_id: call.id, ...call.function })),
    ];
  });
}

/** Undefined where there are no such items. Reasoning and references to stored items are left out. */
export function messagesOfItems(value: Json): readonly Item[] | undefined {
  const all = isItem(value) ? [value.items, value.input, value.output] : [value];
  const items = all.flatMap((list) => (Array.isArray(list) ? list.filter(isItem) : []));
  if (!items.some(({ type, role }) => typeof type === 'string' && (type !== 'message' || role !== undefined)))
    return undefined;
  const messages: Item[] = [];
  const instructions = isItem(value) ? value.instructions : undefined;
  if (typeof instructions === 'string') messages.push({ role: 'system', content: instructions });
  if (isItem(value) && typeof value.input === 'string') messages.push({ role: 'user', content: value.input });
  for (const item of items) {
    const call = callOf(item);
    const last = messages.at(-1);
    if (call !== undefined) {
      const calls = Array.isArray(last?.tool_calls) ? last.tool_calls : [];
      // Calls that one response asked for follow its text, and one another.
      if (last?.role === 'assistant') messages.splice(-1, 1, { ...last, tool_calls: [...calls, call] });
      else messages.push({ role: 'assistant', content: null, tool_calls: [call] });
    }
    const output = item.output;
    if (output !== undefined && output !== null)
      messages.push({ role: 'tool', tool_call_id: item.call_id ?? item.id ?? null, content: output });
    if (item.role !== undefined) messages.push({ role: item.role, content: item.content ?? null });
  }
  return messages;
}

/** Tools of OpenAI's (`web_search_call`) have an action in place of arguments. */
function callOf({ type, id, call_id: callId, name, arguments: args, input, action }: Item): Json | undefined {
  if (typeof type !== 'string' || !type.endsWith('_call')) return undefined;
  const isNamed = typeof name === 'string';
  return {
    id: callId ?? id ?? null,
    function: { name: isNamed ? name : type.slice(0, -'_call'.length), arguments: args ?? input ?? action ?? {} },
  };
}

function isItem(value: Json | undefined): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
