/** Traces without a conversation id, joined by their references. */
import { expect, test } from 'vitest';
import { buildTurns } from '../../src/assemble/build-turns.ts';
import { groupConversations } from '../../src/assemble/group-conversations.ts';
import type { Turn } from '../../src/model/turn.ts';
import { normalize } from '../../src/normalize/normalize.ts';
import { conversationIdOf } from '../../src/assemble/build-conversation.ts';
import { type SpanSpec, traceOf } from '../normalize/support/otlp.ts';
import { randomFrom, shuffled } from '../random.ts';

const CALL = 'call_0123456789abcdef';
const say = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });
const asks = (id: string) => ({ role: 'assistant', parts: [{ type: 'tool_call', id, name: 'lookup', arguments: {} }] });
const shows = (id: string) => ({ role: 'tool', parts: [{ type: 'tool_call_response', id, response: 'it is free' }] });

let traces = 0;

function call(
  messages: { readonly in: readonly object[]; readonly out: readonly object[] },
  start: number,
  extra: Partial<SpanSpec> = {},
): readonly Turn[] {
  traces += 1;
  return buildTurns(
    normalize(
      traceOf({
        ...extra,
        id: traces.toString(16),
        trace: traces.toString(16).padStart(32, 'a'),
        from: start,
        to: start + 5,
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.request.model': 'm',
          'gen_ai.input.messages': JSON.stringify(messages.in),
          'gen_ai.output.messages': JSON.stringify(messages.out),
          ...extra.attributes,
        },
      }),
    ),
  );
}

const question = say('user', 'Is the room free?');
const answer = say('assistant', 'It is free.');

function shape(turns: readonly Turn[]) {
  return groupConversations(turns, conversationIdOf).map(({ turns: members }) =>
    members.map(({ userInput, finalAnswer, llmCalls, toolCalls }) => [
      userInput.text,
      finalAnswer.text,
      llmCalls,
      toolCalls.map(({ result }) => result.text),
    ]),
  );
}

test('a call that is shown the result of a tool goes on with the turn that asked for it', () => {
  const turns = [
    ...call({ in: [question], out: [asks(CALL)] }, 0),
    ...call({ in: [question, asks(CALL), shows(CALL)], out: [answer] }, 10),
  ];

  expect(shape(turns)).toEqual([[['Is the room free?', 'It is free.', 2, ['it is free']]]]);
});

test('the order in which traces come changes nothing', () => {
  const second = 'call_fedcba9876543210';
  const history = [question, asks(CALL), shows(CALL), answer, say('user', 'And tomorrow?')];
  const turns = [
    ...call({ in: [question], out: [asks(CALL)] }, 0),
    ...call({ in: history.slice(0, 3), out: [answer] }, 10),
    ...call({ in: history, out: [asks(second)] }, 20),
    ...call({ in: [...history, asks(second), shows(second)], out: [say('assistant', 'Also free.')] }, 30),
  ];

  const expected = shape(turns);

  expect(expected.map((conversation) => conversation.length)).toEqual([2]);
  for (let seed = 1; seed <= 20; seed += 1) expect(shape(shuffled(turns, randomFrom(seed)))).toEqual(expected);
});

test('ids that are made up anew in every conversation prove nothing', () => {
  const turns = [
    ...call({ in: [question], out: [asks('call_1')] }, 0),
    ...call({ in: [say('user', 'Other'), asks('call_1'), shows('call_1')], out: [answer] }, 10),
  ];

  expect(shape(turns)).toHaveLength(2);
});

test('an agent called as a tool is inside the turn of the agent that called it', () => {
  const delegate = (id: string, question: string) => ({
    role: 'assistant',
    parts: [{ type: 'tool_call', id, name: 'ask_librarian', arguments: { question } }],
  });
  const inner = 'Which shelf has the atlas?';
  const session = { attributes: { 'session.id': 's' } };
  const turns = [
    ...call({ in: [question], out: [delegate(CALL, inner)] }, 0, session),
    ...call(
      { in: [say('system', 'You are a librarian.'), say('user', inner)], out: [say('assistant', 'Shelf 9.')] },
      10,
      session,
    ),
    ...call({ in: [question, delegate(CALL, inner), shows(CALL)], out: [answer] }, 20, session),
    ...call({ in: [question, answer, say('user', inner)], out: [say('assistant', 'Shelf 9.')] }, 30, session),
  ];

  expect(shape(turns).map((conversation) => conversation.map(([asked, said, calls]) => [asked, said, calls]))).toEqual([
    [
      ['Is the room free?', 'It is free.', 3],
      [inner, 'Shelf 9.', 1],
    ],
  ]);
});

test('the same ids in the spans of another instrumentation prove nothing', () => {
  const turns = [
    ...call({ in: [question], out: [asks(CALL)] }, 0, { scope: 'one' }),
    ...call({ in: [question, asks(CALL), shows(CALL)], out: [answer] }, 10, { scope: 'other' }),
  ];

  expect(shape(turns)).toHaveLength(2);
});

test('a call that goes on from a response of another belongs to its conversation', () => {
  const id = 'resp_0123456789abcdef';
  const turns = [
    ...call({ in: [question], out: [answer] }, 0, { attributes: { 'gen_ai.response.id': id } }),
    ...call({ in: [say('user', 'And then?')], out: [answer] }, 10, {
      attributes: { 'gen_ai.request.previous_response.id': id },
    }),
  ];

  expect(shape(turns).map((conversation) => conversation.length)).toEqual([2]);
});

test('a trace that is linked to another belongs to its conversation, one that is linked to many does not', () => {
  const first = call({ in: [question], out: [answer] }, 0, { attributes: { 'session.id': 's' } });
  const second = call({ in: [question], out: [answer] }, 5, { attributes: { 'session.id': 't' } });
  const links = [...first, ...second].map(({ traceId }) => traceId);
  const [one = ''] = links;
  const linked = call({ in: [say('user', 'And then?')], out: [answer] }, 10, { links: [one] });
  const drained = call({ in: [say('user', 'All?')], out: [answer] }, 20, { links });

  const ids = groupConversations([...first, ...second, ...linked, ...drained], conversationIdOf).map(
    ({ id, turns }) => [id.slice(0, 6), turns.length],
  );

  expect(ids).toEqual([
    ['s', 2],
    ['t', 1],
    ['trace:', 1],
  ]);
});

test('an id that comes with a later call is the id of the whole conversation', () => {
  const turns = [
    ...call({ in: [question], out: [asks(CALL)] }, 0),
    ...call({ in: [question, asks(CALL), shows(CALL)], out: [answer] }, 10, { attributes: { 'session.id': 'late' } }),
  ];

  const conversations = groupConversations(turns, conversationIdOf);

  expect(conversations.map(({ id, turns: members }) => [id, members.length])).toEqual([['late', 1]]);
});
