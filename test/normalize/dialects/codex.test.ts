import { describe, expect, test } from 'vitest';
import { normalize } from '../../../src/normalize/normalize.ts';
import { logsOf, traceOf } from '../support/otlp.ts';
import { said } from '../support/said.ts';
import { stepOf } from '../support/step-of.ts';

const CODEX = { scope: 'codex_cli_rs' } as const;
const record = (name: string, attributes: Readonly<Record<string, unknown>>, at = 0) => ({
  span: 'a',
  name: '',
  at,
  attributes: { 'event.name': name, ...attributes },
});
const turn = (...records: readonly ReturnType<typeof record>[]) => {
  const { traces } = traceOf({ id: 'a', name: 'session_task.turn', ...CODEX });
  const [step] = normalize({ traces, logs: logsOf(...records) });
  if (step === undefined) throw new Error('no step');
  return step;
};

test.each([
  ['session_task.turn', 'agent'],
  ['handle_responses', 'llm'],
  ['exec_command', 'other'],
])('%s is %s', (name, kind) => {
  expect(stepOf({}, { name, ...CODEX }).kind).toBe(kind);
  expect(stepOf({}, { name, scope: 'app' }).kind).toBe('other');
});

test('tokens are those of the turn', () => {
  const usage = { input_tokens: 900, cached_input_tokens: 600, output_tokens: 50, reasoning_output_tokens: 20 };
  const attributes = Object.fromEntries(
    Object.entries(usage).map(([name, count]) => [`codex.turn.token_usage.${name}`, count]),
  );

  expect(stepOf(attributes, { name: 'handle_responses', ...CODEX }).usage).toMatchObject({
    inputTokens: 900,
    cacheReadTokens: 600,
    outputTokens: 50,
    reasoningTokens: 20,
  });
});

describe('the log records of a turn', () => {
  test('say what the user asked', () => {
    expect(turn(record('codex.user_prompt', { prompt: 'Fix the build' })).input.text).toBe('Fix the build');
    expect(turn(record('codex.user_prompt', { prompt: '[REDACTED]' })).input.state).toBe('redacted');
  });

  test('say which tools ran, each once', () => {
    const ran = record('codex.tool_result', {
      tool_name: 'shell',
      call_id: 'c1',
      arguments: '{"command":"ls"}',
      output: 'a.ts',
      success: 'true',
    });

    expect(said(turn(ran, ran).messagesOut)).toEqual(['assistant shell#c1({"command":"ls"})', 'tool #c1="a.ts"']);
  });

  test('say that a tool failed', () => {
    const { messagesOut } = turn(
      record('codex.tool_result', { tool_name: 'shell', call_id: 'c', output: 'exit 1', success: false }),
    );

    expect(messagesOut[1]?.parts[0]).toMatchObject({ failed: true, result: { text: 'exit 1' } });
  });
});
