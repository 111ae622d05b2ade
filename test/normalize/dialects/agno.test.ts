import { expect, test } from 'vitest';
import { stepOf } from '../support/step-of.ts';

const run = (message: string, scope = 'openinference.instrumentation.agno') =>
  stepOf(
    { 'openinference.span.kind': 'AGENT', 'output.value': 'The server is down' },
    { scope, status: { error: message } },
  );

test('what a run that failed gives back is its error, and no answer', () => {
  const { output, error } = run('run status: error');

  expect([output.state, error?.message]).toEqual(['missing', 'The server is down']);
});

test('an agent of others that failed may have said something', () => {
  expect(run('run status: error', 'mine').output.text).toBe('The server is down');
  expect(run('Overloaded').output.text).toBe('The server is down');
});
