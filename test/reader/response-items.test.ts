/** Items of the Responses API, as it gives them and as they are written. */
import { expect, test } from 'vitest';
import { itemsOfMessages, messagesOfItems } from '../../src/reader/response-items.ts';
import type { ChatMessage } from '../../src/reader/to-messages.ts';

const MESSAGES: readonly ChatMessage[] = [
  { role: 'system', content: 'Be kind.' },
  { role: 'user', content: 'Where is order 9?' },
  {
    role: 'assistant',
    content: 'I look.',
    tool_calls: [
      { id: 'a', type: 'function', function: { name: 'find', arguments: '{"order":9}' } },
      { id: 'b', type: 'function', function: { name: 'track', arguments: '{}' } },
    ],
  },
  { role: 'tool', tool_call_id: 'a', content: 'shipped' },
  { role: 'tool', tool_call_id: 'b', content: '{"is_error":true,"content":"no"}' },
  { role: 'assistant', content: 'It is shipped.' },
];

test('messages become items, and items messages', () => {
  const items = itemsOfMessages(MESSAGES);

  expect(items.map(({ type }) => type)).toEqual([
    ...['message', 'message', 'message', 'function_call', 'function_call'],
    ...['function_call_output', 'function_call_output', 'message'],
  ]);
  const back = messagesOfItems({ items });
  expect(back?.map(({ role }) => role)).toEqual(MESSAGES.map(({ role }) => role));
  expect(back?.[2]).toMatchObject({
    tool_calls: [{ id: 'a', function: { name: 'find', arguments: '{"order":9}' } }, { id: 'b' }],
  });
  expect(back?.[3]).toEqual({ role: 'tool', tool_call_id: 'a', content: 'shipped' });
});

test('a response as the API gives it, with its request', () => {
  const messages = messagesOfItems({
    instructions: 'Be brief.',
    input: 'What is new?',
    output: [
      { type: 'reasoning', id: 'rs', summary: [] },
      { type: 'web_search_call', id: 'ws', status: 'completed', action: { type: 'search', query: 'news' } },
      { type: 'mcp_call', id: 'mcp', name: 'read', arguments: '{"page":1}', output: 'text' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Nothing.' }] },
    ],
  });

  expect(messages).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'What is new?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'ws', function: { name: 'web_search', arguments: { type: 'search', query: 'news' } } },
        { id: 'mcp', function: { name: 'read', arguments: '{"page":1}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'mcp', content: 'text' },
    { role: 'assistant', content: [{ type: 'output_text', text: 'Nothing.' }] },
  ]);
});

test.each([[null], ['text'], [{ input: 'hello' }], [{ input: [], output: [] }], [{ items: [1, null] }]])(
  '%j has no items',
  (value) => {
    expect(messagesOfItems(value)).toBeUndefined();
  },
);
