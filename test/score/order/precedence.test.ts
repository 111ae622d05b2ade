import { describe, expect, test } from 'vitest';
import type { SpanId } from '../../../src/model/ids.ts';
import type { Message, Step } from '../../../src/model/step.ts';
import type { ToolCall } from '../../../src/model/turn.ts';
import { deedsOf } from '../../../src/score/order/ordered-steps.ts';
import { precedenceOf } from '../../../src/score/order/precedence.ts';
import { subjectOf } from '../../../src/score/subject/subject.ts';
import { aConversation, aStep, aToolCall, aTurn, content, MISSING, ROOT_SPAN, spanId } from '../conversations.ts';

/** Steps by one-letter names, which are their span ids too; the root is `r`. */
function idOf(letter: string): SpanId {
  return letter === 'r' ? ROOT_SPAN : spanId(letter.charCodeAt(0));
}

function step(letter: string, startedAtMs: number, endedAtMs: number, parts: Partial<Step> = {}): Step {
  const parentSpanId = letter === 'r' ? undefined : ROOT_SPAN;
  const kind = letter === 'r' ? 'agent' : 'step';
  return aStep({ kind, name: letter, spanId: idOf(letter), parentSpanId, startedAtMs, endedAtMs, ...parts });
}

const ROOT = step('r', 0, 10_000);

/** `ab` where a is certainly before b; the pairs with the root are left out. */
function pairs(...turns: readonly { readonly steps?: readonly Step[]; readonly toolCalls?: readonly ToolCall[] }[]) {
  const conversation = aConversation(turns.map(({ steps = [], toolCalls = [] }) => aTurn({ steps, toolCalls })));
  const subject = subjectOf(conversation, undefined);
  const deeds = deedsOf(subject);
  const order = precedenceOf(subject).among(deeds.map((_, at) => at));
  const found: string[] = [];
  for (let x = 0; x < deeds.length; x++) {
    for (let y = 0; y < deeds.length; y++) {
      if (order.isBefore(x, y) && deeds[x]?.name !== 'r') found.push(`${deeds[x]?.name}${deeds[y]?.name}`);
    }
  }
  return found.sort();
}

function shown(...ids: readonly string[]): Message[] {
  return ids.map((id) => ({
    role: 'tool',
    name: undefined,
    parts: [{ type: 'tool_result', id, result: content('done') }],
    finishReason: undefined,
  }));
}

describe('one clock', () => {
  test.each<[string, readonly Step[], readonly string[]]>([
    ['one is over when the other begins', [step('a', 1, 2), step('b', 3, 4)], ['ab']],
    ['one is over in the instant in which the other begins', [step('a', 1, 2), step('b', 2, 4)], ['ab']],
    ['they overlap', [step('a', 1, 3), step('b', 2, 4)], []],
    ['they begin together', [step('a', 1, 2), step('b', 1, 4)], []],
    ['both are one instant', [step('a', 2, 2), step('b', 2, 2)], []],
    [
      'an instant ends what was, and what follows comes after',
      [step('a', 1, 2), step('b', 2, 2), step('c', 2, 3)],
      ['ab', 'ac', 'bc'],
    ],
    ['an instant within a longer step', [step('a', 1, 5), step('b', 3, 3)], []],
    [
      'three in a row, one beside',
      [step('a', 1, 2), step('b', 3, 4), step('c', 5, 6), step('d', 2, 5)],
      ['ab', 'ac', 'ad', 'bc', 'dc'],
    ],
  ])('%s', (_what, steps, expected) => {
    expect(pairs({ steps: [ROOT, ...steps] })).toEqual([...expected].sort());
  });
});

describe('parts', () => {
  test('a step comes before what is done within it, and what is done within it before what comes after it', () => {
    const steps = [ROOT, step('a', 1, 5), step('b', 2, 3, { parentSpanId: idOf('a') }), step('c', 6, 7)];

    expect(pairs({ steps })).toEqual(['ab', 'ac', 'bc']);
  });

  test('a parent that never came orders nothing, and parents in a circle are no reason to fail', () => {
    const orphan = step('a', 1, 4, { parentSpanId: spanId(0xdead) });
    const circle = [step('b', 2, 3, { parentSpanId: idOf('c') }), step('c', 2, 3, { parentSpanId: idOf('b') })];

    expect(pairs({ steps: [ROOT, orphan, ...circle] })).toEqual([]);
  });

  test('turns follow one another, whatever the clock says', () => {
    expect(pairs({ steps: [step('a', 5, 9)] }, { steps: [step('b', 1, 2)] })).toEqual(['ab']);
  });
});

describe('several processes', () => {
  const there = { serviceName: 'tools', parentIsRemote: true };

  test.each<[string, readonly Step[], readonly string[]]>([
    ['well after', [step('a', 100, 200), step('b', 300, 400, there)], ['ab']],
    ['within what clocks may differ by', [step('a', 100, 200), step('b', 299, 400, there)], []],
    ['the same process is exact', [step('a', 100, 200, there), step('b', 201, 400, there)], ['ab']],
    [
      'two instances of a service are two processes',
      [
        step('a', 100, 200, { ...there, attributes: new Map([['service.instance.id', '1']]) }),
        step('b', 201, 400, { ...there, attributes: new Map([['service.instance.id', '2']]) }),
      ],
      [],
    ],
    [
      'a clock that is wrong is compared with no other',
      [
        step('a', 1000, 2000),
        step('b', 1100, 1200),
        step('c', -9000, -8000, { ...there, parentSpanId: idOf('a') }),
        step('d', -7000, -6000, { ...there, parentSpanId: idOf('a') }),
      ],
      ['ac', 'ad', 'cd'],
    ],
  ])('%s', (_what, steps, expected) => {
    expect(pairs({ steps: [ROOT, ...steps] })).toEqual([...expected].sort());
  });
});

