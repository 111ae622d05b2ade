import { describe, expect, test } from 'vitest';
import { buildTurns } from '../../../src/assemble/build-turns.ts';
import type { Turn } from '../../../src/model/turn.ts';
import { normalize } from '../../../src/normalize/normalize.ts';
import { logsOf, type SpanSpec, spanId, traceOf } from '../../normalize/support/otlp.ts';

type Attributes = Readonly<Record<string, unknown>>;
type Extra = Partial<SpanSpec>;

const say = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });
const ask = (name: string, args: unknown, id?: string) => ({ type: 'tool_call', id, name, arguments: args });
const show = (response: unknown, id?: string) => ({
  role: 'tool',
  parts: [{ type: 'tool_call_response', id, response }],
});
const wants = (...calls: readonly unknown[]) => ({ role: 'assistant', parts: calls });

function agent(id: string, extra: Extra = {}, attributes: Attributes = {}): SpanSpec {
  return {
    id,
    ...extra,
    attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'bob', ...attributes },
  };
}
function chat(
  id: string,
  parent: string | undefined,
  said: { in?: unknown; out?: unknown },
  extra: Extra = {},
): SpanSpec {
  return {
    id,
    ...(parent === undefined ? {} : { parent }),
    ...extra,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'm',
      ...(said.in === undefined ? {} : { 'gen_ai.input.messages': JSON.stringify(said.in) }),
      ...(said.out === undefined ? {} : { 'gen_ai.output.messages': JSON.stringify(said.out) }),
      ...extra.attributes,
    },
  };
}
function tool(id: string, parent: string | undefined, name: string, extra: Extra = {}): SpanSpec {
  return {
    id,
    ...(parent === undefined ? {} : { parent }),
    ...extra,
    attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name, ...extra.attributes },
  };
}

function turnsOf(...specs: readonly SpanSpec[]): readonly Turn[] {
  return buildTurns(normalize(traceOf(...specs)));
}
function turnOf(...specs: readonly SpanSpec[]): Turn {
  const [turn, ...others] = turnsOf(...specs);
  if (turn === undefined || others.length > 0) throw new Error(`${others.length + (turn ? 1 : 0)} turns, not one`);
  return turn;
}
const callsOf = (turn: Turn) =>
  turn.toolCalls.map((call) => [
    call.name,
    call.args.json,
    call.result.json,
    call.spanId && Number(`0x${call.spanId}`),
  ]);

test('tools that began in one millisecond stand in the order in which the model asked for them, whatever their ids', () => {
  const asked = say('user', 'Pizza.');
  const [price, place] = [wants(ask('get_price', {}, 'a')), wants(ask('place_order', {}, 'b'))];
  const order = (ids: readonly [string, string, string, string]) => {
    const [first, second, get, put] = ids;
    return turnOf(
      agent('9'),
      chat(second, '9', { in: [asked, price, show(5, 'a')], out: [place] }),
      chat(first, '9', { in: [asked], out: [price] }),
      tool(put, '9', 'place_order', { attributes: { 'gen_ai.tool.call.id': 'b' } }),
      tool(get, '9', 'get_price', { attributes: { 'gen_ai.tool.call.id': 'a' } }),
    ).toolCalls.map(({ name }) => name);
  };

  expect(order(['1', '2', '3', '4'])).toEqual(['get_price', 'place_order']);
  expect(order(['4', '3', '2', '1'])).toEqual(['get_price', 'place_order']);
  expect(order(['4', '1', '3', '2'])).toEqual(['get_price', 'place_order']);
});

