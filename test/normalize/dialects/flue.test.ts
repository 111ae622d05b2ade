import { expect, test } from 'vitest';
import { stepOf } from '../support/step-of.ts';

test('a tool is called by its own keys', () => {
  const step = stepOf({ 'flue.tool.name': 'look', 'flue.tool.call_id': 'c1' });

  expect(step).toMatchObject({ kind: 'tool', tool: { name: 'look', callId: 'c1' } });
});

test('an operation that is named says what the span is', () => {
  expect(stepOf({ 'flue.tool.name': 'look', 'gen_ai.operation.name': 'chat' }).kind).toBe('llm');
});

test('a task names its agent', () => {
  expect(stepOf({ 'flue.task.agent': 'desk', 'gen_ai.operation.name': 'invoke_agent' }).agent.name).toBe('desk');
});
