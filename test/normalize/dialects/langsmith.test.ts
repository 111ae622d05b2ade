import { describe, expect, test } from 'vitest';
import type { SpanSpec } from '../support/otlp.ts';
import { said } from '../support/said.ts';
import { stepOf } from '../support/step-of.ts';

type Attributes = Readonly<Record<string, unknown>>;

const run = (type: string, attributes: Attributes = {}, spec: Partial<SpanSpec> = { parent: 'f' }) =>
  stepOf({ 'langsmith.span.kind': type, ...attributes }, spec);
const lc = (name: string, kwargs: object) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', 'messages', name],
  kwargs,
});

describe('the kind of a LangSmith run', () => {
  test.each([
    ['llm', 'chat', 'llm'],
    ['tool', 'execute_tool', 'tool'],
    ['retriever', 'embeddings', 'retrieval'],
    ['embedding', 'embeddings', 'embedding'],
    ['prompt', 'chat', 'step'],
    ['parser', 'parser', 'step'],
    ['chain', 'chain', 'step'],
  ])('%s is right, whatever operation was derived from it', (type, operation, kind) => {
    expect(run(type, { 'gen_ai.operation.name': operation }).kind).toBe(kind);
  });

  test('chain is a workflow where nothing is around it', () => {
    expect(run('chain', {}, {}).kind).toBe('workflow');
  });

  test.each([
    ['graph:step:0, langsmith:hidden', 'step'],
    ['langsmith:hidden', 'step'],
    ['mine, not-langsmith:hidden', 'workflow'],
  ])('chain with the tags «%s» and nothing around it is a %s', (tags, kind) => {
    expect(run('chain', { 'langsmith.span.tags': tags }, {}).kind).toBe(kind);
  });
});

describe('what a LangSmith run was given and gave back', () => {
  test.each<[string, unknown, unknown, readonly string[], readonly string[]]>([
    [
      'a wrapped client',
      { model: 'gpt', messages: [{ role: 'user', content: 'Hi' }] },
      { choices: [{ message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }] },
      ['user Hi'],
      ['assistant Hello [stop]'],
    ],
    [
      'LangChain',
      { messages: [[lc('HumanMessage', { content: 'Hi' })]] },
      { generations: [[{ text: 'Hello', message: lc('AIMessage', { content: 'Hello' }) }]], llmOutput: {} },
      ['user Hi'],
      ['assistant Hello'],
    ],
    ['an application’s own model', { prompt: 'Hi', seed: 7 }, { outputs: 'Hello' }, ['user Hi'], ['assistant Hello']],
  ])('is messages of a model: %s', (_who, inputs, outputs, asked, answered) => {
    const step = run('llm', { 'gen_ai.prompt': JSON.stringify(inputs), 'gen_ai.completion': JSON.stringify(outputs) });

    expect([said(step.messagesIn), said(step.messagesOut)]).toEqual([asked, answered]);
  });

  test.each<[string, unknown, unknown, string, string]>([
    ['a text', { input: 'Hi' }, { outputs: 'Hello' }, 'Hi', 'Hello'],
    [
      'a thread',
      { messages: [lc('HumanMessage', { content: 'Hi' })] },
      { messages: [lc('HumanMessage', { content: 'Hi' }), lc('AIMessage', { content: 'Hello' })] },
      'Hi',
      'Hello',
    ],
    ['a message', { input: 'Hi' }, { output: lc('AIMessage', { content: 'Hello' }) }, 'Hi', 'Hello'],
    ['data', { a: 1, b: 2 }, { c: 3, d: 4 }, '{"a":1,"b":2}', '{"c":3,"d":4}'],
  ])('is words of a chain: %s', (_what, inputs, outputs, input, output) => {
    const attributes = { 'gen_ai.prompt': JSON.stringify(inputs), 'gen_ai.completion': JSON.stringify(outputs) };
    const step = run('chain', attributes, {});

    expect([step.input.text, step.output.text]).toEqual([input, output]);
  });

  test.each<[string, unknown, unknown, unknown, unknown]>([
    ['traced by hand', { at: 1 }, { outputs: [1, 2] }, { at: 1 }, [1, 2]],
    ['that gives an object', { at: 1 }, { ok: true, outputs: 3 }, { at: 1 }, { ok: true, outputs: 3 }],
    [
      'of LangChain',
      { input: '{"at":1}' },
      { output: lc('ToolMessage', { content: '{"ok":true}', tool_call_id: 'c1', name: 'f', status: 'success' }) },
      { at: 1 },
      { ok: true },
    ],
  ])('is arguments and a result of a tool %s', (_which, inputs, outputs, args, result) => {
    const step = run('tool', {
      'gen_ai.tool.name': 'f',
      'gen_ai.prompt': JSON.stringify(inputs),
      'gen_ai.completion': JSON.stringify(outputs),
    });

    expect([step.tool?.args.json, step.tool?.result.json, step.messagesIn]).toEqual([args, result, []]);
  });

  test.each([
    ['the metadata', { 'langsmith.metadata.tool_call_id': 'c1' }],
    ['the message', { 'gen_ai.completion': JSON.stringify({ output: lc('ToolMessage', { tool_call_id: 'c1' }) }) }],
  ])('has the id of a tool call in %s', (_where, attributes) => {
    expect(run('tool', attributes).tool?.callId).toBe('c1');
  });
});