describe('pairing tool calls', () => {
  const args = (value: unknown, id?: string) => ({
    'gen_ai.tool.call.arguments': JSON.stringify(value),
    'gen_ai.tool.call.result': '"done"',
    ...(id === undefined ? {} : { 'gen_ai.tool.call.id': id }),
  });

  test('goes by the call id, whatever order the tools ran in', () => {
    const turn = turnOf(
      agent('1', { to: 50 }),
      chat('2', '1', { out: [wants(ask('f', { a: 1 }, 'x'), ask('f', { a: 1 }, 'y'))] }, { from: 1 }),
      tool('3', '1', 'f', { from: 5, attributes: args({ a: 1 }, 'y') }),
      tool('4', '1', 'f', { from: 6, attributes: args({ a: 1 }, 'x') }),
    );

    expect(turn.toolCalls.map(({ id, spanId: span, requestedBy }) => [id, span, requestedBy])).toEqual([
      ['y', spanId('3'), spanId('2')],
      ['x', spanId('4'), spanId('2')],
    ]);
  });

  test('goes by name and arguments where the spans have no id, with keys in any order', () => {
    const turn = turnOf(
      agent('1', { to: 50 }),
      chat('2', '1', { out: [wants(ask('f', { b: 2, a: 1 }, 'x'), ask('f', { a: 3 }, 'y'))] }, { from: 1 }),
      tool('3', '1', 'f', { from: 5, attributes: args({ a: 3 }) }),
      tool('4', '1', 'f', { from: 6, attributes: args({ a: 1, b: 2 }) }),
    );

    expect(turn.toolCalls.map(({ id, spanId: span }) => [id, span])).toEqual([
      ['y', spanId('3')],
      ['x', spanId('4')],
    ]);
  });

  test('goes by name and order where the spans have neither', () => {
    const turn = turnOf(
      agent('1', { to: 50 }),
      chat(
        '2',
        '1',
        { out: [wants(ask('f', { a: 1 }, 'x'), ask('g', {}, 'z'), ask('f', { a: 3 }, 'y'))] },
        { from: 1 },
      ),
      tool('3', '1', 'f', { from: 5 }),
      tool('4', '1', 'f', { from: 6 }),
      tool('5', '1', 'g', { from: 7 }),
    );

    expect(turn.toolCalls.map(({ id, args: given, spanId: span }) => [id, given.json, span])).toEqual([
      ['x', { a: 1 }, spanId('3')],
      ['y', { a: 3 }, spanId('4')],
      ['z', {}, spanId('5')],
    ]);
  });

  test('says of a call without a span that it failed, where the transcript says so', () => {
    const failure = {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'x', is_error: true, content: '503' }],
    };
    const turn = turnOf(
      agent('1', { to: 50 }),
      chat('2', '1', { out: [wants(ask('f', {}, 'x'), ask('g', {}, 'y'))] }, { from: 1 }),
      chat('3', '1', { in: [failure, show('done', 'y')] }, { from: 10 }),
    );

    expect(turn.toolCalls.map(({ name, error }) => [name, error?.message])).toEqual([
      ['f', '503'],
      ['g', undefined],
    ]);
  });

  describe('whose request came without an id', () => {
    const shown = (id: string) => [wants(ask('f', { a: 1 }, id)), show('done', id)];
    const streamed = { out: [wants(ask('f', { a: 1 }))] };

    test('takes the id from what the next model call was shown, not from an earlier call', () => {
      const turn = turnOf(
        agent('1', { to: 50 }),
        chat('2', '1', { in: shown('old'), ...streamed }, { from: 1 }),
        tool('3', '1', 'f', { from: 5, attributes: args({ a: 1 }) }),
        chat('4', '1', { in: [...shown('old'), ...shown('x')], ...streamed }, { from: 10 }),
        tool('5', '1', 'f', { from: 15, attributes: args({ a: 1 }) }),
        chat('6', '1', { in: [...shown('old'), ...shown('x'), ...shown('y')] }, { from: 20 }),
      );

      expect(turn.toolCalls.map(({ id }) => id)).toEqual(['x', 'y']);
    });

    test('and that has no span takes id and result from there', () => {
      const turn = turnOf(
        agent('1', { to: 50 }),
        chat('2', '1', streamed, { from: 1 }),
        chat('3', '1', { in: shown('x') }, { from: 10 }),
      );

      expect(turn.toolCalls.map(({ id, result }) => [id, result.text])).toEqual([['x', 'done']]);
    });

    test('takes the id from a later one, where an agent inside of the tool had calls of its own', () => {
      const turn = turnOf(
        agent('1', { to: 50 }),
        chat('2', '1', streamed, { from: 1 }),
        tool('3', '1', 'f', { from: 5, to: 15, attributes: args({ a: 1 }) }),
        chat('4', '3', { in: [say('user', 'inside')], out: [say('assistant', 'done')] }, { from: 6, to: 9 }),
        chat('5', '1', { in: shown('x') }, { from: 20 }),
      );

      expect(turn.toolCalls.map(({ id }) => id)).toEqual(['x']);
    });

    test('has none where nobody was shown it', () => {
      const turn = turnOf(agent('1', { to: 50 }), chat('2', '1', streamed, { from: 1 }));

      expect(turn.toolCalls.map(({ id }) => id)).toEqual([undefined]);
    });
  });

  test('tells results without ids by their place', () => {
    const result = (text: string) => ({ role: 'tool', parts: [{ type: 'text', content: text }] });
    const turn = turnOf(
      agent('1', { to: 50 }),
      chat('2', '1', { in: [say('user', 'go')], out: [wants(ask('f', {}, 'x'), ask('f', {}, 'y'))] }, { from: 1 }),
      chat('3', '1', { in: [say('user', 'inside'), say('assistant', ''), result('1'), result('2')] }, { from: 5 }),
      chat('4', '1', { in: [say('user', 'go'), say('assistant', ''), result('one'), result('two')] }, { from: 10 }),
    );

    expect(turn.toolCalls.map(({ id, result: given }) => [id, given.text])).toEqual([
      ['x', 'one'],
      ['y', 'two'],
    ]);
  });

  test('does not guess where there are fewer results than calls', () => {
    const turn = turnOf(
      agent('1', { to: 50 }),
      chat('2', '1', { out: [wants(ask('f', {}, 'x'), ask('f', {}, 'y'))] }, { from: 1 }),
      chat('3', '1', { in: [{ role: 'tool', parts: [{ type: 'text', content: 'one' }] }] }, { from: 10 }),
    );

    expect(turn.toolCalls.map(({ result }) => result.state)).toEqual(['missing', 'missing']);
  });

  test('takes a span that the application made by hand, where it is called like the tool and ran after the request', () => {
    const turn = turnOf(
      agent('1', { to: 50 }),
      { id: '2', parent: '1', name: 'f', from: 0 },
      chat('3', '1', { out: [wants(ask('f', { a: 1 }, 'x'), ask('g', {}, 'y'))] }, { from: 1 }),
      { id: '4', parent: '1', name: 'f', from: 5, status: { error: '503' } },
      tool('5', '1', 'g', { from: 6 }),
      { id: '6', parent: '1', name: 'g', from: 7 },
      chat('7', '1', {}, { from: 10 }),
    );

    expect(turn.toolCalls.map(({ id, spanId: span, error }) => [id, span, error?.message])).toEqual([
      ['x', spanId('4'), '503'],
      ['y', spanId('5'), undefined],
    ]);
  });

  test('takes only this turn’s calls from an agent that gives back the whole conversation', () => {
    const thread = [
      say('user', 'one'),
      wants(ask('f', {}, 'x')),
      show('done', 'x'),
      say('assistant', 'ok'),
      say('user', 'two'),
      wants(ask('g', {}, 'y')),
    ];
    const turn = turnOf(agent('1', {}, { 'gen_ai.output.messages': JSON.stringify(thread) }));

    expect([turn.toolCalls.map(({ name }) => name), turn.finalAnswer.state]).toEqual([['g'], 'missing']);
  });

  test('does not give a call the span of a later one', () => {
    const first = { out: [wants(ask('f', { a: 1 }, undefined))] };
    const turn = turnOf(
      agent('1', { to: 50 }),
      chat('2', '1', first, { from: 1 }),
      chat('3', '1', first, { from: 10 }),
      tool('4', '1', 'f', { from: 15, attributes: args({ a: 1 }) }),
    );

    expect(turn.toolCalls.map(({ requestedBy, answered }) => [requestedBy, answered])).toEqual([
      [spanId('2'), false],
      [spanId('3'), true],
    ]);
  });

  test('takes a call without a span from the transcript, with its result', () => {
    const request = wants(ask('f', { a: 1 }, 'x'), ask('g', {}, 'y'));
    const turn = turnOf(
      agent('1', { to: 50 }),
      chat('2', '1', { in: [say('user', 'go')], out: [request] }, { from: 1, to: 4 }),
      chat(
        '3',
        '1',
        { in: [say('user', 'go'), request, show({ n: 7 }, 'x')], out: [say('assistant', 'ok')] },
        { from: 9 },
      ),
    );

    expect(callsOf(turn)).toEqual([
      ['f', { a: 1 }, { n: 7 }, undefined],
      ['g', {}, null, undefined],
    ]);
    expect(turn.toolCalls.map(({ answered }) => answered)).toEqual([true, false]);
  });

  test('answers calls without ids by the order of the transcript, each result once', () => {
    const request = wants(ask('f', { a: 1 }), ask('f', { a: 1 }));
    const turn = turnOf(
      agent('1', { to: 50 }),
      chat('2', '1', { out: [request] }, { from: 1 }),
      chat('3', '1', { in: [request, show('first'), show('second')], out: [say('assistant', 'ok')] }, { from: 9 }),
    );

    expect(turn.toolCalls.map(({ result }) => result.text)).toEqual(['first', 'second']);
  });

  test('gives calls that ran side by side in the order in which they were asked for', () => {
    const turn = turnOf(
      agent('1', { to: 90 }),
      chat('2', '1', { out: [wants(ask('a', {}, 'call-1'), ask('b', {}, 'call-2'))] }, { from: 1, to: 2 }),
      tool('3', '1', 'b', { from: 5, to: 9, attributes: { 'gen_ai.tool.call.id': 'call-2' } }),
      tool('4', '1', 'a', { from: 6, to: 8, attributes: { 'gen_ai.tool.call.id': 'call-1' } }),
      chat('5', '1', { out: [wants(ask('c', {}, 'call-3'))] }, { from: 20, to: 21 }),
      tool('6', '1', 'c', { from: 30, attributes: { 'gen_ai.tool.call.id': 'call-3' } }),
    );

    expect(turn.toolCalls.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  test('keeps a tool span that nobody asked for', () => {
    const turn = turnOf(agent('1', { to: 9 }), tool('2', '1', 'f', { from: 1, attributes: args({ a: 1 }) }));

    expect(callsOf(turn)).toEqual([['f', { a: 1 }, 'done', 2]]);
    expect(turn.toolCalls[0]?.answered).toBe(true);
  });

  test('reads the calls from the agent, where only its span came', () => {
    const said = [say('assistant', 'Booked.'), wants(ask('f', { a: 1 }, 'x')), show('done', 'x')];
    const turn = turnOf(agent('1', {}, { 'gen_ai.output.messages': JSON.stringify(said) }));

    expect(callsOf(turn)).toEqual([['f', { a: 1 }, 'done', undefined]]);
    expect(turn.finalAnswer.text).toBe('Booked.');
  });
});

describe('handing over to another agent', () => {
  const handover = (name: string, target: string) =>
    turnOf(
      agent('a', { from: 0, to: 900 }),
      chat('1', 'a', { out: [wants(ask('lookup', {}, 'call-1'), ask(name, {}, 'call-2'))] }, { from: 10, to: 20 }),
      tool('2', 'a', 'lookup', { from: 30, to: 40, attributes: { 'gen_ai.tool.call.id': 'call-1' } }),
      tool('3', 'a', name, { from: 50, to: 60, attributes: { 'gen_ai.tool.call.id': 'call-2' } }),
      agent('4', { parent: 'a', from: 70, to: 800 }, { 'gen_ai.agent.name': target }),
    ).toolCalls.map((call) => call.name);

  test.each(['transfer_to_billing_desk', 'handoff_to_billing', 'handoff to Billing desk', 'transfer_to_agent'])(
    'by %s is no tool call',
    (name) => {
      expect(handover(name, 'Billing desk')).toEqual(['lookup']);
    },
  );

  test('is not what a tool does whose name only sounds like it', () => {
    expect(handover('transfer_to_savings', 'Billing desk')).toEqual(['lookup', 'transfer_to_savings']);
  });
});

describe('one operation in two spans', () => {
  test('is one tool call, seen by framework, MCP client and MCP server', () => {
    const turn = turnOf(
      agent('1', { to: 50 }),
      tool('2', '1', 'f', { from: 1, to: 9, attributes: { 'gen_ai.tool.call.id': 'x' } }),
      tool('3', '2', 'f', {
        from: 2,
        to: 8,
        attributes: { 'mcp.method.name': 'tools/call', 'gen_ai.tool.call.result': '7' },
      }),
      { id: '4', parent: '3', name: 'POST', from: 3 },
      tool('5', '4', 'f', { from: 4, to: 6, attributes: { 'gen_ai.tool.call.arguments': '{"a":1}' } }),
      { id: '6', parent: '5', name: 'SELECT', from: 5 },
    );

    expect(callsOf(turn)).toEqual([['f', { a: 1 }, 7, 2]]);
    expect(turn.steps.map((step) => step.spanId)).toEqual(['1', '2', '4', '6'].map(spanId));
    expect(turn.steps.at(-1)?.parentSpanId).toBe(spanId('2'));
  });

  test('is one model call, with the outer content and the inner count', () => {
    const usage = (tokens: number) => ({ 'gen_ai.usage.input_tokens': tokens, 'gen_ai.response.id': 'r' });
    const turn = turnOf(
      agent('1', { to: 50 }),
      chat('2', '1', { out: [say('assistant', 'hi')] }, { from: 1, to: 9, attributes: usage(177) }),
      chat('3', '2', {}, { from: 2, to: 8, attributes: usage(561) }),
    );

    expect([turn.llmCalls, turn.usage?.inputTokens, turn.finalAnswer.text]).toEqual([1, 561, 'hi']);
    expect(turn.flags).toEqual([]);
  });

  test('is two where the arguments differ or the spans are side by side', () => {
    const args = (a: number) => ({ attributes: { 'gen_ai.tool.call.arguments': `{"a":${a}}` } });
    const turn = turnOf(
      agent('1', { to: 50 }),
      tool('2', '1', 'f', { from: 1, ...args(1) }),
      tool('3', '2', 'f', { from: 2, ...args(2) }),
      tool('4', '1', 'f', { from: 3, ...args(1) }),
    );

    expect(turn.toolCalls).toHaveLength(3);
  });

  test('is one agent under a wrapper of its name, but a sub-agent called as a tool stays its own', () => {
    const wrapped = turnOf(
      agent('1', { to: 50 }),
      agent('2', { parent: '1', from: 1 }),
      chat('3', '2', {}, { from: 2 }),
    );
    const nested = turnOf(
      agent('1', { to: 50 }),
      tool('2', '1', 'ask_bob', { from: 1 }),
      agent('3', { parent: '2', from: 2 }),
      chat('4', '3', {}, { from: 3 }),
    );

    expect(wrapped.steps.map((step) => step.kind)).toEqual(['agent', 'llm']);
    expect(nested.steps.map((step) => step.kind)).toEqual(['agent', 'tool', 'agent', 'llm']);
  });

  describe('side by side', () => {
    const used = (output: number) => ({ 'gen_ai.response.model': 'm-1', 'gen_ai.usage.output_tokens': output });
    const sdk = (id: string, from: number, attributes: Attributes): SpanSpec =>
      chat(id, '1', {}, { from, to: from + 5, scope: 'sdk', attributes });
    const framework = (id: string, from: number, attributes: Attributes, word: string): SpanSpec =>
      chat(id, '1', { out: [say('assistant', word)] }, { from, to: from + 5, scope: 'framework', attributes });

    test('is one, if one of them has no words and both say the same came out', () => {
      const turn = turnOf(
        agent('1', { to: 50 }),
        sdk('2', 1, used(7)),
        framework('3', 2, used(7), 'so'),
        sdk('4', 10, used(9)),
        framework('5', 12, used(9), 'done'),
      );

      expect([turn.llmCalls, turn.usage?.outputTokens, turn.finalAnswer.text]).toEqual([2, 16, 'done']);
    });

    test.each([
      ['another number of tokens came out', sdk('2', 1, used(8))],
      ['they were not at the same time', sdk('2', 20, used(7))],
      ['the response is another', sdk('2', 1, { ...used(7), 'gen_ai.response.id': 'b' })],
      ['it has words of its own', { ...framework('2', 1, used(7), 'so'), scope: 'sdk' }],
      ['the same instrumentation wrote it', { ...sdk('2', 1, used(7)), scope: 'framework' }],
    ])('is two, where %s', (_, other) => {
      const turn = turnOf(
        agent('1', { to: 50 }),
        other,
        framework('3', 2, { ...used(7), 'gen_ai.response.id': 'a' }, 'so'),
      );

      expect(turn.llmCalls).toBe(2);
    });
  });
});

describe('the answer', () => {
  test('is not what a sub-agent, a guardrail or a tool has a model say', () => {
    const turn = turnOf(
      agent('1', { to: 90 }),
      chat('2', '1', { in: [say('user', 'Book it.')], out: [say('assistant', 'Booked.')] }, { from: 1 }),
      { id: '3', parent: '1', from: 10, attributes: { 'gen_ai.operation.name': 'guard' } },
      chat('4', '3', { in: [say('user', 'Is this safe?')], out: [say('assistant', 'safe')] }, { from: 11 }),
      tool('5', '1', 'title', { from: 20 }),
      chat('6', '5', { out: [say('assistant', 'Meeting booked')] }, { from: 21 }),
      agent('7', { parent: '1', from: 30 }, { 'gen_ai.agent.name': 'helper' }),
      chat('8', '7', { out: [say('assistant', 'helped')] }, { from: 31 }),
    );

    expect([turn.userInput.text, turn.finalAnswer.text, turn.llmCalls]).toEqual(['Book it.', 'Booked.', 4]);
  });

  test.each([
    ['with a line end of its own', 'Done.\n', 'Done.'],
    ['after all that was said before', 'Let me look.Done.', 'Done.'],
    ['after something that no call said', 'Note: Done.', 'Note: Done.'],
  ])('is what the last call said, where the agent gives it back %s', (_, given, answer) => {
    const turn = turnOf(
      agent('a', {}, { 'gen_ai.output.messages': JSON.stringify([say('assistant', given)]) }),
      chat('b', 'a', { out: [wants({ type: 'text', content: 'Let me look.' }, ask('look', {}, 'c1'))] }, { from: 1 }),
      chat('c', 'a', { out: [say('assistant', 'Done.')] }, { from: 2 }),
    );

    expect(turn.finalAnswer.text).toBe(answer);
  });

  test('is the last message, not a remark on the way to a tool', () => {
    const remark = { role: 'assistant', parts: [{ type: 'text', content: 'Let me look.' }, ask('f', {}, 'x')] };
    const turn = turnOf(agent('1', { to: 9 }), chat('2', '1', { out: [remark] }, { from: 1 }));

    expect(turn.finalAnswer.state).toBe('missing');
  });

  test('says that it was cut', () => {
    const turn = turnOf(agent('1', {}, { 'gen_ai.output.messages': '[{"role":"assistant","content":"It is bo' }));

    expect(turn.finalAnswer.state).toBe('truncated');
    expect(turn.flags).toContain('truncated-json');
  });
});

describe('why it finished', () => {
  const said = (reason: string | undefined, text = 'It is') => ({
    ...say('assistant', text),
    ...(reason === undefined ? {} : { finish_reason: reason }),
  });
  const gives = (...messages: readonly unknown[]) =>
    agent('a', { to: 9 }, { 'gen_ai.output.messages': JSON.stringify(messages) });
  const calls = (reason: string | undefined) => chat('b', 'a', { out: [said(reason)] }, { from: 1 });

  test.each<[string, readonly SpanSpec[], readonly string[]]>([
    ['the last call', [agent('a', { to: 9 }), calls('length')], ['length']],
    ['the agent, where no call came', [gives(said('length'))], ['length']],
    ['the agent in the spelling of a provider', [gives(said('max_tokens'))], ['length']],
    ['the agent, where its calls do not say', [gives(said('content_filter')), calls(undefined)], ['content_filter']],
    ['both, once', [gives(said('stop')), calls('stop')], ['stop']],
    ['both, where they differ', [gives(said('length')), calls('stop')], ['stop', 'length']],
    ['the agent by what it said last', [gives(said('length', 'Let me look.'), said('stop'))], ['stop']],
    ['nobody, where the agent only repeats that it asked for a tool', [gives(said('tool_calls'))], []],
  ])('is told by %s', (_what, specs, reasons) => {
    expect(turnOf(...specs).finishReasons).toEqual(reasons);
  });
});

describe('the error of a turn', () => {
  const failed = { status: { error: 'boom' } } as const;
  const done = { out: [say('assistant', 'Done.')] };

  test.each<[string, readonly SpanSpec[], string | undefined]>([
    ['the root’s', [agent('1', { to: 9, ...failed })], 'boom'],
    [
      'none, where a tool failed and the agent answered',
      [agent('1', { to: 9 }), tool('2', '1', 'f', { from: 1, ...failed }), chat('3', '1', done, { from: 5 })],
      undefined,
    ],
    [
      'the last model call’s, where the root says nothing',
      [agent('1', { to: 9 }), chat('2', '1', done, { from: 1 }), chat('3', '1', {}, { from: 5, ...failed })],
      'boom',
    ],
    [
      'the tool’s, where nobody was left to cope',
      [chat('2', '1', { out: [wants(ask('f', {}, 'x'))] }, { from: 1 }), tool('3', '1', 'f', { from: 5, ...failed })],
      'boom',
    ],
    [
      'none, where the tool was called again after it had failed, and went well',
      [
        agent('1', { to: 9 }),
        tool('2', '1', 'f', { from: 1, to: 2, ...failed }),
        tool('3', '1', 'f', { from: 5, to: 6 }),
      ],
      undefined,
    ],
    [
      'the tool’s, where another one went well beside it',
      [
        agent('1', { to: 9 }),
        tool('2', '1', 'f', { from: 1, to: 4, ...failed }),
        tool('3', '1', 'g', { from: 2, to: 3 }),
      ],
      'boom',
    ],
    [
      'none, where an earlier model call failed and was tried again',
      [agent('1', { to: 9 }), chat('2', '1', {}, { from: 1, ...failed }), chat('3', '1', done, { from: 5 })],
      undefined,
    ],
    [
      'none, where the root only repeats the error of a tool that the agent coped with',
      [
        agent('1', { to: 9, ...failed }),
        tool('2', '1', 'f', { from: 1, ...failed }),
        chat('3', '1', done, { from: 5 }),
      ],
      undefined,
    ],
    [
      'none, where the same happened and content is not captured: the answer may have come',
      [agent('1', { to: 9, ...failed }), tool('2', '1', 'f', { from: 1, ...failed }), chat('3', '1', {}, { from: 5 })],
      undefined,
    ],
    [
      'the root’s, where it repeats the error of a tool and no answer came',
      [agent('1', { to: 9, ...failed }), chat('2', '1', {}, {}), tool('3', '1', 'f', { from: 5, ...failed })],
      'boom',
    ],
    [
      'the agent’s directly below a root that is content, where no answer came',
      [
        { id: '1', to: 9, status: 'ok', attributes: { 'gen_ai.operation.name': 'invoke_workflow' } },
        agent('2', { parent: '1', to: 8, ...failed }),
        chat('3', '2', { out: [wants(ask('f', {}, 'x'))] }, { from: 1 }),
        tool('4', '2', 'f', { from: 5 }),
      ],
      'boom',
    ],
    [
      'that of a step below such a root',
      [
        { id: '1', to: 9, status: 'ok', attributes: { 'gen_ai.operation.name': 'invoke_workflow' } },
        { id: '2', parent: '1', to: 8, ...failed, attributes: { 'openinference.span.kind': 'CHAIN' } },
      ],
      'boom',
    ],
    [
      'none, where the agent after the one that failed did its work, though without a word',
      [
        { id: '1', to: 9, status: 'ok', attributes: { 'gen_ai.operation.name': 'invoke_workflow' } },
        agent('2', { parent: '1', to: 4, ...failed }),
        agent('3', { parent: '1', from: 5, to: 8 }, { 'gen_ai.agent.name': 'eve' }),
      ],
      undefined,
    ],
  ])('is %s', (_what, specs, message) => {
    expect(turnOf(...specs).error?.message).toBe(message);
  });
});

describe('tokens and cost', () => {
  const used = (tokens: number, cost: number) => ({ 'gen_ai.usage.input_tokens': tokens, 'gen_ai.usage.cost': cost });

  test('are counted at the leaves, where agents repeat the sum', () => {
    const turn = turnOf(
      agent('1', { to: 50 }, used(99, 9)),
      agent('2', { parent: '1', from: 1 }, { 'gen_ai.agent.name': 'sub', ...used(50, 5) }),
      chat('3', '2', {}, { from: 2, attributes: used(10, 0.5) }),
      chat('4', '1', {}, { from: 9, attributes: used(20, 0.25) }),
    );

    expect([turn.usage?.inputTokens, turn.costUsd]).toEqual([30, 0.75]);
  });

  test('are a model call’s own, though the tool it asked for is below it and asks a model in turn', () => {
    const turn = turnOf(
      agent('1', { to: 50 }, used(99, 9)),
      chat('2', '1', {}, { from: 1, to: 40, attributes: used(10, 0.5) }),
      tool('3', '2', 'ask_colleague', { from: 2, to: 30 }),
      agent('4', { parent: '3', from: 3, to: 20 }, { 'gen_ai.agent.name': 'sub', ...used(20, 1) }),
      chat('5', '4', {}, { from: 4, attributes: used(20, 1) }),
    );

    expect([turn.usage?.inputTokens, turn.costUsd]).toEqual([30, 1.5]);
  });

  test('of the same work are counted once, though two instrumentations put a span each side by side', () => {
    const turn = turnOf(
      { id: '1', to: 60, attributes: { 'gen_ai.operation.name': 'invoke_workflow' } },
      agent('2', { parent: '1', from: 1, to: 20 }),
      chat('3', '2', {}, { from: 2, to: 19, attributes: { 'gen_ai.usage.input_tokens': 7 } }),
      agent('4', { parent: '1', from: 1, to: 19 }, used(100, 1)),
      agent('5', { parent: '1', from: 30, to: 50 }),
      chat('6', '5', {}, { from: 31, to: 49, attributes: { 'gen_ai.usage.input_tokens': 9 } }),
    );

    expect(turn.usage?.inputTokens).toBe(109);
  });

  test('are the agent’s where nothing below says any', () => {
    expect(turnOf(agent('1', { to: 50 }, used(99, 9)), chat('2', '1', {}, { from: 1 })).usage?.inputTokens).toBe(99);
  });
});

describe('turns in one trace', () => {
  const heard = (...texts: readonly string[]) => ({
    'gen_ai.input.messages': JSON.stringify(texts.map((t) => say('user', t))),
  });

  test('are several under a session, where each agent has a new message of the user', () => {
    const turns = turnsOf(
      { id: '1', name: 'websocket', to: 100, attributes: { 'session.id': 's' } },
      agent('2', { parent: '1', from: 1, to: 20 }, heard('hello')),
      chat('3', '2', { out: [say('assistant', 'hi')] }, { from: 2 }),
      agent('4', { parent: '1', from: 30, to: 50 }, heard('hello', 'book it')),
      chat('5', '4', { out: [say('assistant', 'booked')] }, { from: 31 }),
      { id: '6', parent: '1', name: 'flush', from: 60 },
    );

    expect(turns.map((turn) => [turn.id, turn.userInput.text, turn.finalAnswer.text, turn.conversationId])).toEqual([
      [`${turns[0]?.traceId}/${spanId('2')}`, 'hello', 'hi', 's'],
      [`${turns[0]?.traceId}/${spanId('4')}`, 'book it', 'booked', 's'],
    ]);
    expect(turns.map((turn) => turn.steps.map((step) => Number(step.spanId)))).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
  });

  test.each<[string, readonly SpanSpec[]]>([
    [
      'a hand-off',
      [
        agent('2', { parent: '1', from: 1, to: 9 }, heard('hi')),
        agent('3', { parent: '1', from: 20 }, { ...heard('hi'), 'gen_ai.agent.name': 'expert' }),
      ],
    ],
    [
      'a pipeline',
      [
        agent('2', { parent: '1', from: 1, to: 9 }, heard('find')),
        agent('3', { parent: '1', from: 20 }, { ...heard('write'), 'gen_ai.agent.name': 'writer' }),
      ],
    ],
    [
      'agents at the same time',
      [agent('2', { parent: '1', from: 1, to: 30 }, heard('a')), agent('3', { parent: '1', from: 20 }, heard('b'))],
    ],
  ])('are one for %s', (_what, agents) => {
    expect(turnsOf({ id: '1', name: 'request', to: 100 }, ...agents)).toHaveLength(1);
  });

  test('are several under a session without agents, where each model call is shown what was said before', () => {
    const first = [say('user', 'One?')];
    const second = [...first, say('assistant', 'Yes, one.'), say('user', 'Two?')];
    const turns = turnsOf(
      { id: 'a', name: 'GET /socket', from: 0, to: 99 },
      chat('1', 'a', { in: first, out: [say('assistant', 'Yes, one.')] }, { from: 1, to: 5 }),
      chat('2', 'a', { in: second, out: [wants(ask('lookup', {}, 'call-1'))] }, { from: 10, to: 15 }),
      tool('3', 'a', 'lookup', { from: 16, to: 17 }),
      chat(
        '4',
        'a',
        { in: [...second, wants(ask('lookup', {}, 'call-1')), show('2', 'call-1')], out: [say('assistant', 'Two.')] },
        { from: 20, to: 25 },
      ),
    );

    expect(turns.map(({ userInput, finalAnswer, llmCalls }) => [userInput.text, finalAnswer.text, llmCalls])).toEqual([
      ['One?', 'Yes, one.', 1],
      ['Two?', 'Two.', 2],
    ]);
  });

  test('are one where one model call prepares the question of the next', () => {
    const turn = turnOf(
      chat(
        '1',
        undefined,
        { in: [say('user', 'Rewrite: is it free?')], out: [say('assistant', 'free?')] },
        { from: 1, to: 5 },
      ),
      chat(
        '2',
        '1f',
        { in: [say('user', 'Documents: … Is it free?')], out: [say('assistant', 'Yes.')] },
        { from: 10, to: 15 },
      ),
    );

    expect(turn.finalAnswer.text).toBe('Yes.');
  });

  test('are one where two agents without a name, and without a common history, stand side by side', () => {
    const unnamed = (id: string, from: number, asked: string, answer: string) => ({
      id,
      parent: 'f',
      from,
      to: from + 5,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.input.messages': JSON.stringify([say('user', asked)]),
        'gen_ai.output.messages': JSON.stringify([say('assistant', answer)]),
      },
    });

    expect(
      turnsOf(
        { id: 'f', name: 'POST /chat', from: 0, to: 99 },
        unnamed('1', 1, 'A title for: is it free?', 'Free room'),
        unnamed('2', 10, 'Is it free?', 'Yes.'),
      ),
    ).toHaveLength(1);
  });

  test('are one for an HTTP request around an agent, and the agent stands for it', () => {
    const turn = turnOf(
      { id: '1', name: 'POST /chat', to: 100 },
      agent('2', { parent: '1', from: 1, to: 20 }, heard('hi')),
    );

    expect([turn.rootSpanId, turn.userInput.text, turn.flags]).toEqual([spanId('2'), 'hi', []]);
  });

  test('are none where all is an evaluator’s, and leave out what is below one', () => {
    expect(turnsOf({ id: '1', scope: 'assay' })).toEqual([]);
    const turn = turnOf(
      agent('1', { to: 9 }),
      { id: '2', parent: '1', scope: 'assay', from: 2 },
      chat('3', '2', {}, { from: 3 }),
    );
    expect([turn.llmCalls, turn.steps.length]).toEqual([0, 1]);
  });

  test('survive parents in a circle', () => {
    const turn = turnOf(tool('1', '2', 'f', { from: 5 }), agent('2', { parent: '3' }), chat('3', '1', {}, { from: 9 }));

    expect(turn.steps).toHaveLength(3);
    expect(turn.rootSpanId).toBe(spanId('2'));
  });

  test('are one call where the outer span says nothing of the call, and two where it names another model', () => {
    const outer = (attributes: Attributes) =>
      turnOf(
        agent('a'),
        { id: 'b', parent: 'a', attributes: { 'gen_ai.operation.name': 'chat', ...attributes } },
        chat('c', 'b', { out: [say('assistant', 'hi')] }),
      ).llmCalls;

    expect(outer({})).toBe(1);
    expect(outer({ 'gen_ai.request.model': 'router' })).toBe(2);
  });

  test('are a failed call where the outer span has the words of the inner error as its result', () => {
    const called = (result: string) =>
      turnOf(
        agent('a'),
        tool('b', 'a', 'look_up', { status: 'ok', attributes: { 'gen_ai.tool.call.result': result } }),
        tool('c', 'b', 'look_up', { status: { error: 'Locked: no answer of shard 3' } }),
      ).toolCalls.map(({ error }) => error?.message);

    expect(called('no answer of shard 3')).toEqual(['Locked: no answer of shard 3']);
    expect(called('shipped, at the second attempt')).toEqual([undefined]);
  });

  test('take no longer than a moment, however deep thousands of spans are nested', () => {
    const depth = 5000;
    const specs = Array.from({ length: depth }, (_, at): SpanSpec => {
      const parent = at === 0 ? {} : { parent: at.toString(16) };
      const id = (at + 1).toString(16);
      return at % 2 === 0
        ? agent(id, { ...parent, from: at, to: 9999 })
        : chat(id, at.toString(16), {}, { from: at, to: 9999 });
    });
    const { traces } = traceOf(...specs);
    const began = performance.now();
    const [turn] = buildTurns(normalize({ traces, logs: undefined }));

    expect([turn?.llmCalls, turn?.toolCalls, turn?.flags.length]).toEqual([depth / 2, [], 1]);
    expect(performance.now() - began).toBeLessThan(5000);
  });

  test('are one step where 20,000 spans of the same tool call are nested', () => {
    const depth = 20_000;
    const call = (at: number, attributes: Attributes): SpanSpec => {
      const place = at === 0 ? {} : { parent: at.toString(16) };
      return tool((at + 1).toString(16), undefined, 'f', { ...place, from: at, to: 2 * depth - at, attributes });
    };
    const specs = Array.from({ length: depth }, (_, at) => call(at, {}));
    specs[depth - 2] = call(depth - 2, { 'gen_ai.tool.call.arguments': '{"a":1}' });
    specs[depth - 1] = call(depth - 1, {
      'gen_ai.tool.call.arguments': '{"a": 1}',
      'gen_ai.tool.call.result': '"done"',
      'gen_ai.conversation.id': 'innermost',
    });
    const below = chat('ffffff', depth.toString(16), { out: [say('assistant', 'hi')] }, { from: depth, to: depth });
    const { traces } = traceOf(...specs, below);
    const began = performance.now();
    const turn = buildTurns(normalize({ traces, logs: undefined }))[0];

    expect(turn?.steps.map(({ kind, parentSpanId }) => [kind, parentSpanId])).toEqual([
      ['tool', undefined],
      ['llm', spanId('1')],
    ]);
    expect(turn?.toolCalls.map(({ name, args, result }) => [name, args.text, result.text])).toEqual([
      ['f', '{"a":1}', 'done'],
    ]);
    expect([turn?.conversationId, turn?.llmCalls, turn?.flags]).toEqual(['innermost', 1, []]);
    // A span that looked at all those above it would take minutes.
    expect(performance.now() - began).toBeLessThan(5000);
  });
});

