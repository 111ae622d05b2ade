import { expect, test } from 'vitest';
import { stepOf } from '../support/step-of.ts';

const span = (name: string, attributes: Readonly<Record<string, unknown>> = {}) =>
  stepOf(attributes, { name, scope: 'livekit-agents' });

test.each([
  ['agent_session', 'step'],
  ['start_agent_activity', 'step'],
  ['agent_turn', 'agent'],
  ['llm_node', 'step'],
  ['llm_request', 'llm'],
  ['function_tool', 'tool'],
  ['tts_node', 'other'],
])('%s is %s', (name, kind) => {
  expect(span(name).kind).toBe(kind);
  expect(stepOf({}, { name }).kind).toBe('other');
});

test('a turn of the agent answers what was heard, in a room', () => {
  const attributes = { 'lk.user_input': 'Is Ann free?', 'lk.response.text': 'She is.', 'lk.room_name': 'r-1' };

  expect(span('agent_turn', { ...attributes, 'lk.agent_name': 'desk' })).toMatchObject({
    input: { text: 'Is Ann free?' },
    output: { text: 'She is.' },
    conversationId: 'r-1',
    agent: { name: 'desk' },
  });
});

test('a tool has name, id, arguments, output, and says whether it failed', () => {
  const attributes = {
    'lk.function_tool.id': 'c1',
    'lk.function_tool.name': 'look',
    'lk.function_tool.arguments': '{"who":"Ann"}',
    'lk.function_tool.output': 'no such person',
  };

  expect(span('function_tool', attributes).tool).toMatchObject({
    name: 'look',
    callId: 'c1',
    args: { json: { who: 'Ann' } },
    result: { text: 'no such person' },
  });
  expect(span('function_tool', { ...attributes, 'lk.function_tool.is_error': false }).error).toBeUndefined();
  expect(span('function_tool', { ...attributes, 'lk.function_tool.is_error': true }).error?.message).toBe(
    'no such person',
  );
});
