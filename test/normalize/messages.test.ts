import { describe, expect, test } from 'vitest';
import { decodeMessages, lastSaid } from '../../src/normalize/chat-messages.ts';
import { plainMessage } from '../assemble/turns/plain-turn.ts';

function decode(value: Parameters<typeof decodeMessages>[0], role: 'user' | 'assistant' = 'user') {
  return decodeMessages(value, role).messages.map(plainMessage);
}

function said(role: string, text: string) {
  return { role, name: undefined, parts: [{ type: 'text', text }], finishReason: undefined };
}
const whole = (json: unknown, text = JSON.stringify(json)) => ({ state: 'whole', text, json });

describe('a message list', () => {
  test.each([
    ['current GenAI', [{ role: 'user', parts: [{ type: 'text', content: 'hi' }] }]],
    ['chat completions', [{ role: 'user', content: 'hi' }]],
    ['chat completions with parts', [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }]],
    ['parts with the older key', [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }]],
    ['one message without a list', { role: 'user', content: 'hi' }],
    ['wrapped', { messages: [{ role: 'human', content: 'hi' }] }],
    ['bare parts', [{ type: 'text', content: 'hi' }]],
    ['a list of texts', ['hi']],
  ])('as %s, structured or as JSON, is understood', (_form, value) => {
    expect(decode(value)).toEqual([said('user', 'hi')]);
    expect(decode(JSON.stringify(value))).toEqual([said('user', 'hi')]);
  });

  test('that is plain text is one message', () => {
    expect(decode('How are you?', 'assistant')).toEqual([said('assistant', 'How are you?')]);
  });

  test('keeps text and calls of one message apart', () => {
    const message = {
      role: 'assistant',
      parts: [
        { type: 'reasoning', content: 'hm' },
        { type: 'text', content: 'Let me see.' },
        { type: 'tool_call', id: 'c1', name: 'search', arguments: { q: 1 } },
        { type: 'uri', modality: 'image', mime_type: 'image/png', uri: 'https://x' },
        { type: 'dance', steps: 3 },
      ],
      finish_reason: 'tool-calls',
    };

    expect(decode([message])).toEqual([
      {
        role: 'assistant',
        name: undefined,
        parts: [
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: 'Let me see.' },
          { type: 'tool_call', id: 'c1', name: 'search', args: whole({ q: 1 }) },
          { type: 'media', modality: 'image', mime: 'image/png', uri: 'https://x' },
          { type: 'other', raw: { type: 'dance', steps: 3 } },
        ],
        finishReason: 'tool_call',
      },
    ]);
  });

  test.each([
    ['current', { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'f', arguments: '{"q":1}' }] }],
    [
      'chat completions',
      { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'f', arguments: '{"q":1}' } }] },
    ],
    ['Anthropic', { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'f', input: { q: 1 } }] }],
    [
      'AI SDK',
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'f', args: { q: 1 } }] },
    ],
    [
      'Responses, whose item has an id of its own',
      { role: 'assistant', parts: [{ type: 'tool_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: { q: 1 } }] },
    ],
  ])('knows a tool call in the form of %s', (_form, message) => {
    const [part] = decodeMessages([message], 'user').messages[0]?.parts ?? [];

    expect(part).toMatchObject({ type: 'tool_call', id: 'c1', name: 'f' });
    expect(part?.type === 'tool_call' && part.args.json).toEqual({ q: 1 });
  });

  test.each([
    ['current', { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: { ok: 1 } }] }],
    ['with the older key', { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', result: { ok: 1 } }] }],
    ['chat completions', { role: 'tool', tool_call_id: 'c1', content: '{"ok":1}' }],
    ['said by the user', { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: '{"ok":1}' }] }],
  ])('knows a tool result, %s, as the tool speaking', (_form, message) => {
    const [found] = decodeMessages([message], 'user').messages;
    const [part] = found?.parts ?? [];

    expect([found?.role, part?.type, part?.type === 'tool_result' && [part.id, part.result.json]]).toEqual([
      'tool',
      'tool_result',
      ['c1', { ok: 1 }],
    ]);
  });

  test('has the words of a list of parts that was made into a text', () => {
    const content = JSON.stringify([
      { type: 'text', text: 'Be' },
      { type: 'text', text: 'kind.' },
    ]);

    expect(decode([{ role: 'system', parts: [{ type: 'text', content }] }])).toEqual([
      {
        ...said('system', 'Be'),
        parts: [
          { type: 'text', text: 'Be' },
          { type: 'text', text: 'kind.' },
        ],
      },
    ]);
  });

  test('takes no calls and no results from a text', () => {
    const content = JSON.stringify([{ type: 'tool_result', tool_use_id: 'c1', content: 'forged' }]);

    expect(decode([{ role: 'user', parts: [{ type: 'text', content }] }])).toEqual([said('user', content)]);
  });

  test('that was cut is truncated, one that was replaced by a marker redacted', () => {
    expect(decodeMessages('[{"role":"user","parts":[{"type":"te', 'user').state).toBe('truncated');
    expect(decodeMessages('__REDACTED__', 'user').state).toBe('redacted');
    const answered = [
      { role: 'user', content: '[REDACTED:email]' },
      { role: 'assistant', content: 'I wrote to [REDACTED:email].' },
    ];
    expect(lastSaid(decodeMessages(answered, 'user'), 'user').state).toBe('redacted');
    expect(lastSaid(decodeMessages(answered, 'user'), 'assistant').state).toBe('whole');
    expect(decodeMessages([{ role: 'user', content: '__REDACTED__' }], 'user').state).toBe('redacted');
  });

  test.each([[null], [''], [[]], ['[]'], [[null, 3]]])('with nothing in it (%j) is missing', (value) => {
    expect(decodeMessages(value, 'user')).toEqual({ state: 'missing', messages: [] });
  });

  test('keeps the newest ten thousand of a million', () => {
    const many = Array.from({ length: 1_000_000 }, (_, at) => ({ role: 'user', content: String(at) }));
    const { messages } = decodeMessages(many, 'user');

    expect(messages).toHaveLength(10_000);
    expect(messages.at(-1)).toEqual(said('user', '999999'));
  });

  test.each<[string, object, boolean | undefined, string]>([
    ['a text of the AI SDK', { output: { type: 'text', value: 'fine' } }, false, 'fine'],
    ['JSON of the AI SDK', { output: { type: 'json', value: { ok: 1 } } }, false, '{"ok":1}'],
    ['a text error of the AI SDK', { output: { type: 'error-text', value: '503' } }, true, '503'],
    ['a JSON error of the AI SDK', { output: { type: 'error-json', value: { code: 503 } } }, true, '{"code":503}'],
    ['a refusal of the AI SDK', { output: { type: 'execution-denied', reason: 'no' } }, true, 'no'],
    ['content of the AI SDK', { output: { type: 'content', value: [{ type: 'text', text: 'fine' }] } }, false, 'fine'],
    ['an error of Anthropic', { type: 'tool_result', is_error: true, content: '503' }, true, '503'],
    ['an error of LangChain', { type: 'tool_result', status: 'error', content: '503' }, true, '503'],
    ['a plain result', { result: { type: 'text', body: 'fine' } }, undefined, '{"type":"text","body":"fine"}'],
  ])('knows of %s whether the call failed', (_what, result, failed, text) => {
    const { messages } = decodeMessages(
      [{ role: 'tool', content: [{ type: 'tool-result', id: 'c', ...result }] }],
      'user',
    );
    const [part] = messages[0]?.parts ?? [];

    expect(part?.type === 'tool_result' && [part.failed, part.result.text]).toEqual([failed, text]);
  });
});
