import { expect, test } from 'vitest';
import { said } from '../support/said.ts';
import { stepOf } from '../support/step-of.ts';

const typed = (type: string, value: unknown) => JSON.stringify({ type, value });
const span = (type: string, attributes: Readonly<Record<string, unknown>> = {}) =>
  stepOf({ 'langwatch.span.type': type, ...attributes });

test.each([
  ['llm', 'llm'],
  ['agent', 'agent'],
  ['tool', 'tool'],
  ['workflow', 'workflow'],
  ['chain', 'step'],
  ['rag', 'retrieval'],
  ['guardrail', 'guardrail'],
  ['evaluation', 'evaluator'],
  ['span', 'other'],
])('the type %s is %s', (type, kind) => {
  expect(span(type).kind).toBe(kind);
});

test.each([
  ['order_bot', 'order_bot'],
  ['run', undefined],
])('the agent of a span %s is called %s', (name, agent) => {
  expect(stepOf({ 'langwatch.span.type': 'agent' }, { name }).agent.name).toBe(agent);
});

test('an agent was asked and answered in texts, in a thread', () => {
  const step = span('agent', {
    'langwatch.input': typed('text', 'Is Ann free?'),
    'langwatch.output': typed('text', 'She is.'),
    'langwatch.thread.id': 't-1',
  });

  expect(step).toMatchObject({ input: { text: 'Is Ann free?' }, output: { text: 'She is.' }, conversationId: 't-1' });
});

test('a model was asked and answered in messages, and counts', () => {
  const step = span('llm', {
    'langwatch.input': typed('chat_messages', [{ role: 'user', content: 'Is Ann free?' }]),
    'langwatch.output': typed('chat_messages', [{ role: 'assistant', content: 'She is.' }]),
    'langwatch.metrics': typed('json', { promptTokens: 10, completionTokens: 3, cost: 0.01 }),
  });

  expect(said(step.messagesIn)).toEqual(['user Is Ann free?']);
  expect(said(step.messagesOut)).toEqual(['assistant She is.']);
  expect(step.usage).toMatchObject({ inputTokens: 10, outputTokens: 3 });
  expect(step.costUsd).toBe(0.01);
});

test("a tool's arguments and result are the values, and a value of a tool's own with a type stays", () => {
  const step = span('tool', {
    'langwatch.input': typed('json', { who: 'Ann' }),
    'langwatch.output': JSON.stringify({ type: 'room', seats: 4 }),
  });

  expect(step.tool).toMatchObject({ args: { json: { who: 'Ann' } }, result: { json: { type: 'room', seats: 4 } } });
});

test('the items of a list are typed values, too', () => {
  const list = [{ type: 'json', value: { id: 1 } }, { type: 'list', value: [{ type: 'text', value: 'a' }] }, 'plain'];

  expect(span('tool', { 'langwatch.output': typed('list', list) }).tool?.result.json).toEqual([
    { id: 1 },
    ['a'],
    'plain',
  ]);
});