describe('whose turn it is', () => {
  test('is the nearest id above the agent, else the top-most below, else the only one', () => {
    const id = (value: string) => ({ 'gen_ai.conversation.id': value });
    const above = turnOf(
      { id: '1', to: 99, attributes: id('above') },
      agent('2', { parent: '1', from: 1 }),
      tool('3', '2', 'f', { from: 2, attributes: id('sub') }),
    );
    const below = turnOf(
      agent('1', { to: 99 }),
      tool('2', '1', 'f', { from: 1 }),
      agent('3', { parent: '2', from: 2 }, { 'gen_ai.agent.name': 'sub', ...id('sub') }),
      chat('4', '1', {}, { from: 9, attributes: id('main') }),
    );
    const own = turnOf(agent('1', { to: 99 }, id('own')), chat('2', '1', {}, { from: 1, attributes: id('other') }));

    expect([above.conversationId, below.conversationId, own.conversationId]).toEqual(['above', 'main', 'own']);
    expect(own.conversationIdSource).toBe('gen_ai.conversation.id');
  });

  test('can be known from the resource alone', () => {
    const turn = turnOf(agent('1', { resource: { 'session.id': 'r' } }));

    expect([turn.conversationId, turn.conversationIdSource]).toEqual(['r', 'resource:session.id']);
  });

  test('falls back on the service for the agent’s name', () => {
    const turn = turnOf(chat('1', undefined, {}, { resource: { 'service.name': 'svc', 'service.version': '3' } }));

    expect(turn.agent).toMatchObject({ name: 'svc', version: '3' });
  });
});

