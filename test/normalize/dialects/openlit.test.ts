import { describe, expect, test } from 'vitest';
import { stepOf } from '../support/step-of.ts';

const chat = (attributes: Readonly<Record<string, unknown>>) =>
  stepOf({ 'gen_ai.operation.name': 'chat', ...attributes });
const callsOf = (step: ReturnType<typeof stepOf>) =>
  step.messagesOut.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'tool_call' ? [[part.id, part.name, part.args.json]] : [])),
  );

describe('calls that a model asked for', () => {
  const asked = {
    'gen_ai.tool.name': 'look, book',
    'gen_ai.tool.call.id': 'c1, c2',
    'gen_ai.tool.args': '{"who":"Ann"}, {"at":"10:00, sharp"}',
  };

  test('are on the model’s span, which is no tool', () => {
    const step = chat(asked);

    expect([step.kind, step.tool]).toEqual(['llm', undefined]);
    expect(callsOf(step)).toEqual([
      ['c1', 'look', { who: 'Ann' }],
      ['c2', 'book', { at: '10:00, sharp' }],
    ]);
  });

  test('have their arguments as a list of texts from LangChain', () => {
    const step = chat({
      'gen_ai.tool.name': 'look',
      'gen_ai.tool.call.id': 'c1',
      'gen_ai.tool.call.arguments': '["{\\"who\\":\\"Ann\\"}"]',
    });

    expect(callsOf(step)).toEqual([['c1', 'look', { who: 'Ann' }]]);
  });

  test('are in the messages first', () => {
    const output = '[{"role":"assistant","parts":[{"type":"text","content":"Hello."}]}]';

    expect(chat({ ...asked, 'gen_ai.output.messages': output }).output.text).toBe('Hello.');
  });

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['the names are those of all tools offered', { ...asked, 'gen_ai.tool.call.id': '' }],
    ['names and ids do not fit', { ...asked, 'gen_ai.tool.call.id': 'c1' }],
    ['the span is a tool’s', { ...asked, 'gen_ai.operation.name': 'execute_tool' }],
    [
      'they are more than anybody asks for',
      { 'gen_ai.tool.name': Array(1000).fill('f').join(', '), 'gen_ai.tool.call.id': Array(1000).fill('c').join(', ') },
    ],
  ])('are none where %s', (_why, attributes) => {
    expect(callsOf(chat(attributes))).toEqual([]);
  });

  test('have no arguments where those were cut', () => {
    expect(callsOf(chat({ ...asked, 'gen_ai.tool.args': '{"who":"Ann"}, {"at":' }))).toEqual([
      ['c1', 'look', null],
      ['c2', 'book', null],
    ]);
  });
});

test('an object that became a text is nobody’s result or instruction', () => {
  const tool = stepOf({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.call.result': '[object ToolMessage]' });
  const call = chat({
    'gen_ai.system_instructions': '[{"type":"text","content":"[object Object]"}]',
    'gen_ai.input.messages': '[{"role":"system","content":"Be brief."}]',
  });

  expect([tool.tool?.result.state, call.systemInstructions]).toEqual(['missing', 'Be brief.']);
});

describe('what an agent gave back', () => {
  test('is text, or whatever the application gave', () => {
    expect(stepOf({ 'gen_ai.output.messages': 'Booked.' }).output.text).toBe('Booked.');
    expect(stepOf({ 'gen_ai.output.messages': '{"free":true}' }).output.json).toEqual({ free: true });
  });

  test('is not a request for a tool', () => {
    const output = '[{"role":"assistant","parts":[{"type":"tool_call","id":"c","name":"look","arguments":{}}]}]';

    expect(stepOf({ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.output.messages': output }).output.state).toBe(
      'missing',
    );
  });

  test('is the last message of LangGraph’s state', () => {
    const message = (type: string, content: string) => ({ type, data: { content } });
    const step = stepOf({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.workflow.input': JSON.stringify({ messages: [message('human', 'Is Ann free?')] }),
      'gen_ai.workflow.output': JSON.stringify({ messages: [message('human', 'Is Ann free?'), message('ai', 'Yes.')] }),
    });

    expect([step.input.text, step.output.text]).toEqual(['Is Ann free?', 'Yes.']);
  });
});

test('a workflow without a name of an agent’s is called by its own', () => {
  const step = stepOf({ 'gen_ai.operation.name': 'invoke_workflow', 'gen_ai.workflow.name': 'scheduler' });

  expect(step.agent.name).toBe('scheduler');
});
