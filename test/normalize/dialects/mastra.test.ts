import { describe, expect, test } from 'vitest';
import { stepOf } from '../support/step-of.ts';

const span = (type: string, attributes: Readonly<Record<string, unknown>> = {}) =>
  stepOf({ 'mastra.span.type': type, ...attributes });

describe('the kind of a Mastra span', () => {
  test.each([
    ['agent_run', 'agent'],
    ['workflow_run', 'workflow'],
    ['model_generation', 'step'],
    ['model_step', 'step'],
    ['model_inference', 'llm'],
    ['model_chunk', 'other'],
    ['mcp_tool_call', 'tool'],
    ['processor_run', 'step'],
    ['memory_operation', 'memory'],
    ['scorer_run', 'evaluator'],
    ['generic', 'other'],
  ])('of type %s is %s', (type, kind) => {
    expect(span(type).kind).toBe(kind);
  });

  test('is what Mastra says where an exporter for Arize calls all that concerns a model LLM', () => {
    expect(span('model_chunk', { 'openinference.span.kind': 'LLM' }).kind).toBe('other');
  });

  test('is what the operation says where a release has one span for all calls of a turn', () => {
    expect(span('model_generation', { 'gen_ai.operation.name': 'chat' }).kind).toBe('llm');
  });
});

describe('what an agent was given and gave back', () => {
  test.each<[string, string, string]>([
    ['text', 'Is Ann free?', 'Is Ann free?'],
    ['messages', '[{"role":"system","content":"Be brief."},{"role":"user","content":"Is Ann free?"}]', 'Is Ann free?'],
    ['several texts', '["Good morning.","Is Ann free?"]', 'Is Ann free?'],
  ])('is read from %s', (_form, input, said) => {
    expect(span('agent_run', { 'mastra.agent_run.input': input }).input.text).toBe(said);
  });

  test.each<[string, string, unknown]>([
    ['a text', '{"text":"Yes.","files":[]}', 'Yes.'],
    ['an object', '{"text":"","object":{"free":true}}', { free: true }],
  ])('is %s', (_form, output, given) => {
    expect(span('agent_run', { 'mastra.agent_run.output': output }).output.json).toEqual(given);
  });

  test('is nothing where it ended before it had said anything', () => {
    expect(span('agent_run', { 'mastra.agent_run.output': '{"text":"","files":[]}' }).output.state).toBe('missing');
  });

  test('is in keys of everybody’s in the first releases, where Mastra says what the span is', () => {
    const before = { input: 'Is Ann free?', output: '{"text":"Yes."}' };

    expect([span('agent_run', before).input.text, span('agent_run', before).output.text]).toEqual([
      'Is Ann free?',
      'Yes.',
    ]);
    expect(stepOf({ 'gen_ai.operation.name': 'invoke_agent', ...before }).input.state).toBe('missing');
  });
});

test('a model call says in Mastra’s own words what it asked for', () => {
  const [message] = span('model_inference', {
    'mastra.model_inference.output':
      '{"text":"","toolCalls":[{"toolCallId":"c","toolName":"look","args":{"who":"Ann"}}]}',
  }).messagesOut;
  const [part] = message?.parts ?? [];

  expect(part?.type === 'tool_call' && [part.id, part.name, part.args.json]).toEqual(['c', 'look', { who: 'Ann' }]);
});

test('messages of a user interface hold parts inside the content, call and result in one', () => {
  const invocation = { state: 'result', toolCallId: 'c', toolName: 'look', args: {}, result: { free: true } };
  const { messagesIn } = span('processor_run', {
    'mastra.processor_run.input': JSON.stringify({
      messages: [
        { role: 'user', content: { format: 2, parts: [{ type: 'text', text: 'Is Ann free?' }] } },
        { role: 'assistant', content: { format: 2, parts: [{ type: 'tool-invocation', toolInvocation: invocation }] } },
      ],
    }),
  });

  expect(messagesIn.map(({ parts }) => parts.map(({ type }) => type))).toEqual([
    ['text'],
    ['tool_call', 'tool_result'],
  ]);
});
