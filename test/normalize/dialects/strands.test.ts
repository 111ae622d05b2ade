import { describe, expect, test } from 'vitest';
import type { SpanSpec } from '../support/otlp.ts';
import { stepOf as plainStep } from '../support/step-of.ts';

const MARK = { 'gen_ai.event.start_time': '2026-05-05T10:00:00Z' } as const;
type Events = NonNullable<SpanSpec['events']>;

const stepOf = (attributes: Readonly<Record<string, unknown>>, events: Events = [], more: Partial<SpanSpec> = {}) =>
  plainStep({ ...MARK, ...attributes }, { events, ...more });
const tool = (attributes: Readonly<Record<string, unknown>>, events: Events = [], more: Partial<SpanSpec> = {}) =>
  stepOf({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'look', ...attributes }, events, more);

test.each(['execute_event_loop_cycle', 'execute_agent_loop_cycle'])('%s is a step', (name) => {
  expect(stepOf({}, [], { name }).kind).toBe('step');
});

describe("a tool's result", () => {
  test.each([
    ['JSON', [{ json: { free: true } }], { free: true }],
    ['a list, which is wrapped', [{ json: { $value: [1, 2] } }], [1, 2]],
    ['text', [{ text: 'free' }], 'free'],
    ['several texts', [{ text: 'one' }, { text: 'two' }], 'one\ntwo'],
    ['an object that has a $value among others', [{ json: { $value: 1, unit: 's' } }], { $value: 1, unit: 's' }],
  ])('is %s', (_, message, json) => {
    const events = [{ name: 'gen_ai.choice', attributes: { message: JSON.stringify(message) } }];

    expect(tool({}, events).tool?.result.json).toEqual(json);
  });

  test('is in the response part of the newer event', () => {
    const messages = [
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c', response: [{ json: { free: true } }] }] },
    ];
    const attributes = { 'gen_ai.output.messages': JSON.stringify(messages) };

    expect(tool({}, [{ name: 'gen_ai.client.inference.operation.details', attributes }]).tool?.result.json).toEqual({
      free: true,
    });
  });

  test('is in its own attribute', () => {
    expect(tool({ 'gen_ai.tool.call.result': '[{"text":"free"}]' }).tool?.result.text).toBe('free');
  });
});

describe('a tool that failed', () => {
  const said = [{ name: 'gen_ai.choice', attributes: { message: '[{"text":"Error: no such room"}]' } }];

  test('says why in its result where the span is no error', () => {
    expect(tool({ 'gen_ai.tool.status': 'error' }, said, { status: 'ok' }).error?.message).toBe('Error: no such room');
  });

  test('says why in its status where the span is one', () => {
    const status = { error: 'no such room' };

    expect(tool({ 'gen_ai.tool.status': 'error' }, said, { status }).error?.message).toBe('no such room');
  });
});

test("an agent's usage, summed up over all its turns, is not the turn's", () => {
  const step = stepOf({ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.usage.input_tokens': 900 });

  expect(step.usage).toBeUndefined();
});

test("another emitter's agent keeps its usage", () => {
  const attributes = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.usage.input_tokens': 900 };

  expect(plainStep(attributes).usage?.inputTokens).toBe(900);
});

test('the service is not the provider', () => {
  const step = stepOf({ 'gen_ai.operation.name': 'chat', 'gen_ai.system': 'my-service', 'gen_ai.request.model': 'm' });

  expect(step.model).toMatchObject({ request: 'm', provider: undefined });
});

test('a model asks for tools in parts without a message around them', () => {
  const message = [{ text: 'Wait.' }, { type: 'toolUse', name: 'look', toolUseId: 'c1', input: { who: 'Ann' } }];
  const { messagesOut } = stepOf({ 'gen_ai.operation.name': 'chat' }, [
    { name: 'gen_ai.choice', attributes: { finish_reason: 'toolUse', message: JSON.stringify(message) } },
  ]);

  expect(messagesOut).toMatchObject([
    { role: 'assistant', finishReason: 'tool_call', parts: [{ type: 'text' }, { type: 'tool_call', id: 'c1' }] },
  ]);
});
