import { describe, expect, test } from 'vitest';
import { said } from '../support/said.ts';
import { stepOf } from '../support/step-of.ts';

const SCOPE = '@arizeai/openinference-instrumentation-beeai';
const event = (kind: string, target: string, attributes: Readonly<Record<string, unknown>> = {}, scope = SCOPE) =>
  stepOf({ 'openinference.span.kind': kind, target, ...attributes }, { name: `${target}-1`, scope, status: 'ok' });
const toolMessage = (name: string) =>
  JSON.stringify({ state: { memory: ['"toolCallMsg":'] }, toolCallMsg: { toolCallId: 'c1', toolName: name } });

describe('the kind of an event', () => {
  test.each([
    ['LLM', 'backend.openai.chat.start', 'step'],
    ['LLM', 'backend.openai.chat.success', 'llm'],
    ['LLM', 'backend.openai.chat.error', 'llm'],
    ['LLM', 'backend.openai.chat.finish', 'step'],
    ['TOOL', 'tool.dynamic.look.start', 'step'],
    ['TOOL', 'tool.dynamic.look.success', 'tool'],
    ['TOOL', 'tool.dynamic.look.error', 'tool'],
    ['TOOL', 'tool.dynamic.finalAnswer.success', 'step'],
    ['AGENT', 'agent.toolCalling.start', 'step'],
  ])('%s %s is %s', (kind, target, expected) => {
    expect(event(kind, target).kind).toBe(expected);
  });

  test('is what OpenInference says in another scope', () => {
    expect(event('LLM', 'backend.openai.chat.start', {}, 'app').kind).toBe('llm');
  });
});

test('a tool has the name and the id of the call at the end of the metadata', () => {
  const { tool } = event('TOOL', 'tool.dynamic.lookUp.success', {
    metadata: toolMessage('look_up'),
    'tool.parameters': '{"who":"Ann"}',
    'output.value': '{"result":"{\\"free\\":true}"}',
  });

  expect(tool).toMatchObject({
    name: 'look_up',
    callId: 'c1',
    args: { json: { who: 'Ann' } },
    result: { json: { free: true } },
  });
});

test('metadata that was cut leaves the name that the event has', () => {
  const metadata = toolMessage('look_up').slice(0, -12);

  expect(event('TOOL', 'tool.dynamic.lookUp.success', { metadata }).tool).toMatchObject({
    name: 'lookUp',
    callId: undefined,
  });
});

test('the call of final_answer is the answer', () => {
  const output = [
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'final_answer', args: { response: 'Yes.' } }],
    },
  ];

  expect(
    said(event('LLM', 'backend.openai.chat.success', { 'output.value': JSON.stringify(output) }).messagesOut),
  ).toEqual(['assistant Yes.']);
});

test('a model call that failed has the status OK, and says why', () => {
  const { error } = event('LLM', 'backend.openai.chat.error', {
    'exception.message': 'The server is gone',
    'exception.type': 'ChatModelError',
  });

  expect(error).toMatchObject({ type: 'ChatModelError', message: 'The server is gone' });
});
