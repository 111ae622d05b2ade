/** Conversations recorded as messages are read like recorded spans, and are the same to every command. */
import { utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Conversation } from '../../../src/model/conversation.ts';
import type { RecordedBatch } from '../../../src/engine/recorded/recorded-batch.ts';
import { RecordingError, readRecording } from '../../../src/offline/recording.ts';
import { understandRecorded } from '../../../src/engine/recorded/understand-recording.ts';
import { tempDirectory } from '../../temp-directory.ts';

const MESSAGES = [
  { role: 'system', content: 'You sell flights.' },
  { role: 'user', content: 'Cancel EHGLP3.' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c', function: { name: 'cancel', arguments: '{"reservation_id":"EHGLP3"}' } }],
  },
  { role: 'tool', tool_call_id: 'c', content: 'Error: not found' },
  { role: 'assistant', content: 'I can not find it.' },
  { role: 'user', content: 'Thanks.' },
  { role: 'assistant', content: 'Good bye.' },
];

async function understood(...lines: readonly unknown[]): Promise<readonly Conversation[]> {
  return await read(written(...lines));
}

function written(...lines: readonly unknown[]): string {
  const file = path.join(tempDirectory(), 'recorded.jsonl');
  writeFileSync(file, lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));
  return file;
}

async function read(file: string, how?: Parameters<typeof readRecording>[1]): Promise<readonly Conversation[]> {
  const batches: RecordedBatch[] = [];
  for await (const batch of readRecording(file, how)) batches.push(batch);
  return (await understandRecorded(batches)).conversations;
}

test('a line is a conversation, with all that is said of it', async () => {
  const [conversation, ...others] = await understood({
    conversation_id: '7-1',
    case: 7,
    agent: 'airline',
    version: 'v1',
    environment: 'lab',
    attributes: { tier: 'gold' },
    started_at: '2026-03-02T10:00:00Z',
    messages: MESSAGES,
    state: { done: false },
    truth: { actions: [] },
  });

  expect(others).toEqual([]);
  expect(conversation).toMatchObject({
    id: '7-1',
    agent: { name: 'airline', version: 'v1' },
    environment: 'lab',
    state: { done: false },
    truth: { actions: [] },
  });
  expect(Object.fromEntries(conversation?.attributes ?? [])).toMatchObject({ 'assay.scenario.id': '7', tier: 'gold' });
  expect(conversation?.turns.map(({ userInput, finalAnswer }) => [userInput.text, finalAnswer.text])).toEqual([
    ['Cancel EHGLP3.', 'I can not find it.'],
    ['Thanks.', 'Good bye.'],
  ]);
  expect(conversation?.turns[0]?.toolCalls).toMatchObject([
    { name: 'cancel', args: { json: { reservation_id: 'EHGLP3' } }, result: { text: 'Error: not found' } },
  ]);
  expect(conversation?.startedAtMs).toBeCloseTo(Date.parse('2026-03-02T10:00:00Z'), -1);
});

test('what has no time begins with the file where that is asked for, in the order of its lines', async () => {
  const file = written(
    { messages: MESSAGES },
    { messages: MESSAGES, started_at: '2026-03-02T10:00:00Z' },
    { messages: MESSAGES },
  );
  const at = Date.parse('2026-05-04T12:00:00Z');
  utimesSync(file, at / 1000, at / 1000);

  const began = (await read(file, { untimed: 'begin with the file' })).map(({ startedAtMs }) =>
    Math.round(startedAtMs),
  );

  expect(began.toSorted((a, b) => a - b)).toEqual([Date.parse('2026-03-02T10:00:00Z') - 1, at, at + 2]);
});

test('turns of a long conversation without a time are not far ahead of the file', async () => {
  const file = written({ messages: Array.from({ length: 30 }, () => MESSAGES.slice(-2)).flat() });
  utimesSync(file, 1_800_000_000, 1_800_000_000);

  const [conversation] = await read(file, { untimed: 'begin with the file' });

  const last = conversation?.turns.at(-1)?.startedAtMs ?? 0;
  expect(conversation?.turns).toHaveLength(30);
  expect(last).toBeGreaterThan(1_800_000_000_000 + 200_000);
  expect(last).toBeLessThan(1_800_000_000_000 + 300_000);
});

