import { describe, expect, test } from 'vitest';
import { said } from '../support/said.ts';
import { stepOf } from '../support/step-of.ts';

type Attributes = Readonly<Record<string, unknown>>;

const SCOPE = 'openinference.instrumentation.smolagents';
const span = (kind: string, attributes: Attributes, scope = SCOPE) =>
  stepOf({ 'openinference.span.kind': kind, ...attributes }, { parent: 'f', scope });

const PARAMETERS = {
  order_id: { type: 'string', description: 'Which order.' },
  amount: { type: 'number', description: 'How much.' },
};
const calledWith = (given: unknown, parameters: unknown = PARAMETERS) =>
  span('TOOL', {
    'tool.name': 'refund',
    'tool.parameters': JSON.stringify(parameters),
    'input.value': JSON.stringify(given),
  }).tool?.args.json;

describe('arguments of a traced call', () => {
  test.each<[string, unknown, unknown]>([
    [
      'by name, beside an option of the framework',
      { args: [], sanitize_inputs_outputs: true, kwargs: { order_id: '1001', amount: 30 } },
      { order_id: '1001', amount: 30 },
    ],
    [
      'by position, as code that a model writes often does',
      { args: ['1001', 30], sanitize_inputs_outputs: false, kwargs: {} },
      { order_id: '1001', amount: 30 },
    ],
    ['by both', { args: ['1001'], kwargs: { amount: 30 } }, { order_id: '1001', amount: 30 }],
    [
      'as one object of all',
      { args: [{ order_id: '1001', amount: 30 }], kwargs: {} },
      { order_id: '1001', amount: 30 },
    ],
    ['none', { args: [], sanitize_inputs_outputs: true, kwargs: {} }, {}],
  ])('%s', (_, given, args) => {
    expect(calledWith(given)).toEqual(args);
  });

  test.each<[string, unknown]>([
    ['whose names are unknown', undefined],
    ['that are more than the tool has', { order_id: PARAMETERS.order_id }],
  ])('by position %s are a list', (_, parameters) => {
    expect(calledWith({ args: ['1001', 30], kwargs: {} }, parameters ?? {})).toEqual(['1001', 30]);
  });

  test.each([[{ args: ['-l'] }], [{ kwargs: { a: 1 }, query: 'x' }], [{ args: 'text', kwargs: {} }]])(
    'are left alone where %j may be parameters of the tool itself',
    (given) => {
      expect(calledWith(given)).toEqual(given);
    },
  );

  test('are never what describes them', () => {
    const tool = span('TOOL', { 'tool.name': 'refund', 'tool.parameters': JSON.stringify(PARAMETERS) });

    expect(tool.tool?.args.state).toBe('missing');
  });
});

describe('the tool that the framework answers through', () => {
  test('is no tool of the agent', () => {
    const attributes = { 'tool.name': 'final_answer' };

    expect([span('TOOL', attributes).kind, span('TOOL', attributes, 'mine').kind]).toEqual(['step', 'tool']);
  });

  test('is what the model said', () => {
    const call = 'llm.output_messages.0.message.tool_calls.0.tool_call';
    const model = span('LLM', {
      'llm.output_messages.0.message.role': 'assistant',
      [`${call}.id`]: 'c1',
      [`${call}.function.name`]: 'final_answer',
      [`${call}.function.arguments`]: '{"answer":"Refunded."}',
    });

    expect(said(model.messagesOut)).toEqual(['assistant Refunded.']);
  });
});

test('a step has no words of the user or the agent, only its memory', () => {
  const step = span('CHAIN', {
    'input.value': '{"memory_step": "ActionStep(step_number=1)"}',
    'output.value': '{"status": "booked"}',
  });

  expect([step.input.state, step.output.state]).toEqual(['missing', 'missing']);
});

test('the heading that the framework puts above what the user said is not said by the user', () => {
  const asked = 'llm.input_messages.0.message';
  const model = span('LLM', { [`${asked}.role`]: 'user', [`${asked}.content`]: 'New task:\nRefund order 1001.' });

  expect(said(model.messagesIn)).toEqual(['user Refund order 1001.']);
});

test.each([
  ['order_bot.run', 'order_bot'],
  ['ToolCallingAgent.run', undefined],
])('the agent of %s is called %s', (name, agent) => {
  const run = stepOf({ 'openinference.span.kind': 'AGENT' }, { name, scope: SCOPE });

  expect(run.agent.name).toBe(agent);
});
