import { describe, expect, test } from 'vitest';
import { stepOf } from '../support/step-of.ts';

const inner = (attributes: Readonly<Record<string, unknown>>) =>
  stepOf({ 'ai.operationId': 'ai.generateText.doGenerate', ...attributes });
const outer = (attributes: Readonly<Record<string, unknown>>) =>
  stepOf({ 'ai.operationId': 'ai.generateText', ...attributes });

describe('the kind of an AI SDK span', () => {
  test.each([
    ['ai.generateText', 'agent'],
    ['ai.streamObject', 'agent'],
    ['ai.streamText.doStream', 'llm'],
    ['ai.generateObject.doGenerate', 'llm'],
    ['ai.toolCall', 'tool'],
    ['ai.embedMany', 'step'],
    ['ai.embed.doEmbed', 'embedding'],
    ['ai.rerank.doRerank', 'rerank'],
    ['ai.somethingNew', 'other'],
  ])('of operation %s is %s', (operation, kind) => {
    expect(stepOf({ 'ai.operationId': operation }).kind).toBe(kind);
  });

  test('is in the operation’s name where there is no operation id', () => {
    expect(stepOf({ 'operation.name': 'ai.toolCall weather_bot' }).kind).toBe('tool');
  });
});

describe('what the application passed', () => {
  test.each<[string, unknown]>([
    ['a text', { system: 'Be brief.', prompt: 'Hello?' }],
    ['messages', { system: 'Be brief.', messages: [{ role: 'user', content: 'Hello?' }] }],
    ['messages as the prompt', { system: 'Be brief.', prompt: [{ role: 'user', content: 'Hello?' }] }],
    ['system messages', { system: [{ role: 'system', content: 'Be brief.' }], prompt: 'Hello?' }],
  ])('is read from %s', (_what, prompt) => {
    const step = outer({ 'ai.prompt': JSON.stringify(prompt) });

    expect([step.input.text, step.systemInstructions]).toEqual(['Hello?', 'Be brief.']);
  });

  test('is the last message of the user, whatever the assistant and the tools said before', () => {
    const messages = [
      { role: 'user', content: 'Is Ann free?' },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'look', input: {} }] },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', output: { type: 'text', value: 'yes' } }] },
      { role: 'assistant', content: [{ type: 'text', text: 'She is.' }] },
      { role: 'user', content: [{ type: 'text', text: 'Book her.' }] },
    ];

    expect(outer({ 'ai.prompt': JSON.stringify({ messages }) }).input.text).toBe('Book her.');
  });

  test('is marked as cut where it was cut', () => {
    const step = outer({ 'ai.prompt': '{"system":"Be brief.","messages":[{"role":"us' });

    expect([step.input.state, step.flags.includes('truncated-json')]).toEqual(['truncated', true]);
  });
});

describe('what a model answered', () => {
  const parts = (attributes: Readonly<Record<string, unknown>>) =>
    inner(attributes).messagesOut.flatMap((message) =>
      message.parts.map((part) => (part.type === 'tool_call' ? [part.id, part.name, part.args.json] : part)),
    );

  test('is reasoning, text and requested calls together', () => {
    expect(
      parts({
        'ai.response.reasoning': 'Hm.',
        'ai.response.text': 'Let me look.',
        'ai.response.toolCalls': JSON.stringify([{ toolCallId: 'c', toolName: 'look', input: '{"who":"Ann"}' }]),
      }),
    ).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Let me look.' },
      ['c', 'look', { who: 'Ann' }],
    ]);
  });

  test.each<[string, object]>([
    ['version 4', { toolCallType: 'function', toolCallId: 'c', toolName: 'look', args: '{"who":"Ann"}' }],
    ['version 4 after parsing', { type: 'tool-call', toolCallId: 'c', toolName: 'look', args: { who: 'Ann' } }],
    ['version 6 streams', { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: { who: 'Ann' } }],
  ])('requests calls as in %s', (_version, call) => {
    expect(parts({ 'ai.response.toolCalls': JSON.stringify([call]) })).toEqual([['c', 'look', { who: 'Ann' }]]);
  });

  test('is an object where one was asked for', () => {
    expect(inner({ 'ai.response.object': '{"city":"Bonn"}' }).output.text).toBe('{"city":"Bonn"}');
  });

  test('is under ai.result before version 4', () => {
    const step = inner({
      'ai.result.text': 'It rains.',
      'ai.result.toolCalls': '[{"toolCallId":"c","toolName":"look","args":{}}]',
    });

    expect([step.output.text, step.messagesOut[0]?.parts.length]).toEqual(['It rains.', 2]);
  });

  test('is missing where a crash left an empty text', () => {
    expect(outer({ 'ai.response.text': '', 'ai.response.finishReason': 'other' }).output.state).toBe('missing');
  });
});

