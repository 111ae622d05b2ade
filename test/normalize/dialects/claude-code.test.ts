import { describe, expect, test } from 'vitest';
import { normalize } from '../../../src/normalize/normalize.ts';
import { logsOf, type SpanSpec, traceOf } from '../support/otlp.ts';
import { said } from '../support/said.ts';
import { stepOf } from '../support/step-of.ts';

const SCOPE = 'com.anthropic.claude_code.tracing';
const span = (type: string, attributes: Readonly<Record<string, unknown>> = {}, spec: Partial<SpanSpec> = {}) =>
  stepOf({ 'span.type': type, ...attributes }, { name: `claude_code.${type}`, scope: SCOPE, ...spec });
type LogRecord = ReturnType<typeof record>;
const interaction = (...records: readonly LogRecord[]) => {
  const { traces } = traceOf({ id: 'a', scope: SCOPE, attributes: { 'span.type': 'interaction' } });
  const [step] = normalize({ traces, logs: logsOf(...records) });
  if (step === undefined) throw new Error('no step');
  return step;
};
const record = (name: string, attributes: Readonly<Record<string, unknown>>, at = 0) => ({
  span: 'a',
  name: '',
  at,
  body: `claude_code.${name}`,
  attributes: { 'event.name': name, ...attributes },
});

describe('the kind of a span of Claude Code', () => {
  test.each([
    ['interaction', 'agent'],
    ['llm_request', 'llm'],
    ['claude_code.llm_request', 'llm'],
    ['tool', 'tool'],
    ['tool.execution', 'step'],
    ['tool.blocked_on_user', 'step'],
    ['something.new', 'step'],
  ])('%s is %s', (type, kind) => {
    expect(span(type, { 'gen_ai.tool.call.id': 'c' }).kind).toBe(kind);
  });

  test('is nothing in another scope', () => {
    expect(stepOf({ 'span.type': 'tool' }).kind).toBe('other');
  });
});

test('a prompt is the input, and one that was left out is redacted', () => {
  expect(span('interaction', { user_prompt: 'Is Ann free?' }).input.text).toBe('Is Ann free?');
  expect(span('interaction', { user_prompt: '<REDACTED>' }).input.state).toBe('redacted');
});

test('input tokens are counted with what the cache gave', () => {
  const tokens = { input_tokens: 100, output_tokens: 20, cache_read_tokens: 50, cache_creation_tokens: 30 };

  expect(span('llm_request', tokens).usage).toMatchObject({
    inputTokens: 180,
    outputTokens: 20,
    cacheReadTokens: 50,
    cacheWriteTokens: 30,
  });
});

test('a request that failed says so without a status', () => {
  const attributes = { success: false, error: 'Overloaded', error_class: 'overloaded_error', status_code: 529 };

  expect(span('llm_request', attributes).error).toMatchObject({ type: 'overloaded_error', message: 'Overloaded' });
  expect(span('llm_request', { success: 'true' }).error).toBeUndefined();
});

describe('a tool', () => {
  test.each([
    ['tool_input', { tool_input: '{"command":"ls","timeout":5}' }, { command: 'ls', timeout: 5 }],
    ['full_command', { full_command: 'ls -l' }, { command: 'ls -l' }],
    ['file_path', { file_path: '/a.ts' }, { file_path: '/a.ts' }],
  ])('was given what is in %s', (_, attributes, args) => {
    expect(span('tool', attributes).tool?.args.json).toEqual(args);
  });

  test.each(['output', 'content', 'diff'])('gave back the %s of its event', (key) => {
    const events = [{ name: 'tool.output', attributes: { [key]: 'done' } }];

    expect(span('tool', {}, { events }).tool?.result.text).toBe('done');
  });

  test.each([
    ['mcp__office__look_up', 'look_up'],
    ['mcp__my_server__look__up', 'look__up'],
    ['Bash', 'Bash'],
    ['mcp__broken', 'mcp__broken'],
  ])('called %s is %s', (written, name) => {
    expect(span('tool', { tool_name: written }).tool?.name).toBe(name);
  });
});

describe('what came out of an interaction', () => {
  test('is in its log records: calls, failures, and the answer', () => {
    const step = interaction(
      record('tool_result', {
        tool_use_id: 'c1',
        tool_name: 'mcp_tool',
        tool_parameters: '{"mcp_server_name":"office","mcp_tool_name":"look"}',
        tool_input: '{"who":"Ann"}',
        success: 'true',
      }),
      record('tool_result', { tool_use_id: 'c2', tool_name: 'Bash', success: 'false', error: 'exit 1' }, 1),
      record('assistant_response', { response: 'She is.', query_source: 'sdk' }, 2),
    );

    expect(said(step.messagesOut)).toEqual([
      'assistant look#c1({"who":"Ann"})',
      'assistant Bash#c2(null)',
      'tool #c2="exit 1"',
      'assistant She is.',
    ]);
    expect(step.output.text).toBe('She is.');
  });

  test('is not a title that was made on the side', () => {
    const step = interaction(
      record('assistant_response', { response: 'She is.' }),
      record('assistant_response', { response: 'Ann is free', query_source: 'generate_session_title' }, 1),
    );

    expect(step.output.text).toBe('She is.');
  });

  test('has a call once, however often its record was delivered', () => {
    const call = record('tool_result', { tool_use_id: 'c1', tool_name: 'Bash', success: true });

    expect(interaction(call, call).messagesOut).toHaveLength(1);
  });
});

describe("OpenInference's spans of the SDK", () => {
  const scope = '@arizeai/openinference-instrumentation-claude-agent-sdk';
  const agent = { 'openinference.span.kind': 'AGENT', 'output.value': 'API Error: 500 The server is gone.' };

  test('tell of a failed request in the place of the answer', () => {
    const step = stepOf(agent, { scope, status: 'ok' });

    expect(step.error).toMatchObject({ type: '500', message: 'The server is gone.' });
    expect(step.output.state).toBe('missing');
  });

  test('of another framework answer with whatever text they like', () => {
    const step = stepOf(agent, { status: 'ok' });

    expect(step.error).toBeUndefined();
    expect(step.output.text).toBe('API Error: 500 The server is gone.');
  });

  test('hold the content blocks of a tool', () => {
    const attributes = {
      'openinference.span.kind': 'TOOL',
      'tool.name': 'mcp__office__look',
      'output.value': '[{"type":"text","text":"{\\"free\\":true}"}]',
    };

    expect(stepOf(attributes, { scope }).tool).toMatchObject({ name: 'look', result: { json: { free: true } } });
  });
});
