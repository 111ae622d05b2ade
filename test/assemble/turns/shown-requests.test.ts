/** Tool calls that the model's own span omits completely or in part. */
import { describe, expect, test } from 'vitest';
import { buildTurns } from '../../../src/assemble/build-turns.ts';
import { normalize } from '../../../src/normalize/normalize.ts';
import { type SpanSpec, traceOf } from '../../normalize/support/otlp.ts';

const agent: SpanSpec = { id: 'a', to: 90, attributes: { 'gen_ai.operation.name': 'invoke_agent' } };
const user = { role: 'user', parts: [{ type: 'text', content: 'Book it.' }] };
const asks = (id: string | undefined, name: string, args: unknown) => ({
  role: 'assistant',
  parts: [{ type: 'tool_call', id, name, arguments: args }],
});
const shows = (id: string, response: unknown) => ({
  role: 'tool',
  parts: [{ type: 'tool_call_response', id, response }],
});
const answers = { role: 'assistant', parts: [{ type: 'text', content: 'Done.' }] };

function chat(
  id: string,
  from: number,
  asked: readonly unknown[],
  answered: readonly unknown[],
  parent = 'a',
): SpanSpec {
  return {
    id,
    parent,
    from,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'm',
      'gen_ai.input.messages': JSON.stringify(asked),
      'gen_ai.output.messages': JSON.stringify(answered),
    },
  };
}

function tool(id: string, from: number, name: string, attributes: Readonly<Record<string, unknown>>): SpanSpec {
  return {
    id,
    parent: 'a',
    from,
    attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name, ...attributes },
  };
}

function callsOf(...specs: readonly SpanSpec[]) {
  const [turn, ...others] = buildTurns(normalize(traceOf(...specs)));
  if (turn === undefined || others.length > 0) throw new Error('not one turn');
  return turn.toolCalls.map(({ id, name, args, result, error, spanId, answered }) => ({
    call: `${name}#${id}(${JSON.stringify(args.json)})`,
    result: result.json,
    error: error?.message,
    hasSpan: spanId !== undefined,
    answered,
  }));
}

describe('a model call that gave back nothing', () => {
  const silent = [{ role: 'assistant', parts: [{ type: 'text', content: '' }] }];
  const history = [user, asks('c1', 'book', { at: 1 }), shows('c1', 'ok')];

  test('asked for what the next one was shown', () => {
    expect(callsOf(agent, chat('1', 1, [user], silent), chat('2', 5, history, [answers]))).toEqual([
      { call: 'book#c1({"at":1})', result: 'ok', error: undefined, hasSpan: false, answered: true },
    ]);
  });

  test('asked for it once, though the tool has a span and later calls are shown it again', () => {
    const longer = [...history, asks('c2', 'book', { at: 2 }), shows('c2', 'ok')];
    const booked = tool('e', 3, 'book', { 'gen_ai.tool.call.arguments': '{"at":1}', 'gen_ai.tool.call.result': 'ok' });
    const calls = callsOf(
      agent,
      chat('1', 1, [user], silent),
      booked,
      chat('2', 5, history, silent),
      chat('3', 7, longer, [answers]),
    );

    expect(calls.map(({ call, hasSpan }) => [call, hasSpan])).toEqual([
      ['book#c1({"at":1})', true],
      ['book#c2({"at":2})', false],
    ]);
  });

  test('did not ask for what earlier turns asked for', () => {
    const thread = [...history, answers, { role: 'user', parts: [{ type: 'text', content: 'Thanks.' }] }];

    expect(callsOf(agent, chat('1', 1, thread, silent), chat('2', 5, thread, [answers]))).toEqual([]);
  });

  test('asked for what the step around it gave back, where nobody was shown it', () => {
    const node: SpanSpec = {
      id: 'd',
      parent: 'a',
      from: 1,
      to: 4,
      attributes: {
        'traceloop.span.kind': 'task',
        'traceloop.entity.output': JSON.stringify({
          output: [
            {
              lg_name: 'Command',
              update: {
                messages: [{ type: 'ai', content: '', tool_calls: [{ id: 'c1', name: 'book', args: { at: 1 } }] }],
              },
            },
          ],
        }),
      },
    };

    expect(callsOf(agent, node, chat('1', 2, [user], silent))).toEqual([
      { call: 'book#c1({"at":1})', result: null, error: undefined, hasSpan: false, answered: false },
    ]);
  });

  test('is not asked of what a sub-agent was shown', () => {
    const inner: SpanSpec = {
      id: 'b',
      parent: 'a',
      from: 4,
      to: 9,
      attributes: { 'gen_ai.operation.name': 'invoke_agent' },
    };

    expect(callsOf(agent, chat('1', 1, [user], silent), inner, chat('2', 5, history, [answers], 'b'))).toEqual([]);
  });
});

describe('a tool call', () => {
  test('is called as the model called it, though its span is called after a class', () => {
    const calls = callsOf(
      agent,
      chat('1', 1, [user], [asks('c1', 'book', { at: 1 }), asks('c2', 'book', { at: 2 })]),
      tool('e', 3, 'DynamicStructuredTool', { 'gen_ai.tool.call.arguments': '{"at":2}' }),
    );

    expect(calls.map(({ call, hasSpan }) => [call, hasSpan])).toEqual([
      ['book#c1({"at":1})', false],
      ['book#c2({"at":2})', true],
    ]);
  });

  test('has the object that the model gave, though its span has only the text in it', () => {
    const [call] = callsOf(
      agent,
      chat('1', 1, [user], [asks('c1', 'query', { sql: 'SELECT 1' })]),
      tool('e', 3, 'query', { 'gen_ai.tool.call.arguments': 'SELECT 1' }),
    );

    expect(call?.call).toBe('query#c1({"sql":"SELECT 1"})');
  });

  test('has the arguments of its span, where those are not what the model gave', () => {
    const [call] = callsOf(
      agent,
      chat('1', 1, [user], [asks('c1', 'query', { sql: 'SELECT 1' })]),
      tool('e', 3, 'query', { 'gen_ai.tool.call.arguments': 'SELECT 2' }),
    );

    expect(call?.call).toBe('query#c1("SELECT 2")');
  });

  test('has the arguments that the next model call was shown, where the stream lost them', () => {
    const [call] = callsOf(
      agent,
      chat('1', 1, [user], [asks('c1', 'book', {})]),
      chat('2', 5, [user, asks('c1', 'book', { at: 1 }), shows('c1', 'ok')], [answers]),
    );

    expect(call?.call).toBe('book#c1({"at":1})');
  });

  test.each([
    ['an exception', 'CalendarError: 503 upstream timed out', 'CalendarError: 503 upstream timed out'],
    ['a Java one', 'java.io.IOException: broken pipe', 'java.io.IOException: broken pipe'],
    ['a word about errors', 'Error: none found', undefined],
    ['a remark', 'There was a TypeError: see above', undefined],
  ])('without a span failed if what came back is %s', (_what, text, error) => {
    const history = [user, asks('c1', 'book', {}), shows('c1', text)];
    const [call] = callsOf(agent, chat('1', 1, [user], [asks('c1', 'book', {})]), chat('2', 5, history, [answers]));

    expect(call?.error).toBe(error);
  });

  test('with a span that gave back an exception’s text did not fail', () => {
    const [call] = callsOf(
      agent,
      chat('1', 1, [user], [asks('c1', 'read_log', {})]),
      tool('e', 3, 'read_log', {
        'gen_ai.tool.call.id': 'c1',
        'gen_ai.tool.call.result': 'TypeError: x is not a function',
      }),
    );

    expect(call?.error).toBeUndefined();
  });
});
