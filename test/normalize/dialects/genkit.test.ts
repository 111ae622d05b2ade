import { describe, expect, test } from 'vitest';
import { stepOf } from '../support/step-of.ts';

const GENKIT = { scope: 'genkit-tracer' } as const;
const span = (attributes: Readonly<Record<string, unknown>>) => stepOf(attributes, GENKIT);
const action = (subtype: string, attributes: Readonly<Record<string, unknown>> = {}) =>
  span({ 'genkit:type': 'action', 'genkit:metadata:subtype': subtype, ...attributes });
const model = (output: unknown, attributes: Readonly<Record<string, unknown>> = {}) =>
  action('model', {
    'genkit:name': 'googleai/gemini-2.5-flash',
    'genkit:output': JSON.stringify(output),
    ...attributes,
  });

describe('the kind of a Genkit span', () => {
  test.each([
    ['model', 'llm'],
    ['background-model', 'llm'],
    ['tool', 'tool'],
    ['tool.v2', 'tool'],
    ['flow', 'workflow'],
    ['agent', 'agent'],
    ['embedder', 'embedding'],
    ['retriever', 'retrieval'],
    ['reranker', 'rerank'],
    ['evaluator', 'evaluator'],
    ['prompt', 'step'],
    ['resource', 'other'],
  ])('of the subtype %s is %s', (subtype, kind) => {
    expect(action(subtype).kind).toBe(kind);
  });

  test('of a helper is a step', () => {
    expect(span({ 'genkit:type': 'util', 'genkit:name': 'generate' }).kind).toBe('step');
  });
});

describe('the conversation of a flow', () => {
  test.each([
    ['what it was given', { 'genkit:input': '{"sessionId":"c-1","message":"Hi"}' }],
    ['the context of the call', { 'genkit:metadata:context': '{"auth":"<redacted>","threadId":"c-1"}' }],
    ['the session of an agent', { 'genkit:metadata:agent:sessionId': 'c-1' }],
  ])('is in %s', (_, attributes) => {
    expect(action('flow', attributes).conversationId).toBe('c-1');
  });

  test('is not an argument of a tool that is called so', () => {
    expect(action('tool', { 'genkit:input': '{"sessionId":"c-1"}' }).conversationId).toBeUndefined();
  });

  test('is not looked for in what is too long to be a question', () => {
    const input = JSON.stringify({ sessionId: 'c-1', message: 'x'.repeat(70_000) });

    expect(action('flow', { 'genkit:input': input }).conversationId).toBeUndefined();
  });
});

describe('what a flow was given and gave back', () => {
  test.each([
    ['a text', '"Is Ann free?"', 'Is Ann free?'],
    ['an object with a message', '{"sessionId":"c","message":"Is Ann free?"}', 'Is Ann free?'],
    ['an object with a question', '{"question":"Is Ann free?","language":"en"}', 'Is Ann free?'],
  ])('is the text of %s', (_, input, text) => {
    expect(action('flow', { 'genkit:input': input }).input.text).toBe(text);
  });

  test('is left to the model calls where nothing says what the user said', () => {
    expect(action('flow', { 'genkit:input': '{"day":"Friday","hours":3}' }).input.state).toBe('missing');
  });

  test.each([
    ['a text', '"She is."', 'She is.'],
    ['an object with a reply', '{"reply":"She is.","sources":[]}', 'She is.'],
    ['any other object', '{"free":true}', '{"free":true}'],
  ])('is %s', (_, output, text) => {
    expect(action('flow', { 'genkit:output': output }).output.text).toBe(text);
  });
});

describe('a model call', () => {
  test('was asked in messages of requests and responses of tools', () => {
    const { messagesIn } = action('model', {
      'genkit:input': JSON.stringify({
        messages: [
          { role: 'system', content: [{ text: 'Be brief.' }] },
          { role: 'user', content: [{ text: 'Is Ann free?' }, { media: { url: 'data:,', contentType: 'image/png' } }] },
          { role: 'model', content: [{ toolRequest: { name: 'look', ref: 'r1', input: { who: 'Ann' } } }] },
          { role: 'tool', content: [{ toolResponse: { name: 'look', ref: 'r1', output: { free: true } } }] },
        ],
        tools: [{ name: 'look' }],
      }),
    });

    expect(messagesIn.map(({ role, parts }) => [role, parts.map(({ type }) => type)])).toEqual([
      ['system', ['text']],
      ['user', ['text', 'media']],
      ['assistant', ['tool_call']],
      ['tool', ['tool_result']],
    ]);
    expect(messagesIn[2]?.parts[0]).toMatchObject({ id: 'r1', name: 'look' });
    expect(messagesIn[3]?.parts[0]).toMatchObject({ id: 'r1', result: { json: { free: true } } });
  });

  test.each([
    ['as a message', { message: { role: 'model', content: [{ text: 'She is.' }] }, finishReason: 'stop' }],
    [
      'as candidates',
      { candidates: [{ index: 0, message: { role: 'model', content: [{ text: 'She is.' }] }, finishReason: 'stop' }] },
    ],
    [
      'in the pieces of a stream',
      { message: { role: 'model', content: [{ text: 'She' }, { text: ' is' }, { text: '.' }] }, finishReason: 'stop' },
    ],
  ])('answered %s', (_, output) => {
    const step = model(output);

    expect(step.output.text).toBe('She is.');
    expect(step.model?.finishReasons).toEqual(['stop']);
  });

  test('is of the model and the provider in its name', () => {
    expect(model({}).model).toMatchObject({ request: 'gemini-2.5-flash', provider: 'googleai' });
  });

  test('counts what was thought with what was said where Gemini counts it beside', () => {
    const usage = { inputTokens: 100, outputTokens: 20, thoughtsTokens: 5, cachedContentTokens: 60, totalTokens: 125 };

    expect(model({ usage }).usage).toMatchObject({
      inputTokens: 100,
      outputTokens: 25,
      reasoningTokens: 5,
      cacheReadTokens: 60,
    });
  });

  test('counts the cached tokens that only the answer of the provider tells of', () => {
    const usage = { inputTokens: 100, outputTokens: 20, totalTokens: 120 };
    const raw = {
      usage: { prompt_tokens_details: { cached_tokens: 64 }, completion_tokens_details: { reasoning_tokens: 8 } },
    };

    expect(model({ usage, raw }).usage).toMatchObject({ outputTokens: 20, cacheReadTokens: 64, reasoningTokens: 8 });
  });

  test('without usage, or with something else there, counts nothing', () => {
    expect(model({ usage: 'much' }).usage).toBeUndefined();
    expect(model('cut {').usage).toBeUndefined();
  });
});

test('a tool has its arguments and its result, and its name', () => {
  const { tool } = action('tool', {
    'genkit:name': 'look',
    'genkit:input': '{"who":"Ann"}',
    'genkit:output': '[1,2]',
  });

  expect(tool).toMatchObject({ name: 'look', args: { json: { who: 'Ann' } }, result: { json: [1, 2] } });
});
