/** Messages as model APIs take and give them, and which result belongs to which call. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/model/json.ts';
import type { Message } from '../../../src/offline/messages/read-messages.ts';
import { instructionsIn, splitIntoTurns, turnOf } from '../../../src/offline/messages/turns-of-messages.ts';

const user = (content: string): Message => ({ role: 'user', content });
const says = (content: string): Message => ({ role: 'assistant', content });
const result = (id: string | undefined, content: string): Message => ({
  role: 'tool',
  content,
  ...(id !== undefined && { tool_call_id: id }),
});

function asks(...calls: readonly (readonly [id: string | undefined, name: string])[]): Message {
  return {
    role: 'assistant',
    content: null,
    tool_calls: calls.map(
      ([id, name]): Json => ({ ...(id !== undefined && { id }), function: { name, arguments: '{}' } }),
    ),
  };
}

function resultsIn(...messages: readonly Message[]): readonly (readonly [string, Json | undefined])[] {
  return turnOf(messages)
    .calls.flat()
    .map(({ tool, result: of }) => [tool, of]);
}

describe('a result belongs to the last call with its id before it', () => {
  test('where the id comes twice, each call has its own', () => {
    const messages = [
      user('Pay.'),
      asks(['call_1', 'pay']),
      result('call_1', 'Error: payment method not found'),
      asks(['call_1', 'get_user']),
      result('call_1', '{"name": "Ana"}'),
      says('It failed.'),
    ];

    expect(resultsIn(...messages)).toEqual([
      ['pay', 'Error: payment method not found'],
      ['get_user', { name: 'Ana' }],
    ]);
  });

  test.each<[string, readonly Message[], readonly (readonly [string, Json | undefined])[]]>([
    [
      'two of one id in one message have their results in order',
      [asks(['x', 'a'], ['x', 'b']), result('x', '1'), result('x', '2')],
      [
        ['a', 1],
        ['b', 2],
      ],
    ],
    [
      'results out of order go by their ids',
      [asks(['x', 'a'], ['y', 'b']), result('y', '2'), result('x', '1')],
      [
        ['a', 1],
        ['b', 2],
      ],
    ],
    [
      'a result without an id is that of the first call without a result',
      [asks([undefined, 'a'], [undefined, 'b']), result(undefined, '1'), result(undefined, '2')],
      [
        ['a', 1],
        ['b', 2],
      ],
    ],
    [
      'a call whose result never came has none, though its id is used again',
      [asks(['x', 'a']), asks(['x', 'b']), result('x', '2')],
      [
        ['a', undefined],
        ['b', 2],
      ],
    ],
    ["a result of no call is nobody's", [asks(['x', 'a']), result('z', '1')], [['a', undefined]]],
    ['a second result replaces the first', [asks(['x', 'a']), result('x', '1'), result('x', '2')], [['a', 2]]],
  ])('%s', (_what, messages, expected) => {
    expect(resultsIn(user('Go.'), ...messages)).toEqual(expected);
  });
});

test('a message of the user begins a turn, and instructions are in none', () => {
  const messages: readonly Message[] = [
    { role: 'system', content: 'Be kind.' },
    user('One.'),
    says('1'),
    { role: 'developer', content: 'Be brief.' },
    user('Two.'),
    says('2'),
  ];

  expect(splitIntoTurns(messages).map((turn) => turn.map(({ content }) => content))).toEqual([
    ['One.', '1'],
    ['Two.', '2'],
  ]);
  expect(instructionsIn(messages)).toBe('Be kind.\n\nBe brief.');
});

test('a turn that ends with the result of a tool has no answer', () => {
  expect(turnOf([user('Go.'), says('Wait.'), asks(['x', 'a']), result('x', '1')]).answer).toBeUndefined();
  expect(turnOf([user('Go.'), asks(['x', 'a']), result('x', '1'), says('Done.')]).answer).toBe('Done.');
});

test('what the model wrote beside its calls is kept', () => {
  const call: Message = { ...asks(['x', 'a'], ['y', 'b']), content: 'Let me look.' };

  expect(
    turnOf([user('Go.'), call])
      .calls.flat()
      .map(({ said }) => said),
  ).toEqual(['Let me look.', undefined]);
});

test('how a model call ended is not known from messages', () => {
  expect(turnOf([user('Hello.'), says('Hello!')]).finish).toBeUndefined();
});
