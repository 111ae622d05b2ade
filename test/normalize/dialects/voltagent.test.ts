import { describe, expect, test } from 'vitest';
import { stepOf } from '../support/step-of.ts';

const span = (attributes: Readonly<Record<string, unknown>>) =>
  stepOf({ 'entity.type': 'agent', 'entity.name': 'desk', ...attributes }, { scope: '@voltagent/core' });

describe('the kind of a VoltAgent span', () => {
  test.each([
    [undefined, 'agent'],
    ['llm', 'llm'],
    ['tool', 'tool'],
    ['memory', 'memory'],
    ['retriever', 'retrieval'],
    ['guardrail', 'guardrail'],
    ['workflow-step', 'step'],
    ['something new', 'other'],
  ])('of the type %s is %s', (type, kind) => {
    expect(span(type === undefined ? {} : { 'span.type': type }).kind).toBe(kind);
  });

  test('is a workflow where the entity is one', () => {
    expect(span({ 'entity.type': 'workflow' }).kind).toBe('workflow');
  });

  test.each([{ 'span.type': 'llm' }, { 'entity.type': 'customer' }, { 'span.type': 'tool', input: 'x' }])(
    'is not told by words that anybody uses: %j',
    (attributes) => {
      const step = stepOf(attributes);

      expect(step.kind).toBe('other');
      expect(step.input.state).toBe('missing');
    },
  );
});

test('an agent has a conversation, an input, an output, and the sum of its tokens', () => {
  const step = span({
    'conversation.id': 'c-1',
    input: 'Is Ann free?',
    output: 'She is.',
    'usage.prompt_tokens': 500,
    'usage.completion_tokens': 40,
    'usage.cached_tokens': 256,
    'usage.reasoning_tokens': 8,
  });

  expect(step).toMatchObject({
    conversationId: 'c-1',
    input: { text: 'Is Ann free?' },
    output: { text: 'She is.' },
    usage: { inputTokens: 500, outputTokens: 40, cacheReadTokens: 256, reasoningTokens: 8 },
    agent: { name: 'desk' },
  });
});

test('an input of messages is what the user said last', () => {
  const input = JSON.stringify([{ role: 'user', content: 'Is Ann free?' }]);

  expect(span({ input }).input.text).toBe('Is Ann free?');
});

test('a sub-agent is called by its own name, not by its caller', () => {
  expect(span({ 'subagent.name': 'support', 'subagent.id': 's1' }).agent).toMatchObject({ name: 'support', id: 's1' });
});

test('the tokens of a model span are those of the last call only, and are not read', () => {
  expect(span({ 'span.type': 'llm', 'llm.usage.prompt_tokens': 324, 'llm.model': 'm' }).usage).toBeUndefined();
});

test("a tool's schema is not its arguments", () => {
  const { tool } = span({
    'span.type': 'tool',
    'tool.name': 'look',
    'tool.call.id': 'c1',
    'tool.parameters': '{"jsonSchema":{"type":"object"}}',
    input: '{"who":"Ann"}',
    output: '{"free":true}',
  });

  expect(tool).toMatchObject({
    name: 'look',
    callId: 'c1',
    args: { json: { who: 'Ann' } },
    result: { json: { free: true } },
  });
});