describe('marks', () => {
  test('of spans that ended later override earlier ones, key by key', () => {
    const state = (value: unknown) => ({ 'assay.conversation.state': JSON.stringify(value) });
    const turn = turnOf(
      agent('1', { to: 99 }, { ...state({ booked: true }), 'assay.conversation.end': true }),
      tool('2', '1', 'f', { from: 5, to: 9, attributes: state({ booked: false, room: 4 }) }),
    );

    expect([turn.ended, turn.state]).toEqual([true, { booked: true, room: 4 }]);
  });
});

describe('flags', () => {
  const lost = (id: string) => chat(id, 'ff', { in: [say('user', 'hi')] });

  test.each<[string, readonly SpanSpec[], readonly string[]]>([
    ['nothing is missing', [agent('1'), chat('2', '1', { in: 'hi' })], []],
    ['the root is missing', [lost('2')], ['root-missing']],
    ['the caller is traced elsewhere', [agent('1', { parent: 'ff' }), chat('2', '1', { in: 'hi' })], ['partial-trace']],
    [
      'the caller is in another process',
      [agent('1', { parent: 'ff', remoteParent: true }), chat('2', '1', { in: 'hi' })],
      [],
    ],
    ['a middle is missing', [agent('1'), lost('2')], ['partial-trace']],
    ['no content was captured', [agent('1'), chat('2', '1', {})], ['content-missing']],
    [
      'a tool’s span was sampled out',
      [
        agent('1', { to: 90 }),
        chat('2', '1', { in: 'hi', out: [wants(ask('a', {}, 'call-1'), ask('b', {}, 'call-2'))] }, { from: 1 }),
        tool('3', '1', 'a', {
          from: 5,
          attributes: { 'gen_ai.tool.call.id': 'call-1', 'gen_ai.tool.call.result': '1' },
        }),
        chat(
          '4',
          '1',
          { in: [show('1', 'call-1'), show('2', 'call-2')], out: [say('assistant', 'done')] },
          { from: 9 },
        ),
      ],
      ['partial-trace'],
    ],
    ['a clock ran backwards', [agent('1', { from: 9, to: 2 })], ['negative-duration']],
  ])('say that %s', (_what, specs, flags) => {
    expect(turnOf(...specs).flags).toEqual(flags);
  });
});

test('content that comes as log records only makes a whole turn', () => {
  const trace = traceOf(agent('1', { to: 50 }), chat('2', '1', {}, { from: 1 }));
  const logs = logsOf(
    { span: '2', name: 'gen_ai.user.message', at: 1, body: { content: 'Is it free?' } },
    {
      span: '2',
      name: 'gen_ai.choice',
      at: 2,
      body: { index: 0, finish_reason: 'stop', message: { content: 'Yes.' } },
    },
  );
  const [turn] = buildTurns(normalize({ ...trace, logs }));

  expect([turn?.userInput.text, turn?.finalAnswer.text, turn?.finishReasons, turn?.flags]).toEqual([
    'Is it free?',
    'Yes.',
    ['stop'],
    [],
  ]);
});
