import { describe, expect, test } from 'vitest';
import { said } from '../support/said.ts';
import { stepOf } from '../support/step-of.ts';

type Attributes = Readonly<Record<string, unknown>>;

const text = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });
const run = (attributes: Attributes) =>
  stepOf({ 'gen_ai.operation.name': 'invoke_agent', agent_name: 'bob', ...attributes }, { name: 'invoke_agent bob' });

describe('a run of Pydantic AI', () => {
  const messages = [text('user', 'Hi'), text('assistant', 'Hello'), text('user', 'Book it'), text('assistant', 'Done')];
  const all = (list: readonly unknown[], index?: number) =>
    run({
      'pydantic_ai.all_messages': JSON.stringify(list),
      ...(index === undefined ? {} : { 'pydantic_ai.new_message_index': index }),
    });

  test('was asked what comes at the index, and not what an earlier one was', () => {
    const step = all(messages, 2);

    expect([step.input.text, step.output.text]).toEqual(['Book it', 'Done']);
    expect([said(step.messagesIn), said(step.messagesOut)]).toEqual([
      ['user Hi', 'assistant Hello', 'user Book it'],
      ['assistant Done'],
    ]);
  });

  test('was asked its question, not what the framework says to a model that should try again', () => {
    const step = all([
      text('user', 'Hi'),
      text('assistant', '{'),
      text('user', 'Fix the errors'),
      text('assistant', 'Hello'),
    ]);

    expect([step.input.text, step.output.text]).toEqual(['Hi', 'Hello']);
  });

  test('gave back its result where the answer is data', () => {
    const call = { role: 'assistant', parts: [{ type: 'tool_call', id: 'c', name: 'final_result', arguments: {} }] };
    const step = run({
      'pydantic_ai.all_messages': JSON.stringify([text('user', 'Hi'), call]),
      final_result: '{"city":"Brno"}',
    });

    expect(step.output.text).toBe('{"city":"Brno"}');
  });

  test('counts what its model calls used', () => {
    const step = run({ 'gen_ai.aggregated_usage.input_tokens': 7, 'gen_ai.aggregated_usage.output_tokens': 3 });

    expect(step.usage).toMatchObject({ inputTokens: 7, outputTokens: 3 });
  });
});

describe('format 1', () => {
  const called = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } };
  const events = [
    { 'event.name': 'gen_ai.user.message', role: 'user', content: 'Hi' },
    { 'event.name': 'gen_ai.assistant.message', role: 'assistant', tool_calls: [called] },
    { 'event.name': 'gen_ai.tool.message', role: 'tool', id: 'c1', content: '2' },
  ];

  test('has a model call’s messages as events in one attribute', () => {
    const choice = { 'event.name': 'gen_ai.choice', index: 0, message: { role: 'assistant', content: 'Two' } };
    const step = stepOf({ 'gen_ai.operation.name': 'chat', events: JSON.stringify([...events, choice]) });

    expect(said(step.messagesIn)).toEqual(['user Hi', 'assistant look#c1({"at":1})', 'tool #c1=2']);
    expect(said(step.messagesOut)).toEqual(['assistant Two']);
  });

  test('has a run’s', () => {
    const answer = { 'event.name': 'gen_ai.assistant.message', role: 'assistant', content: 'Two' };
    const step = run({ all_messages_events: JSON.stringify([...events, answer]) });

    expect([step.input.text, step.output.text]).toEqual(['Hi', 'Two']);
  });

  test('is not what somebody else has under that name', () => {
    expect(stepOf({ 'gen_ai.operation.name': 'chat', events: '[{"name":"x"}]' }).messagesIn).toEqual([]);
    expect(stepOf({ 'gen_ai.operation.name': 'chat', events: '7' }).messagesIn).toEqual([]);
  });

  test('has the question of a run as its prompt', () => {
    expect(run({ prompt: 'Hi' }).input.text).toBe('Hi');
  });
});