describe('a LangSmith run that failed', () => {
  const exception = {
    name: 'exception',
    attributes: { 'exception.type': 'Error', 'exception.message': 'Error: 500 The server had an error' },
  };

  test('says OK, and has an exception', () => {
    const step = run('llm', {}, { status: 'ok', events: [exception] });

    expect(step.error).toEqual({ type: 'Error', message: '500 The server had an error', source: 'exception' });
  });

  test('is one of LangSmith: any other span that says OK has coped', () => {
    expect(stepOf({ 'gen_ai.operation.name': 'chat' }, { status: 'ok', events: [exception] }).error).toBeUndefined();
  });
});

describe('other fields of a LangSmith run', () => {
  test('have names of their own, some inside JSON', () => {
    const step = run('llm', {
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.usage.input_token_details': '{"cache_read":4,"cache_creation":1}',
      'gen_ai.usage.output_token_details': '{"reasoning":2}',
      'gen_ai.response.finish_reasons': 'stop, length',
      'gen_ai.request.model': 'gpt',
      'gen_ai.system': 'langchain',
      'langsmith.metadata.ls_provider': 'openai',
      'langsmith.metadata.thread_id': 't',
      'langsmith.metadata.user_id': 'u',
      'langsmith.trace.session_id': 'the project',
    });

    expect(step.usage).toEqual({
      inputTokens: 10,
      outputTokens: 5,
      cacheReadTokens: 4,
      cacheWriteTokens: 1,
      reasoningTokens: 2,
    });
    expect(step.model).toMatchObject({ finishReasons: ['stop', 'length'], provider: 'openai' });
    expect([step.conversationId, step.userId]).toEqual(['t', 'u']);
  });

  test('count tokens only said in the usage, or in the answer', () => {
    const usage = { input_tokens: 10, output_tokens: 5 };

    expect(run('llm', { 'langsmith.usage_metadata': JSON.stringify(usage) }).usage).toMatchObject({ inputTokens: 10 });
    expect(run('llm', { 'gen_ai.completion': JSON.stringify({ usage }) }).usage).toMatchObject({ outputTokens: 5 });
  });

  test.each([
    ['meeting_scheduler', 'meeting_scheduler'],
    ['RunnableSequence', undefined],
    ['LangGraph', undefined],
    ['CompiledStateGraph', undefined],
    ['AgentExecutor', undefined],
  ])('call the agent by the name of the run at the root: %s', (name, agent) => {
    expect(run('chain', {}, { name }).agent.name).toBe(agent);
    expect(run('chain', {}, { name, parent: 'f' }).agent.name).toBeUndefined();
  });
});

describe('a tool whose content is hidden', () => {
  test.each([
    ['and that gave something back', { 'gen_ai.prompt': '{}', 'gen_ai.completion': '{}' }, 'missing', 'missing'],
    ['and that failed', { 'gen_ai.prompt': '{}' }, 'missing', 'missing'],
    [
      'is not one without parameters',
      { 'gen_ai.prompt': '{}', 'gen_ai.completion': '{"outputs":1}' },
      'whole',
      'whole',
    ],
  ])('%s', (_, attributes, args, result) => {
    const { tool } = stepOf({ 'langsmith.span.kind': 'tool', ...attributes });

    expect([tool?.args.state, tool?.result.state]).toEqual([args, result]);
  });
});
