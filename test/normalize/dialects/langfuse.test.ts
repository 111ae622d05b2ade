import { describe, expect, test } from 'vitest';
import { stepOf } from '../support/step-of.ts';

const observed = (type: string, fields: Readonly<Record<string, unknown>> = {}, name = 'look_up') =>
  stepOf(
    Object.fromEntries([
      ['langfuse.observation.type', type],
      ...Object.entries(fields).map(([key, value]) => [
        `langfuse.observation.${key}`,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    ]),
    { name },
  );

describe('the kind of an observation', () => {
  test.each([
    ['agent', 'agent'],
    ['generation', 'llm'],
    ['tool', 'tool'],
    ['chain', 'step'],
    ['span', 'step'],
    ['retriever', 'retrieval'],
    ['embedding', 'embedding'],
    ['guardrail', 'guardrail'],
    ['evaluator', 'evaluator'],
    ['event', 'other'],
  ])('%s is %s', (type, kind) => {
    expect(observed(type).kind).toBe(kind);
  });

  test('is what else is on a span that is observed as nothing in particular', () => {
    expect(stepOf({ 'langfuse.observation.type': 'span', 'gen_ai.operation.name': 'execute_tool' }).kind).toBe('tool');
  });
});

describe('what was said', () => {
  test.each<[string, unknown]>([
    ['text', 'Is Ann free?'],
    ['a request', { messages: [{ role: 'user', content: 'Is Ann free?' }], tools: [] }],
    [
      'messages',
      [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Is Ann free?' },
      ],
    ],
    ['a Responses request', [{ role: 'user', content: [{ type: 'input_text', text: 'Is Ann free?' }] }]],
  ])('is read from %s', (_form, input) => {
    expect(observed('generation', { input }).input.text).toBe('Is Ann free?');
  });

  test('is a tool’s result where LangChain’s handler gives a message the tool’s name as its role', () => {
    const input = [
      { role: 'user', content: 'Is Ann free?' },
      { role: 'look_up', content: '{"free":true}', additional_kwargs: {} },
    ];
    const [, message] = observed('generation', { input }).messagesIn;
    const [part] = message?.parts ?? [];

    expect([message?.role, part?.type === 'tool_result' && part.result.json]).toEqual(['tool', { free: true }]);
  });

  test.each<[string, unknown, unknown]>([
    ['in JavaScript', { question: 'Is Ann free?' }, 'Is Ann free?'],
    ['in Python', { args: ['Is Ann free?'], kwargs: {} }, 'Is Ann free?'],
    ['with more than words', { who: 'Ann', at: 10 }, { who: 'Ann', at: 10 }],
  ])('is what a function was given that was observed %s', (_where, input, said) => {
    expect(observed('agent', { input }).input.json).toEqual(said);
  });

  test('is a tool’s arguments without what Python wraps them in', () => {
    expect(observed('tool', { input: { args: [], kwargs: { who: 'Ann' } } }).tool?.args.json).toEqual({ who: 'Ann' });
  });

  test('is nothing where an agent that was killed gave back what it had been given', () => {
    const output = { messages: [{ role: 'user', content: 'Is Ann free?' }] };

    expect(observed('span', { output }).output.state).toBe('missing');
  });

  test('is redacted where it was masked', () => {
    const step = observed('agent', { input: '<masked>', output: '<fully masked due to failed mask function>' });

    expect([step.input.state, step.output.state, step.flags]).toEqual(['redacted', 'redacted', ['redacted']]);
  });

  test('may be on the trace only', () => {
    const step = stepOf({
      'langfuse.observation.type': 'agent',
      'langfuse.trace.input': 'Is Ann free?',
      'langfuse.trace.output': 'Yes.',
    });

    expect([step.input.text, step.output.text]).toEqual(['Is Ann free?', 'Yes.']);
  });
});

describe('a tool', () => {
  const message = (status: string) => ({
    lc: 1,
    type: 'constructor',
    id: ['langchain_core', 'messages', 'ToolMessage'],
    kwargs: { content: '{"free":true}', tool_call_id: 'c', status },
  });

  test('has its span’s name, and what is inside the message that LangChain makes of its result', () => {
    const { tool, error } = observed('tool', { input: { who: 'Ann' }, output: message('success') });

    expect([tool?.name, tool?.args.json, tool?.result.json, error]).toEqual([
      'look_up',
      { who: 'Ann' },
      { free: true },
      undefined,
    ]);
  });

  test('failed where that message says so', () => {
    expect(observed('tool', { output: message('error') }).error?.type).toBe('tool_error');
  });
});

describe('an error', () => {
  test('is in the level, and the output is then only the error again', () => {
    const step = observed('agent', { level: 'ERROR', status_message: 'boom', output: { error: 'Error: boom' } });

    expect([step.error?.message, step.output.state]).toEqual(['boom', 'missing']);
  });

  test.each(['DEBUG', 'DEFAULT', 'WARNING'])('is not what the level %s means', (level) => {
    expect(observed('agent', { level, status_message: 'slow' }).error).toBeUndefined();
  });
});

describe('tokens', () => {
  test.each<[string, object, object]>([
    [
      'OpenAI’s client',
      { input: 20, output: 5, total: 99, input_cached_tokens: 64, output_reasoning_tokens: 10 },
      { inputTokens: 84, outputTokens: 15, cacheReadTokens: 64, reasoningTokens: 10 },
    ],
    [
      'LangChain’s handler',
      { input: 20, output: 5, input_cache_read: 64, input_cache_creation: 8, output_reasoning: 10 },
      { inputTokens: 92, outputTokens: 15, cacheReadTokens: 64, cacheWriteTokens: 8, reasoningTokens: 10 },
    ],
    [
      'an application, as the provider counts',
      { prompt_tokens: 84, completion_tokens: 15, total_tokens: 99, prompt_tokens_details: { cached_tokens: 64 } },
      { inputTokens: 84, outputTokens: 15, cacheReadTokens: 64 },
    ],
  ])('of %s are added up', (_who, usageDetails, usage) => {
    expect(observed('generation', { usage_details: usageDetails }).usage).toMatchObject(usage);
  });

  test('cost what the total says, or all of it together', () => {
    expect(observed('generation', { cost_details: { input: 0.1, total: 0.5 } }).costUsd).toBe(0.5);
    expect(observed('generation', { cost_details: { input: 0.25, output: 0.5 } }).costUsd).toBe(0.75);
  });
});

test('the agent is called by its observation, or by LangGraph, and has the release as its version', () => {
  const byName = stepOf({ 'langfuse.observation.type': 'agent', 'langfuse.release': '1.4' }, { name: 'scheduler' });
  const byGraph = observed('span', { 'metadata.lc_agent_name': 'scheduler' }, 'tools');

  expect([byName.agent, byGraph.agent.name]).toEqual([
    { name: 'scheduler', id: undefined, version: '1.4' },
    'scheduler',
  ]);
});

test('the conversation may be in the metadata of a trace or an observation', () => {
  expect(observed('span', { 'metadata.thread_id': 's' }).conversationId).toBe('s');
  expect(stepOf({ 'langfuse.trace.metadata.session_id': 's' }).conversationId).toBe('s');
});
