import { describe, expect, test } from 'vitest';
import { stepOf } from '../support/step-of.ts';

type Attributes = Readonly<Record<string, unknown>>;

const scope = 'openinference.instrumentation.llama_index';
const span = (kind: string, attributes: Attributes, name = 'x', by = scope) =>
  stepOf({ 'openinference.span.kind': kind, ...attributes }, { name, scope: by });

describe('a method of a LlamaIndex model', () => {
  test.each([
    ['OpenAI.astream_chat', 'llm'],
    ['OpenAI.predict', 'llm'],
    ['OpenAI._prepare_chat_with_tools', 'step'],
    ['OpenAI.get_tool_calls_from_response', 'step'],
  ])('%s is %s', (name, kind) => {
    expect(span('LLM', {}, name).kind).toBe(kind);
  });
});

describe('a LlamaIndex workflow', () => {
  test.each([
    ['its state', '{"init_state": {"is_running": false}, "run_id": "r"}'],
    ['a step', '{"ctx": "<Context>", "ev": "AgentInput(input=[…])"}'],
  ])('was given no words, but %s', (_, given) => {
    expect(span('CHAIN', { 'input.value': given }).input.state).toBe('missing');
  });

  test('gave back no words, but an event that Python printed', () => {
    const printed = 'StopEvent(result=AgentOutput(response=ChatMessage(…...';

    expect(span('CHAIN', { 'output.value': printed }).output.state).toBe('missing');
    expect(span('CHAIN', { 'output.value': printed }, 'x', 'mine').output.text).toBe(printed);
  });

  test('gave back words', () => {
    expect(span('CHAIN', { 'output.value': 'Booked (mtg_1).' }).output.text).toBe('Booked (mtg_1).');
  });
});

describe('a tool of LlamaIndex', () => {
  const output = (more: object) => JSON.stringify({ blocks: [{ text: 'It broke' }], raw_input: {}, ...more });

  test('was given named parameters', () => {
    expect(span('TOOL', { 'input.value': '{"kwargs": {"at": 1}}' }).tool?.args.json).toEqual({ at: 1 });
  });

  test('gave back what its function gave back', () => {
    const step = span('TOOL', { 'output.value': output({ raw_output: '{"ok":true}', is_error: false }) });

    expect([step.tool?.result.json, step.error]).toEqual([{ ok: true }, undefined]);
  });

  test('gave back its text where the rest is an object of Python', () => {
    expect(span('TOOL', { 'output.value': output({ raw_output: 'Node(id_=7)' }) }).tool?.result.text).toBe('It broke');
  });

  test('failed if it says so', () => {
    const step = span('TOOL', { 'output.value': output({ raw_output: 'It broke', is_error: true }) });

    expect(step.error).toMatchObject({ type: 'tool_error', message: 'It broke' });
  });
});
