/** ATIF as others write it, and what of it is read. */
import { expect, test } from 'vitest';
import type { Conversation } from '../../../src/model/conversation.ts';
import type { Json } from '../../../src/model/json.ts';
import { understandRecorded } from '../../../src/engine/recorded/understand-recording.ts';
import { recordedRequest } from '../../../src/offline/recording.ts';
import { messagesOfAtif } from '../../../src/offline/messages/atif-messages.ts';
import { toPlain } from '../../../src/reader/to-plain.ts';

const AGENT = { name: 'terminus-2', version: '2.0.0', model_name: 'claude-x' };

async function read(...steps: readonly object[]) {
  const trajectory = JSON.stringify({ schema_version: 'ATIF-v1.6', session_id: 's', agent: AGENT, steps });
  const { conversations } = await understandRecorded(recordedRequest(trajectory, 'recorded'));
  const [only] = conversations.map((conversation: Conversation) => toPlain(conversation));
  return only;
}

test('steps are turns, model calls and tool calls with their results', async () => {
  const conversation = await read(
    { step_id: 1, source: 'system', message: 'You are helpful.' },
    { step_id: 2, source: 'user', message: 'What is the price of GOOGL?', timestamp: '2026-03-02T10:00:00Z' },
    {
      step_id: 3,
      source: 'agent',
      message: 'I will look.',
      timestamp: '2026-03-02T10:00:05Z',
      reasoning_content: 'Two tools.',
      tool_calls: [
        { tool_call_id: 'a', function_name: 'price', arguments: { ticker: 'GOOGL' } },
        { tool_call_id: 'b', function_name: 'volume', arguments: {} },
      ],
      observation: {
        results: [
          { source_call_id: 'b', content: '1.5M' },
          { source_call_id: 'a', content: [{ type: 'text', text: '{"usd":185.35}' }] },
        ],
      },
      metrics: { prompt_tokens: 520, completion_tokens: 80, cached_tokens: 200, cost_usd: 0.01 },
    },
    { step_id: 4, source: 'agent', message: 'Nearly.' },
    { step_id: 5, source: 'agent', message: 'It is 185.35 dollars.', model_name: 'claude-y' },
    { step_id: 6, source: 'user', message: 'Thanks.' },
    { step_id: 7, source: 'agent', message: 'Bye.' },
  );

  expect(conversation).toMatchObject({
    conversation_id: 's',
    agent: 'terminus-2',
    agent_version: '2.0.0',
    instructions: 'You are helpful.',
    cost_usd: 0.01,
    turns: [
      { user_input: 'What is the price of GOOGL?', final_answer: 'It is 185.35 dollars.' },
      { user_input: 'Thanks.', final_answer: 'Bye.', tool_calls: [] },
    ],
  });
  const [turn] = conversation?.turns ?? [];
  expect(turn?.model_calls).toMatchObject([
    {
      model: 'claude-x',
      text: 'I will look.',
      reasoning: 'Two tools.',
      started_at: '2026-03-02T10:00:05.000Z',
      tokens: { input: 520, output: 80, cached_input: 200 },
      cost_usd: 0.01,
    },
    { text: 'Nearly.', model: 'claude-x', tokens: null },
    { text: 'It is 185.35 dollars.', model: 'claude-y' },
  ]);
  expect(turn?.tool_calls).toMatchObject([
    { name: 'price', args: { ticker: 'GOOGL' }, result: { usd: 185.35 }, answered: true, asked_by: 0 },
    { name: 'volume', result: '1.5M', answered: true, asked_by: 0 },
  ]);
});

test('one screen without an id is the result of the last command, and no answer is made up', async () => {
  const keys = (id: string) => ({ tool_call_id: id, function_name: 'bash', arguments: { keystrokes: 'ls\n' } });
  const conversation = await read(
    { step_id: 1, source: 'user', message: 'List.' },
    {
      step_id: 2,
      source: 'agent',
      message: '',
      tool_calls: [keys('1'), keys('2')],
      observation: { results: [{ content: 'a b' }] },
    },
  );

  const [turn] = conversation?.turns ?? [];
  expect(turn?.tool_calls).toMatchObject([
    { result: null, answered: true },
    { result: 'a b', answered: true },
  ]);
  expect([turn?.final_answer || null, turn?.model_calls.length]).toEqual([null, 1]);
});

test('copied context is left out, a sub-agent gives its result, and a question may not be recorded', async () => {
  const conversation = await read(
    { step_id: 1, source: 'user', message: 'Earlier.', is_copied_context: true },
    { step_id: 2, source: 'user', message: '' },
    {
      step_id: 3,
      source: 'agent',
      message: '',
      tool_calls: [{ tool_call_id: 'x', function_name: 'delegate', arguments: {} }],
      observation: {
        results: [{ source_call_id: 'x', content: 'done', subagent_trajectory_ref: [{ trajectory_id: 't' }] }],
      },
    },
    { step_id: 4, source: 'agent', message: 'Done.', extra: { assay: 'not ours' } },
  );

  expect(conversation?.turns).toMatchObject([
    { user_input: null, final_answer: 'Done.', tool_calls: [{ name: 'delegate', result: 'done' }] },
  ]);
});

const at = (steps: readonly Json[], version = 'ATIF-v1.7'): Json => ({ schema_version: version, agent: AGENT, steps });

test.each<[string, Json, RegExp]>([
  ['a version that is not known', at([{ source: 'user', message: '' }], 'ATIF-v2.0'), /ATIF-v1\.0 to ATIF-v1\.8/],
  ['no steps', at([]), /steps/],
  ['an unknown source', at([{ source: 'robot', message: '' }]), /source/],
  ['no agent', { schema_version: 'ATIF-v1.7', steps: [{ source: 'user', message: '' }] }, /agent/],
])('%s is refused with its place', (_what, value, message) => {
  expect(() => messagesOfAtif(value)).toThrow(message);
});

test.each<[Json]>([[null], ['ATIF-v1.7'], [{ schema_version: 7, steps: [] }], [{ steps: [] }]])(
  '%j is no ATIF',
  (value) => {
    expect(messagesOfAtif(value)).toBeUndefined();
  },
);
