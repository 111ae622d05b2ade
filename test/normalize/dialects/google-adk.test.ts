import { describe, expect, test } from 'vitest';
import { normalize } from '../../../src/normalize/normalize.ts';
import { logsOf, traceOf } from '../support/otlp.ts';
import { stepOf } from '../support/step-of.ts';

const ADK = { scope: 'gcp.vertex.agent' } as const;
const call = (attributes: Readonly<Record<string, unknown>>) => stepOf(attributes, { name: 'call_llm', ...ADK });
const request = (value: unknown) => call({ 'gcp.vertex.agent.llm_request': JSON.stringify(value) });
const response = (value: unknown, attributes: Readonly<Record<string, unknown>> = {}) =>
  call({ 'gcp.vertex.agent.llm_response': JSON.stringify(value), ...attributes });
const tool = (attributes: Readonly<Record<string, unknown>>) =>
  stepOf({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'look', ...attributes }, ADK);

describe('the kind of an ADK span', () => {
  test.each([
    ['invocation', 'workflow'],
    ['agent_run [scheduler]', 'agent'],
    ['call_llm', 'llm'],
    ['execute_tool look', 'tool'],
    ['send_data', 'other'],
  ])('of the name %s is %s', (name, kind) => {
    expect(stepOf({}, { name, ...ADK }).kind).toBe(kind);
  });

  test('is nothing in another scope', () => {
    expect(stepOf({}, { name: 'invocation', scope: 'app' }).kind).toBe('other');
  });

  test('is no tool call where responses of several were merged', () => {
    expect(tool({ 'gen_ai.tool.name': '(merged tools)' }).kind).toBe('other');
  });

  test('names the agent in older versions', () => {
    expect(stepOf({}, { name: 'agent_run [scheduler]', ...ADK }).agent.name).toBe('scheduler');
  });
});

describe('what a model was asked', () => {
  test.each<[string, unknown]>([
    [
      'JavaScript',
      {
        contents: [
          { role: 'user', parts: [{ text: 'Is Ann free?' }] },
          { role: 'model', parts: [{ functionCall: { id: 'c', name: 'look', args: { who: 'Ann' } } }] },
          { role: 'user', parts: [{ functionResponse: { id: 'c', name: 'look', response: { result: 'yes' } } }] },
        ],
        config: { systemInstruction: 'Be brief.' },
      },
    ],
    [
      'Python',
      {
        contents: [
          { role: 'user', parts: [{ text: 'Is Ann free?' }] },
          { role: 'model', parts: [{ function_call: { id: 'c', name: 'look', args: { who: 'Ann' } } }] },
          { role: 'user', parts: [{ function_response: { id: 'c', name: 'look', response: { result: 'yes' } } }] },
        ],
        config: { system_instruction: 'Be brief.' },
      },
    ],
  ])('is understood as %s writes it', (_language, value) => {
    const step = request(value);

    expect([step.systemInstructions, step.input.text]).toEqual(['Be brief.', 'Is Ann free?']);
    expect(
      step.messagesIn.map(({ role, parts }) => [
        role,
        ...parts.map((part) => {
          if (part.type === 'tool_call') return [part.id, part.name, part.args.json];
          return part.type === 'tool_result' ? [part.id, part.result.text] : part.type;
        }),
      ]),
    ).toEqual([
      ['system', 'text'],
      ['user', 'text'],
      ['assistant', ['c', 'look', { who: 'Ann' }]],
      ['tool', ['c', 'yes']],
    ]);
  });

  test('is missing where it was left out', () => {
    expect(call({ 'gcp.vertex.agent.llm_request': '{}', 'gcp.vertex.agent.llm_response': '{}' }).flags).toContain(
      'content-missing',
    );
  });
});

describe('what a model answered', () => {
  test('is the content, without the thoughts', () => {
    const content = { role: 'model', parts: [{ thought: true, text: 'Hm.' }, { text: 'Yes.' }] };

    expect(response({ content, finishReason: 'STOP' }).output.text).toBe('Yes.');
  });

  test('failed where it holds an error', () => {
    const step = response({ error_code: 'SAFETY', error_message: 'Blocked.' });

    expect(step.error).toMatchObject({ type: 'SAFETY', message: 'Blocked.' });
  });

  test('did not fail where the answer speaks of an error', () => {
    const content = { role: 'model', parts: [{ text: 'The field "errorCode": "X" was empty.' }] };

    expect(response({ content }).error).toBeUndefined();
  });

  test.each<[string, object]>([
    ['JavaScript', { candidatesTokenCount: 31, thoughtsTokenCount: 16, cachedContentTokenCount: 8 }],
    ['Python', { candidates_token_count: 31, thoughts_token_count: 16, cached_content_token_count: 8 }],
  ])('cost the thoughts too, as %s writes it', (_language, usageMetadata) => {
    const step = response({ usageMetadata }, { 'gen_ai.usage.input_tokens': 20, 'gen_ai.usage.output_tokens': 31 });

    expect(step.usage).toEqual({
      inputTokens: 20,
      outputTokens: 47,
      cacheReadTokens: 8,
      cacheWriteTokens: 0,
      reasoningTokens: 16,
    });
  });

  test('cost what the attribute says where the response was left out', () => {
    const step = response({}, { 'gen_ai.usage.input_tokens': 20, 'gen_ai.usage.output_tokens': 31 });

    expect(step.usage?.outputTokens).toBe(31);
  });
});

