import { expect, test } from 'vitest';
import { stepOf } from '../support/step-of.ts';

type Attributes = Readonly<Record<string, unknown>>;

const crew = (attributes: Attributes) => stepOf({ 'openinference.span.kind': 'CHAIN', ...attributes });
const tasks = JSON.stringify([{ description: 'Find tickets' }, { description: 'Sum up' }]);

test('a crew is asked its first task', () => {
  expect(crew({ crew_tasks: tasks, crew_inputs: '', 'input.value': '{}' }).input.text).toBe('Find tickets');
  expect(stepOf({ 'gen_ai.operation.name': 'invoke_agent', 'crewai.crew.tasks': tasks }).input.text).toBe(
    'Find tickets',
  );
});

test('a crew that was given inputs is asked those', () => {
  const inputs = '{"topic":"Invoices"}';

  expect(crew({ crew_tasks: tasks, crew_inputs: inputs, 'input.value': inputs }).input.text).toBe('Invoices');
});

test('a task is asked its description', () => {
  const task = { 'traceloop.span.kind': 'task', 'crewai.task.description': 'Find tickets' };

  expect(stepOf(task).input.text).toBe('Find tickets');
});

test('what a crew gives back is its text, among other forms of it', () => {
  const output = { raw: 'T-1 is open', pydantic: null, json_dict: null, tasks_output: [] };

  expect(crew({ 'output.value': JSON.stringify(output) }).output.text).toBe('T-1 is open');
  expect(crew({ 'output.value': '{"raw":"x","rows":[1,2]}' }).output.text).toBe('{"raw":"x","rows":[1,2]}');
});

test('a crew counts what its models used', () => {
  const usage = 'total_tokens=9 prompt_tokens=6 cached_prompt_tokens=2 completion_tokens=3 reasoning_tokens=1';
  const step = stepOf({ 'gen_ai.operation.name': 'invoke_agent', 'crewai.crew.token_usage': usage });

  expect(step.usage).toMatchObject({ inputTokens: 6, outputTokens: 3, cacheReadTokens: 2, reasoningTokens: 1 });
});
