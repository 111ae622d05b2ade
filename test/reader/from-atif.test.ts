/** ATIF as others write it, and what of it is read. Trajectories of ours are compared with Harbor's rules. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { fromAtif } from '../../src/reader/from-atif.ts';
import { readConversations } from '../../src/reader/read-conversations.ts';
import { toAtif } from '../../src/reader/to-atif.ts';
import { filesOf, recordedRuns } from '../normalize/recorded/compare.ts';

const AGENT = { name: 'terminus-2', version: '2.0.0', model_name: 'claude-x' };

function read(...steps: readonly object[]) {
  return fromAtif({ schema_version: 'ATIF-v1.6', session_id: 's', agent: AGENT, steps }, 'file:1');
}

test('steps are turns, model calls and tool calls with their results', () => {
  const conversation = read(
    { step_id: 1, source: 'system', message: 'You are helpful.' },
    { step_id: 2, source: 'user', message: 'What is the price of GOOGL?', timestamp: '2026-03-02T10:00:00Z' },
    {
      step_id: 3,
      source: 'agent',
      message: 'I will look.',
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
    { step_id: 4, source: 'agent', message: 'It is 185.35 dollars.', model_name: 'claude-y' },
    { step_id: 5, source: 'user', message: 'Thanks.' },
    { step_id: 6, source: 'agent', message: 'Bye.' },
  );

  expect(conversation).toMatchObject({
    conversation_id: 's',
    agent: 'terminus-2',
    agent_version: '2.0.0',
    instructions: 'You are helpful.',
    turns: [
      { user_input: 'What is the price of GOOGL?', final_answer: 'It is 185.35 dollars.' },
      { user_input: 'Thanks.', final_answer: 'Bye.', tool_calls: [] },
    ],
  });
  const [turn] = conversation.turns;
  expect(turn?.model_calls).toMatchObject([
    {
      model: 'claude-x',
      text: 'I will look.',
      reasoning: 'Two tools.',
      tokens: { input: 520, output: 80, cached_input: 200 },
      cost_usd: 0.01,
    },
    { model: 'claude-y', tokens: null },
  ]);
  expect(turn?.tool_calls).toMatchObject([
    { id: 'a', name: 'price', args: { ticker: 'GOOGL' }, result: { usd: 185.35 }, answered: true, asked_by: 0 },
    { id: 'b', name: 'volume', result: '1.5M', answered: true, asked_by: 0 },
  ]);
});

test('one screen without an id is the result of the last command', () => {
  const keys = (id: string) => ({ tool_call_id: id, function_name: 'bash', arguments: { keystrokes: 'ls\n' } });
  const { turns } = read(
    { step_id: 1, source: 'user', message: 'List.' },
    {
      step_id: 2,
      source: 'agent',
      message: '',
      tool_calls: [keys('1'), keys('2')],
      observation: { results: [{ content: 'a b' }] },
    },
  );

  expect(turns[0]?.tool_calls).toMatchObject([
    { result: null, answered: true },
    { result: 'a b', answered: true },
  ]);
  expect(turns[0]?.final_answer).toBeNull();
});

test('copied context, sub-agents and steps without a model call', () => {
  const { turns } = read(
    { step_id: 1, source: 'user', message: 'Earlier.', is_copied_context: true },
    { step_id: 2, source: 'user', message: 'Context.' },
    { step_id: 3, source: 'user', message: 'Do it.' },
    {
      step_id: 4,
      source: 'agent',
      message: '',
      llm_call_count: 0,
      tool_calls: [{ tool_call_id: 'x', function_name: 'delegate', arguments: {} }],
      observation: {
        results: [{ source_call_id: 'x', content: 'done', subagent_trajectory_ref: [{ trajectory_id: 't' }] }],
      },
    },
    { step_id: 5, source: 'agent', message: 'Done.', extra: { assay: 'not ours' } },
  );

  expect(turns).toMatchObject([
    {
      user_input: 'Context.\n\nDo it.',
      final_answer: 'Done.',
      model_calls: [{ text: 'Done.', main: true }],
      tool_calls: [{ name: 'delegate', result: 'done', asked_by: null }],
    },
  ]);
});

test.each([
  ['a version that is not known', { schema_version: 'ATIF-v2.0', agent: AGENT, steps: [] }, /ATIF-v1\.0 to ATIF-v1\.8/],
  ['no steps', { schema_version: 'ATIF-v1.7', agent: AGENT, steps: [] }, /steps/],
  [
    'an unknown source',
    { schema_version: 'ATIF-v1.7', agent: AGENT, steps: [{ source: 'robot', message: '' }] },
    /source/,
  ],
  ['no agent', { schema_version: 'ATIF-v1.7', steps: [{ source: 'user', message: '' }] }, /agent/],
])('%s is refused with its place', (_what, value, message) => {
  expect(() => fromAtif(value, 'id')).toThrow(message);
});

/** The rules of Harbor's own models, of version 1.7: no other fields, and fields of agents on steps of agents alone. */
const extra = z.record(z.string(), z.unknown()).optional();
const agentStep = z.strictObject({
  step_id: z.int().min(1),
  timestamp: z.iso.datetime().optional(),
  source: z.literal('agent'),
  message: z.string(),
  model_name: z.string().optional(),
  reasoning_content: z.string().optional(),
  tool_calls: z
    .array(
      z.strictObject({
        tool_call_id: z.string(),
        function_name: z.string(),
        arguments: z.record(z.string(), z.unknown()),
        extra,
      }),
    )
    .optional(),
  observation: z
    .strictObject({
      results: z.array(z.strictObject({ source_call_id: z.string(), content: z.string().optional(), extra })),
    })
    .optional(),
  metrics: z
    .strictObject({
      prompt_tokens: z.int().optional(),
      completion_tokens: z.int().optional(),
      cached_tokens: z.int().optional(),
      cost_usd: z.number().optional(),
      extra,
    })
    .optional(),
  llm_call_count: z.int(),
  extra,
});
const otherStep = agentStep
  .pick({ step_id: true, timestamp: true, message: true, extra: true })
  .extend({ source: z.enum(['user', 'system']) });
const harbor = z.strictObject({
  schema_version: z.literal('ATIF-v1.7'),
  session_id: z.string(),
  agent: z.strictObject({ name: z.string(), version: z.string() }),
  steps: z.array(z.union([agentStep, otherStep])).min(1),
  final_metrics: z.strictObject({
    total_prompt_tokens: z.int().optional(),
    total_completion_tokens: z.int().optional(),
    total_cached_tokens: z.int().optional(),
    total_cost_usd: z.number().optional(),
    total_steps: z.int(),
  }),
  extra,
});

test('every recorded export becomes a trajectory that Harbor takes', { timeout: 60_000 }, () => {
  for (const run of recordedRuns()) {
    for (const conversation of readConversations(filesOf(run).map((file) => readFileSync(file)))) {
      const { data, error } = harbor.safeParse(JSON.parse(JSON.stringify(toAtif(conversation))));
      expect(error, run).toBeUndefined();
      for (const [place, step] of (data?.steps ?? []).entries()) {
        expect(step.step_id).toBe(place + 1);
        if (step.source !== 'agent') continue;
        const ids = (step.tool_calls ?? []).map(({ tool_call_id: id }) => id);
        expect(new Set(ids).size, run).toBe(ids.length);
        expect(ids).toEqual(expect.arrayContaining((step.observation?.results ?? []).map((one) => one.source_call_id)));
        if (step.llm_call_count === 0) expect([step.metrics, step.reasoning_content]).toEqual([undefined, undefined]);
      }
    }
  }
});
