import { describe, expect, test } from 'vitest';
import { said } from '../support/said.ts';
import { stepOf } from '../support/step-of.ts';

type Attributes = Readonly<Record<string, unknown>>;

describe('the kind of an OpenLLMetry span', () => {
  test.each<[string, Attributes, string]>([
    ['workflow', { 'traceloop.span.kind': 'workflow' }, 'workflow'],
    ['task', { 'traceloop.span.kind': 'task' }, 'step'],
    ['agent', { 'traceloop.span.kind': 'agent' }, 'agent'],
    ['tool', { 'traceloop.span.kind': 'tool' }, 'tool'],
    ['unknown', { 'traceloop.span.kind': 'unknown' }, 'other'],
    ['the operation', { 'traceloop.span.kind': 'task', 'gen_ai.operation.name': 'execute_tool' }, 'tool'],
    ['a chat request', { 'llm.request.type': 'chat' }, 'llm'],
    ['a completion request', { 'llm.request.type': 'completion' }, 'llm'],
    ['a rerank request', { 'llm.request.type': 'rerank' }, 'rerank'],
    ['an embedding request', { 'llm.request.type': 'embedding' }, 'embedding'],
    [
      'a runnable, which says that it is a workflow',
      { 'traceloop.span.kind': 'workflow', 'traceloop.workflow.name': 'RunnableSequence' },
      'step',
    ],
    ['a graph', { 'traceloop.span.kind': 'workflow', 'traceloop.workflow.name': 'CompiledStateGraph' }, 'workflow'],
  ])('is decided by %s', (_what, attributes, kind) => {
    expect(stepOf(attributes).kind).toBe(kind);
  });
});

describe('the flattened form of earlier releases', () => {
  test('is a conversation with tool calls, results and a reason', () => {
    const step = stepOf({
      'llm.request.type': 'chat',
      'gen_ai.system': 'OpenAI',
      'gen_ai.prompt.0.role': 'system',
      'gen_ai.prompt.0.content': 'Be kind.',
      'gen_ai.prompt.1.role': 'user',
      'gen_ai.prompt.1.content': '[{"type":"text","text":"What is"},{"type":"text","text":"this?"}]',
      'gen_ai.prompt.2.role': 'assistant',
      'gen_ai.prompt.2.tool_calls.0.id': 'c1',
      'gen_ai.prompt.2.tool_calls.0.name': 'look',
      'gen_ai.prompt.2.tool_calls.0.arguments': '{"at":1}',
      'gen_ai.prompt.3.role': 'tool',
      'gen_ai.prompt.3.content': '[{"a":1}]',
      'gen_ai.prompt.3.tool_call_id': 'c1',
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.content': 'A cat.',
      'gen_ai.completion.0.finish_reason': 'stop',
      'gen_ai.completion.1.role': 'assistant',
      'gen_ai.completion.1.finish_reason': 'tool_calls',
      'gen_ai.completion.1.tool_calls.0.name': 'look',
      'gen_ai.completion.1.tool_calls.0.arguments': '{"at":2}',
      'gen_ai.usage.prompt_tokens': 7,
      'gen_ai.usage.completion_tokens': 3,
    });

    expect(said(step.messagesIn)).toEqual([
      'system Be kind.',
      'user What is this?',
      'assistant look#c1({"at":1})',
      'tool #c1=[{"a":1}]',
    ]);
    expect(said(step.messagesOut)).toEqual([
      'assistant A cat. [stop]',
      'assistant look#undefined({"at":2}) [tool_call]',
    ]);
    expect(step.model?.finishReasons).toEqual(['stop', 'tool_call']);
    expect([step.usage?.inputTokens, step.usage?.outputTokens]).toEqual([7, 3]);
  });

  test('has results of tools in what the user says, with Anthropic', () => {
    const step = stepOf({
      'llm.request.type': 'chat',
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': '[{"type":"tool_result","tool_use_id":"c1","content":"ok"}]',
    });

    expect(said(step.messagesIn)).toEqual(['tool #c1="ok"']);
  });

  test('leaves text that only looks like a list of parts', () => {
    for (const content of ['[{"type":"text"', '[{"type":"cat"}]', '[{"name":"cat"}]', '{"type":"text","text":"x"}']) {
      expect(stepOf({ 'llm.request.type': 'chat', 'gen_ai.prompt.0.content': content }).input.text).toBe(content);
    }
  });

  test('is not asked where there is the current one', () => {
    const step = stepOf({
      'gen_ai.operation.name': 'chat',
      'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"now"}]}]',
      'gen_ai.prompt.0.content': 'then',
    });

    expect([step.input.text, step.rules.get('messagesIn')]).toEqual(['now', 'gen_ai.input.messages']);
  });
});