describe('tokens', () => {
  test('are what counts of version 6, with the cached and the reasoned', () => {
    const step = inner({
      'ai.usage.inputTokens': 100,
      'ai.usage.inputTokenDetails.noCacheTokens': 30,
      'ai.usage.inputTokenDetails.cacheReadTokens': 60,
      'ai.usage.inputTokenDetails.cacheWriteTokens': 10,
      'ai.usage.outputTokens': 20,
      'ai.usage.outputTokenDetails.reasoningTokens': 5,
      'ai.model.provider': 'anthropic.messages',
    });

    expect(step.usage).toEqual({
      inputTokens: 100,
      outputTokens: 20,
      cacheReadTokens: 60,
      cacheWriteTokens: 10,
      reasoningTokens: 5,
    });
  });

  test('of Anthropic before version 6 leave out the cached, which are added', () => {
    const step = inner({
      'ai.model.provider': 'anthropic.messages',
      'ai.usage.promptTokens': 100,
      'ai.usage.completionTokens': 20,
      'ai.response.providerMetadata': '{"anthropic":{"cacheCreationInputTokens":10,"cacheReadInputTokens":60}}',
    });

    expect([step.usage?.inputTokens, step.usage?.cacheReadTokens, step.usage?.cacheWriteTokens]).toEqual([170, 60, 10]);
    expect(step.flags).toContain('usage-adjusted');
  });

  test('of OpenAI before version 6 include the cached', () => {
    const step = inner({
      'ai.model.provider': 'openai.chat',
      'ai.usage.promptTokens': 100,
      'ai.response.providerMetadata': '{"openai":{"cachedPromptTokens":64,"reasoningTokens":7}}',
    });

    expect([step.usage?.inputTokens, step.usage?.cacheReadTokens, step.usage?.reasoningTokens]).toEqual([100, 64, 7]);
  });

  test('that are not a number are not counted', () => {
    expect(
      inner({ 'ai.usage.promptTokens': Number.NaN, 'ai.usage.completionTokens': Number.NaN }).usage,
    ).toBeUndefined();
  });
});

describe('a tool call', () => {
  test('has name, id, arguments and result', () => {
    const { tool } = stepOf({
      'ai.operationId': 'ai.toolCall',
      'ai.toolCall.name': 'look',
      'ai.toolCall.id': 'c',
      'ai.toolCall.args': '{"who":"Ann"}',
      'ai.toolCall.result': '"at lunch"',
    });

    expect([tool?.name, tool?.callId, tool?.args.json, tool?.result.text]).toEqual([
      'look',
      'c',
      { who: 'Ann' },
      'at lunch',
    ]);
  });
});

test.each<[string, Readonly<Record<string, unknown>>, readonly string[], string]>([
  ['the SDK alone', {}, [], 'error'],
  ['OpenInference as well', { 'openinference.span.kind': 'TOOL' }, ['ai.stream.finish'], 'unset'],
  ['OpenInference as well, with the exception', { 'openinference.span.kind': 'TOOL' }, ['exception'], 'error'],
])('a span of %s that says that it failed has the status it deserves', (_who, attributes, events, status) => {
  const step = stepOf(
    { 'ai.operationId': 'ai.toolCall', ...attributes },
    {
      status: { error: 'boom' },
      events: events.map((name) => ({ name, attributes: { 'exception.message': 'boom' } })),
    },
  );

  expect([step.status, step.error?.message]).toEqual([status, status === 'error' ? 'boom' : undefined]);
});

test('the agent is called by its function id, the provider without the API', () => {
  const step = outer({
    'ai.telemetry.functionId': 'scheduler',
    'ai.model.id': 'm',
    'ai.model.provider': 'openai.chat',
  });

  expect([step.agent.name, step.model?.provider]).toEqual(['scheduler', 'openai']);
});