describe('a tool call', () => {
  test.each([
    ['{"result":["a"]}', ['a']],
    ['{"result":"a"}', 'a'],
    ['{"results":["a"]}', ['a']],
    ['{"results":[]}', []],
    ['{"results":"a"}', { results: 'a' }],
    ['{"results":["a"],"more":true}', { results: ['a'], more: true }],
    ['{"result":{"results":["a"]}}', { results: ['a'] }],
    ['{"free":true}', { free: true }],
  ])('that gave back %s is unwrapped', (written, result) => {
    expect(tool({ 'gcp.vertex.agent.tool_response': written }).tool?.result.json).toEqual(result);
  });

  test('is unwrapped under the newer key as well, in ADK’s scope only', () => {
    const spec = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.call.result': '{"result":["a"]}' };

    expect(stepOf(spec, ADK).tool?.result.json).toEqual(['a']);
    expect(stepOf(spec).tool?.result.json).toEqual({ result: ['a'] });
  });

  test('had no arguments, or had them left out together with the result', () => {
    const without = tool({ 'gcp.vertex.agent.tool_call_args': '{}', 'gcp.vertex.agent.tool_response': '{"a":1}' });
    const leftOut = tool({ 'gcp.vertex.agent.tool_call_args': '{}', 'gcp.vertex.agent.tool_response': '{}' });

    expect([without.tool?.args.json, leftOut.tool?.args.state]).toEqual([{}, 'missing']);
  });

  test.each([
    ['{"error":"503"}', '503'],
    ['{"status":"error","error_message":"503"}', '503'],
    ['{"status":"booked","error":null}', undefined],
  ])('that gave back %s failed or not', (written, message) => {
    expect(tool({ 'gcp.vertex.agent.tool_response': written }).error?.message).toBe(message);
  });

  test('has no id where none was given', () => {
    expect(tool({ 'gen_ai.tool.call.id': '<not specified>' }).tool?.callId).toBeUndefined();
  });
});

test('messages as log records hold Google’s own content', () => {
  const { traces } = traceOf({ id: 'a1', attributes: { 'gen_ai.operation.name': 'generate_content' } });
  const logs = logsOf(
    { span: 'a1', name: 'gen_ai.system.message', at: 1, body: { content: 'Be brief.' } },
    {
      span: 'a1',
      name: 'gen_ai.user.message',
      at: 2,
      body: { content: { role: 'user', parts: [{ text: 'Is Ann free?' }] } },
    },
    { span: 'a1', name: 'gen_ai.user.message', at: 3, body: { content: { role: 'model', parts: [{ text: 'Hm.' }] } } },
    {
      span: 'a1',
      name: 'gen_ai.choice',
      at: 4,
      body: { index: 0, finish_reason: 'STOP', content: { role: 'model', parts: [{ text: 'Yes.' }] } },
    },
  );
  const [step] = normalize({ traces, logs });

  expect(step?.messagesIn.map(({ role }) => role)).toEqual(['system', 'user', 'assistant']);
  expect([step?.input.text, step?.output.text]).toEqual(['Is Ann free?', 'Yes.']);
});

describe('ADK under the names of the GenAI conventions', () => {
  const chat = (key: string, messages: unknown, spec: object = ADK) =>
    stepOf({ 'gen_ai.operation.name': 'generate_content', [key]: JSON.stringify(messages) }, spec);
  const answered = (response: unknown) => [
    { role: 'user', parts: [{ type: 'tool_call_response', id: 'c1', response }] },
  ];
  const resultIn = (step: ReturnType<typeof chat>) =>
    step.messagesIn.flatMap(({ parts }) => parts.map((part) => part.type === 'tool_result' && part.result.json));

  test('has its results wrapped in the messages too, which is nobody else’s way', () => {
    expect(resultIn(chat('gen_ai.input.messages', answered({ result: '{"ok":true}' })))).toEqual([{ ok: true }]);
    expect(resultIn(chat('gen_ai.input.messages', answered({ result: 1 }), {}))).toEqual([{ result: 1 }]);
  });

  const piece = (parts: readonly unknown[], reason = '') => ({ role: 'assistant', parts, finish_reason: reason });
  const text = (content: string) => ({ type: 'text', content });

  test('has one message for each piece of a stream', () => {
    const pieces = [
      piece([text('T-22')]),
      piece([text('14 is open')]),
      piece([{ type: 'tool_call', name: 'look' }], 'stop'),
    ];
    const { messagesOut, output } = chat('gen_ai.output.messages', pieces);

    expect(messagesOut.map(({ parts }) => parts.map(({ type }) => type))).toEqual([['text', 'tool_call']]);
    expect(output.text).toBe('T-2214 is open');
  });

  test('has several answers where each says why it ended', () => {
    const candidates = [piece([text('a')], 'stop'), piece([text('b')], 'stop')];

    expect(chat('gen_ai.output.messages', candidates).messagesOut).toHaveLength(2);
  });

  test('says of a tool’s failure in its result', () => {
    const failed = (result: string) =>
      stepOf(
        { 'gen_ai.tool.name': 'look', 'error.type': 'TOOL_ERROR', 'gen_ai.tool.call.result': result },
        { ...ADK, status: { error: 'TOOL_ERROR' } },
      );

    expect(failed('{"error":"No such ticket"}').error?.message).toBe('No such ticket');
    expect(failed('{"rows":[]}').error?.message).toBe('TOOL_ERROR');
  });
});