describe('what a marked function was given and gave back', () => {
  const agent = (input: string, output = '"hi"') =>
    stepOf({ 'traceloop.span.kind': 'agent', 'traceloop.entity.input': input, 'traceloop.entity.output': output });

  test.each<[string, string, string]>([
    ['its only parameter', '{"args":["Hi"],"kwargs":{}}', 'Hi'],
    ['its only text among parameters', '{"args":["Hi",{"user":7}],"kwargs":{}}', 'Hi'],
    ['a parameter by name', '{"args":[],"kwargs":{"question":"Hi","user":7}}', 'Hi'],
    ['messages', '{"args":[[{"role":"user","content":"Hi"}]],"kwargs":{}}', 'Hi'],
    ['what LangChain was given', '{"inputs":{"input":"Hi"},"tags":[],"metadata":{}}', 'Hi'],
    [
      'what LangChain for Python was given',
      '{"inputs":{"messages":[{"type":"human","content":"Hi"}]},"tags":[],"metadata":{"a":1},"kwargs":{"name":"x"}}',
      'Hi',
    ],
    ['more than words', '{"args":[1,2],"kwargs":{}}', '{"args":[1,2],"kwargs":{}}'],
    ['no parameters', '{"args":[],"kwargs":{}}', ''],
  ])('is %s', (_what, input, text) => {
    expect(agent(input).input.text).toBe(text);
  });

  test.each([
    ['a text', '"Hello"', 'Hello'],
    ['a text without quotes', 'Hello', 'Hello'],
    ['an object with a text', '{"output":"Hello"}', 'Hello'],
    ['a chain’s', '{"outputs":{"messages":[{"type":"ai","content":"Hello"}]},"kwargs":{"tags":[]}}', 'Hello'],
    ['data', '{"a":1,"b":2}', '{"a":1,"b":2}'],
  ])('is %s', (_what, output, text) => {
    expect(agent('"Hi"', output).output.text).toBe(text);
  });

  test('was cut by the limit: it is there, but not whole', () => {
    expect(agent('{"args":["Please tell me').input.state).toBe('truncated');
  });

  test('is the agent’s, by its name and version', () => {
    const step = stepOf({
      'traceloop.span.kind': 'agent',
      'traceloop.entity.name': 'bob',
      'traceloop.entity.version': 3,
      'traceloop.association.properties.thread_id': 't',
      'traceloop.association.properties.user_id': 'u',
    });

    expect(step.agent).toMatchObject({ name: 'bob', version: '3' });
    expect([step.conversationId, step.userId]).toEqual(['t', 'u']);
  });
});

describe('a tool call', () => {
  const tool = (input: string, output = '{}', more: Attributes = {}) =>
    stepOf({
      'traceloop.span.kind': 'tool',
      'traceloop.entity.name': 'book',
      'traceloop.entity.input': input,
      'traceloop.entity.output': output,
      ...more,
    });

  test.each<[string, string, unknown]>([
    ['by name', '{"args":[],"kwargs":{"at":1}}', { at: 1 }],
    ['as one object', '{"args":[{"at":1}],"kwargs":{}}', { at: 1 }],
    ['as one object in JSON', '{"args":["{\\"at\\":1}"]}', { at: 1 }],
    ['one after the other', '{"args":[1,2],"kwargs":{}}', [1, 2]],
    ['as LangChain has them', '{"inputs":{"at":1},"tags":[]}', { at: 1 }],
    ['of which there are none', '{"args":[],"kwargs":{}}', {}],
    ['that are called like what frameworks add', '{"input":1,"args":2}', { input: 1, args: 2 }],
    ['as they are', '{"at":1}', { at: 1 }],
  ])('has arguments %s', (_how, input, args) => {
    expect(tool(input).tool?.args.json).toEqual(args);
  });

  test('has its name from the entity', () => {
    expect(tool('{}').tool?.name).toBe('book');
  });

  const message = (status: string) =>
    JSON.stringify({
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'messages', 'ToolMessage'],
      kwargs: { status, content: '{"ok":true}', tool_call_id: 'c1', name: 'book' },
    });

  test('of LangChain has a class for a name, and the name in its message', () => {
    const step = stepOf(
      {
        'gen_ai.operation.name': 'execute_tool',
        'traceloop.span.kind': 'task',
        'traceloop.entity.name': 'DynamicStructuredTool',
        'traceloop.entity.output': message('success'),
      },
      { name: 'execute_tool DynamicStructuredTool' },
    );

    expect(step.tool).toMatchObject({ name: 'book', callId: 'c1' });
    expect([step.tool?.result.json, step.error]).toEqual([{ ok: true }, undefined]);
  });

  test('of LangChain for Python has all that its callbacks were handed, under two names', () => {
    const handed = (given: object) =>
      JSON.stringify({ ...given, tags: [], metadata: { a: 1 }, kwargs: { name: 'book' } });
    const input = handed({ input_str: "{'at': 1}", inputs: { at: 1 } });
    const output = JSON.stringify({ output: JSON.parse(message('success')), kwargs: {} });
    const step = tool(input, output, { 'gen_ai.tool.call.arguments': input, 'gen_ai.tool.call.result': output });

    expect([step.tool?.args.json, step.tool?.result.json, step.tool?.callId]).toEqual([{ at: 1 }, { ok: true }, 'c1']);
    expect(tool(handed({ input_str: "{'at': None}", inputs: null })).tool?.args.json).toEqual({ at: null });
  });

  test('of LangChain failed if its message says so', () => {
    expect(tool('{}', message('error')).error).toMatchObject({ source: 'traceloop.entity.output status' });
  });
});

describe('what the Responses API was asked, as the text of a message', () => {
  const items = JSON.stringify([
    { role: 'user', content: 'Hi' },
    { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: 'ok' },
  ]);
  const asked = (scope: string) =>
    stepOf(
      {
        'gen_ai.operation.name': 'chat',
        'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: items }] }]),
      },
      { scope },
    );

  test('is a list of messages where OpenLLMetry wrote it', () => {
    expect(said(asked('@traceloop/instrumentation-openai').messagesIn)).toEqual([
      'user Hi',
      'assistant f#c1({})',
      'tool #c1="ok"',
    ]);
  });

  test('is what the user typed, from anybody else', () => {
    expect(asked('somebody').input.text).toBe(items);
  });
});