describe('what models asked for and were shown', () => {
  const llm = (letter: string, at: number, parts: Partial<Step> = {}) =>
    step(letter, at, at + 10, { kind: 'llm', ...parts });
  const call = (name: string, asker: string, parts: Partial<ToolCall> = {}) =>
    aToolCall(name, {
      id: `id-${name}`,
      requestedBy: idOf(asker),
      spanId: undefined,
      startedAtMs: 20,
      endedAtMs: 20,
      ...parts,
    });

  test('calls without spans come after the model that asked and before the one that was shown the result', () => {
    const steps = [
      ROOT,
      llm('x', 10),
      llm('y', 30, { messagesIn: shown('id-a') }),
      llm('z', 50, { messagesIn: shown('id-a', 'id-b') }),
    ];
    const toolCalls = [call('a', 'x'), call('b', 'y', { startedAtMs: 40, endedAtMs: 40 })];

    expect(pairs({ steps, toolCalls })).toEqual(['ab', 'ay', 'az', 'bz', 'xa', 'xb', 'xy', 'xz', 'yb', 'yz']);
  });

  test('calls that one model asked for together are in no order without spans', () => {
    const steps = [ROOT, llm('x', 10), llm('y', 30, { messagesIn: shown('id-a', 'id-b') })];

    expect(pairs({ steps, toolCalls: [call('a', 'x'), call('b', 'x')] })).toEqual(['ay', 'by', 'xa', 'xb', 'xy']);
  });

  test('calls that one model asked for together and that ran one after the other are in order', () => {
    const steps = [ROOT, llm('x', 10), step('a', 21, 22, { kind: 'tool' }), step('b', 23, 24, { kind: 'tool' })];
    const toolCalls = ['a', 'b'].map((name) => call(name, 'x', { spanId: idOf(name) }));

    expect(pairs({ steps, toolCalls })).toEqual(['ab', 'xa', 'xb']);
  });

  test('what was asked and shown wins over the clock of another process', () => {
    const elsewhere = { kind: 'tool', serviceName: 'tools', parentIsRemote: true } as const;
    const steps = [
      ROOT,
      llm('x', 1000),
      // By its own clock, which is not known to be wrong, it ran a second after both models.
      step('a', 3000, 3001, elsewhere),
      llm('y', 2000, { messagesIn: shown('id-a') }),
    ];

    expect(pairs({ steps, toolCalls: [call('a', 'x', { spanId: idOf('a') })] })).toEqual(['ay', 'xa', 'xy']);
  });

  test('calls that only the agent tells of go by the place of request and result', () => {
    const part = (kind: 'tool_call' | 'tool_result', id: string): Message => ({
      role: kind === 'tool_call' ? 'assistant' : 'tool',
      name: undefined,
      parts: [
        kind === 'tool_call'
          ? { type: kind, id, name: id, args: content({}) }
          : { type: kind, id, result: content('ok') },
      ],
      finishReason: undefined,
    });
    const messagesOut = [
      part('tool_call', 'a'),
      part('tool_call', 'b'),
      part('tool_result', 'a'),
      part('tool_call', 'c'),
      part('tool_result', 'b'),
      part('tool_result', 'c'),
    ];
    const toolCalls = ['a', 'b', 'c'].map((id) =>
      aToolCall(id, { id, spanId: undefined, requestedBy: undefined, startedAtMs: 0, endedAtMs: 10_000 }),
    );

    expect(pairs({ steps: [{ ...ROOT, messagesOut }], toolCalls })).toEqual(['ac']);
  });
});

test('a call with a span of its own is one thing', () => {
  const subject = subjectOf(
    aConversation([
      aTurn({
        steps: [
          ROOT,
          step('a', 1, 2, { kind: 'tool', tool: { name: 'a', callId: undefined, args: MISSING, result: MISSING } }),
        ],
        toolCalls: [aToolCall('a', { spanId: idOf('a') })],
      }),
    ]),
    undefined,
  );

  expect(deedsOf(subject).map(({ name, kind, call, step: span }) => [name, kind, call?.name, span?.spanId])).toEqual([
    ['r', 'agent', undefined, ROOT_SPAN],
    ['a', 'tool', 'a', idOf('a')],
  ]);
});

test('thousands of steps are put in order without comparing each with each', () => {
  const steps = [
    ROOT,
    ...Array.from({ length: 20_000 }, (_, at) => step('a', at, at + 1, { spanId: spanId(0x10_000 + at) })),
  ];
  const subject = subjectOf(aConversation([aTurn({ steps })]), undefined);

  const order = precedenceOf(subject).among([1, 10_000, 20_000]);

  expect([order.isBefore(0, 1), order.isBefore(1, 2), order.isFarBefore(0, 2), order.isBefore(2, 0)]).toEqual([
    true,
    true,
    true,
    false,
  ]);
});