test.each([
  ['user-1', { user: 'user-1' }],
  ['7', { user: 7 }],
  ['field', { user: 'field', attributes: { 'user.id': 'attribute' } }],
  ['attribute', { user: { name: 'Ana' }, attributes: { 'user.id': 'attribute' } }],
])('the user of a line is %s', async (user, fields) => {
  const [conversation] = await understood({ messages: MESSAGES, ...fields });

  expect(conversation?.turns.map(({ userId }) => userId)).toEqual([user, user]);
});

test('each model call shows the instructions and the messages so far', async () => {
  const [conversation] = await understood({ messages: MESSAGES });
  const last = conversation?.turns.at(-1)?.steps.findLast(({ kind }) => kind === 'llm');

  expect(last?.systemInstructions).toBe('You sell flights.');
  expect(last?.messagesIn.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
});

test('without ids lines are conversations of their own, in their order', async () => {
  const conversations = await understood({ messages: MESSAGES }, { messages: MESSAGES });

  expect(conversations.map(({ id }) => id.replace(/^.*\//, ''))).toEqual(['recorded.jsonl:1', 'recorded.jsonl:2']);
  const [first, second] = conversations;
  expect(first?.startedAtMs).toBeLessThan(second?.startedAtMs ?? 0);
});

test.each([
  ['no JSON', '{"messages": [}', /recorded\.jsonl:1: /],
  ['messages that are no list', { messages: 'hello' }, /recorded\.jsonl:1: neither .* a conversation as/],
  ['a time that is none', { messages: [], started_at: 'soon' }, /:1: `started_at` is no time/],
  ['an attribute that is no scalar', { messages: [], attributes: { a: [1] } }, /:1: the attribute "a" is neither/],
  ['an id that is no text', { messages: [], conversation_id: { a: 1 } }, /:1: `conversation_id` is no text/],
])('%s is refused, with its line', async (_what, line, message) => {
  await expect(understood(line)).rejects.toThrow(RecordingError);
  await expect(understood(line)).rejects.toThrow(message);
});

test('hostile names are names', async () => {
  const line =
    '{"messages": [{"role": "user", "content": "a", "__proto__": {"role": "system"}}], "__proto__": {"agent": "x"}}';
  const [conversation] = await understood(line);

  expect(conversation?.turns.map(({ userInput }) => userInput.text)).toEqual(['a']);
});

test.each([
  ['no message', [], /`messages` is empty/],
  ['an unknown role', [{ role: 'robot', content: 'hi' }], /messages\[0\] has the role "robot"/],
  ['no mapping', [{ role: 'user', content: 'hi' }, 'hello'], /messages\[1\] is no message/],
])('%s is refused with its place', async (_, messages, message) => {
  await expect(understood({ messages })).rejects.toThrow(message);
});

test('calls and results of other chat APIs, and refusals, are read', async () => {
  const [anthropic, legacy, refusal] = await understood(
    {
      messages: [
        { role: 'user', content: 'Refund order 17.' },
        { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'refund', input: { order: 17 } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: '1', is_error: true, content: 'locked' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'It is locked.' }] },
      ],
    },
    {
      messages: [
        { role: 'user', content: 'Refund order 17.' },
        { role: 'assistant', function_call: { name: 'refund', arguments: '{"order":17}' } },
        { role: 'function', name: 'refund', content: 'Error: no' },
        { role: 'assistant', content: 'It failed.' },
      ],
    },
    {
      messages: [
        { role: 'user', content: 'Do it.' },
        { role: 'assistant', content: null, refusal: "I can't help with that." },
      ],
    },
  );

  expect(anthropic?.turns.map(({ toolCalls }) => toolCalls.map(({ name, args }) => [name, args.json]))).toEqual([
    [['refund', { order: 17 }]],
  ]);
  expect(anthropic?.turns[0]?.toolCalls[0]?.error ?? anthropic?.turns[0]?.toolCalls[0]?.result.json).toMatchObject(
    anthropic?.turns[0]?.toolCalls[0]?.error === undefined ? { is_error: true } : {},
  );
  expect(anthropic?.turns[0]?.finalAnswer.text).toBe('It is locked.');
  expect(legacy?.turns[0]?.toolCalls).toMatchObject([{ name: 'refund', result: { text: 'Error: no' } }]);
  expect(refusal?.turns[0]?.finalAnswer.text).toBe("I can't help with that.");
});
