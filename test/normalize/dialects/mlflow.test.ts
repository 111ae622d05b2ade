import { describe, expect, test } from 'vitest';
import { said } from '../support/said.ts';
import { stepOf } from '../support/step-of.ts';

const span = (type: string, attributes: Readonly<Record<string, unknown>> = {}, parent = 'f') =>
  stepOf({ 'mlflow.spanType': type, ...attributes }, { parent });

describe('the kind of an MLflow span', () => {
  test.each([
    ['"AGENT"', 'agent'],
    ['AGENT', 'agent'],
    ['"chat_model"', 'llm'],
    ['"LLM"', 'llm'],
    ['"TOOL"', 'tool'],
    ['"RETRIEVER"', 'retrieval'],
    ['"RERANKER"', 'rerank'],
    ['"CHAIN"', 'step'],
    ['"UNKNOWN"', 'other'],
    ['7', 'other'],
  ])('%s is %s, in quotes or not', (type, kind) => {
    expect(span(type).kind).toBe(kind);
  });

  test('CHAIN is a workflow where nothing is around it', () => {
    expect(stepOf({ 'mlflow.spanType': '"CHAIN"' }).kind).toBe('workflow');
  });
});

describe('what an MLflow span was given and gave back', () => {
  test('is messages of a model', () => {
    const step = span('"CHAT_MODEL"', {
      'mlflow.spanInputs': '{"model":"gpt","messages":[{"role":"user","content":"Hi"}]}',
      'mlflow.spanOutputs':
        '{"choices":[{"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3}}',
    });

    expect([said(step.messagesIn), said(step.messagesOut)]).toEqual([['user Hi'], ['assistant Hello [stop]']]);
    expect(step.usage).toMatchObject({ inputTokens: 7, outputTokens: 3 });
  });

  test('is arguments and a result of a tool', () => {
    const step = span('"TOOL"', { 'mlflow.spanInputs': '{"at":1}', 'mlflow.spanOutputs': '"{\\"ok\\":true}"' });

    expect([step.tool?.args.json, step.tool?.result.json]).toEqual([{ at: 1 }, { ok: true }]);
  });

  test('has reasoning tokens only in the answer', () => {
    const step = span('"LLM"', {
      'mlflow.chat.tokenUsage': '{"input_tokens":7,"output_tokens":3}',
      'mlflow.spanOutputs':
        '{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens_details":{"reasoning_tokens": 2}}}',
    });

    expect(step.usage).toMatchObject({ inputTokens: 7, outputTokens: 3, reasoningTokens: 2 });
  });

  test('are named arguments of a function that takes any', () => {
    expect(span('"TOOL"', { 'mlflow.spanInputs': '{"kwargs":{"at":1}}' }).tool?.args.json).toEqual({ at: 1 });
  });

  test('is words of an agent', () => {
    const step = span('"AGENT"', { 'mlflow.spanInputs': '{"question":"Hi"}', 'mlflow.spanOutputs': '"Hello"' });

    expect([step.input.text, step.output.text]).toEqual(['Hi', 'Hello']);
  });
});

test('other fields of an MLflow span are JSON, quotes and all', () => {
  const step = span('"LLM"', {
    'mlflow.chat.tokenUsage': '{"input_tokens":7,"output_tokens":3,"total_tokens":10,"cache_read_input_tokens":2}',
    'mlflow.llm.cost': '{"total_cost":0.5}',
    'mlflow.llm.model': '"gpt"',
    'mlflow.llm.provider': '"openai"',
    'mlflow.trace.session': '"s"',
    'mlflow.trace.user': 'u',
  });

  expect(step.usage).toMatchObject({ inputTokens: 7, outputTokens: 3, cacheReadTokens: 2 });
  expect(step.model).toMatchObject({ response: 'gpt', provider: 'openai' });
  expect([step.costUsd, step.conversationId, step.userId]).toEqual([0.5, 's', 'u']);
});
