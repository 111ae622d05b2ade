/** Expressions as checks: what they can say, what absence means, and what hostile data cannot do. */
import { describe, expect, test } from 'vitest';
import type { Conversation } from '../../src/model/conversation.ts';
import type { Verdict } from '../../src/model/evaluation.ts';
import type { Json } from '../../src/model/json.ts';
import { evaluate } from '../../src/score/suite/evaluate.ts';
import { readSuite } from '../../src/score/suite/read-suite.ts';
import {
  aConversation,
  aFailedCall,
  aStep,
  aToolCall,
  aTurn,
  content,
  MISSING,
  REDACTED,
  ROOT_SPAN,
  spanId,
} from './conversations.ts';

function suiteOf(check: string, more = '') {
  const text = `suite: test\nscope: conversation\n${more}\ncriteria:\n  - name: c\n    question: Is it?\n    weight: 1\n    check: ${JSON.stringify(check)}\n`;
  const { suite, mistakes } = readSuite(text, 'test.yaml');
  if (suite === undefined) throw new Error(mistakes.map(({ problem }) => problem).join('\n'));
  return suite;
}

function verdictOf(check: string, conversation = aConversation(), more = ''): Verdict {
  const evaluation = evaluate(suiteOf(check, more), { conversation, turnId: undefined, revision: 1 });
  const verdict = evaluation.verdicts.get('c');
  if (verdict === undefined) throw new Error('there is no verdict');
  return verdict;
}

function withState(state: Json | undefined, truth?: Json) {
  return aConversation([aTurn()], { state, truth });
}

const booked = withState(
  { stage: 'done', seats: 3, price: 12.5, none: null, booking: { duration: 30, who: ['ana', 'bob'], confirmed: true } },
  { duration: 30, who: ['bob', 'ana'] },
);

describe('values', () => {
  test.each([
    ['state.booking.duration == 30'],
    ['30 == state.booking.duration'],
    ['state.booking.duration == 30.0'],
    ['state.booking.duration == truth.duration'],
    ['state.booking.duration in [15, 30]'],
    ['state.booking.duration != 31 && state.seats < 4 && state.price > 12'],
    ['state.seats + 1 == 4 && 2 * state.seats == 6 && state.seats / 2 == 1.5'],
    ["state.booking.who == ['ana', 'bob']"],
    ['same_set(state.booking.who, truth.who)'],
    ['!same_set(state.booking.who, ["ana"])'],
    ['same_set([1, 2, 2], [2.0, 1.0])'],
    ['state.none == null'],
    ['state.booking.confirmed'],
    ['size(state.booking.who) == 2'],
    ["'duration' in state.booking"],
    ["state.booking.who.exists(w, w == 'ana') && state.booking.who.all(w, size(w) == 3)"],
    ["lower('ÄB') == 'äb' && upper('x') == 'X' && trim(' x ') == 'x'"],
    ['words("don\'t re-book the 2nd slot") == 5'],
    ["numbers('from 9.5 to 10') == [9.5, 10.0]"],
    ["contains_any('Hello World', ['mars', 'WORLD'])"],
    ["'abc-123'.matches('[a-z]+-\\\\d+')"],
    ["['a1', 'b'].exists(x, x.matches('\\\\d'))"],
    ["agent.name == 'scheduler' && agent.version.startsWith('1.')"],
    ["environment == 'production' && turn.ok && turn.ended && size(turns) == 1"],
    ["final_answer.contains('help') && user_input.size() > 3"],
    ['usage.total_tokens == 1000 && usage.total_tokens < 1500'],
    ["steps_of('llm').size() == 1 && last(steps).kind == 'llm' && first(steps).kind == 'agent'"],
    ["turn.finish_reasons == ['stop'] && turn.llm_calls == 1"],
  ])('%s holds', (check) => {
    expect(verdictOf(check, booked)).toMatchObject({ verdict: 'pass' });
  });
});

describe('absence', () => {
  test.each([
    ['state.booking.room == 1', 'state.booking.room is absent.'],
    ['truth.room == 1', 'truth.room is absent.'],
    ['state.booking.who[5] == "x"', 'state.booking.who[5] is absent.'],
    ["last(tools('nothing')).result == 1", "there is no last of an empty list, in last(tools('nothing'))."],
    ['agent.id == "x"', 'agent.id is absent.'],
    ['turn.cost_usd < 1.0', 'turn.cost_usd is absent.'],
  ])('%s is not applicable: %s', (check, reason) => {
    expect(verdictOf(check, booked)).toEqual({ verdict: 'not_applicable', reason, undecided: 'absent' });
  });

  test.each([
    ['has(state.booking.room)', 'fail'],
    ['has(state.booking.duration)', 'pass'],
    ['state.?booking.?room.orValue(7) == 7', 'pass'],
    ['state.?nothing.?room.hasValue()', 'fail'],
    ['true || state.booking.room == 1', 'pass'],
    ['false && state.booking.room == 1', 'fail'],
    ['state.booking.room == 1 || true', 'pass'],
  ])('%s asks about it and is decided', (check, verdict) => {
    expect(verdictOf(check, booked).verdict).toBe(verdict);
  });

  describe('an argument with one of two names', () => {
    const refunded = (args: Json) =>
      aConversation([aTurn({ toolCalls: [aToolCall('refund', { args: content(args) })] })]);
    const extract = "extract: { refund: first(tools('refund')) }";
    const EITHER = 'refund.args.amount <= 30.0 || refund.args.total <= 30.0';
    const ASKED = 'refund.args.?amount.or(refund.args.?total).value() <= 30.0';
    const CLOSED = 'refund.args.?amount.or(refund.args.?total).orValue(1000000.0) <= 30.0';

    test.each<[string, string, Json, string]>([
      ['what is there decides where it is enough', EITHER, { total: 20 }, 'pass'],
      ['`absent || false` is not false', EITHER, { total: 3000 }, 'not_applicable'],
      ['`false || absent` is not false', EITHER, { amount: 3000 }, 'not_applicable'],
      ['`.?` takes the one that is there', ASKED, { total: 3000 }, 'fail'],
      ['`.?` takes the first that is there', ASKED, { amount: 3000 }, 'fail'],
      ['`.value()` of neither is absent', ASKED, { sum: 3000 }, 'not_applicable'],
      ['`.orValue(…)` of neither is what it says', CLOSED, { sum: 20 }, 'fail'],
      ['`.orValue(…)` of one is that one', CLOSED, { total: 20 }, 'pass'],
    ])('%s', (_, check, args, verdict) => {
      expect(verdictOf(check, refunded(args), extract).verdict).toBe(verdict);
    });

    test.each<[string, string, Conversation, string]>([
      ['an argument of a call', EITHER, refunded({ sum: 3000 }), 'argument_absent'],
      ['both that were looked for', ASKED, refunded({ sum: 3000 }), 'argument_absent'],
      ['one that an index names', "refund.args['amount'] <= 30.0", refunded({ sum: 3000 }), 'argument_absent'],
      ['a call that was never made', EITHER, aConversation(), 'absent'],
      ['something else', 'state.limit >= refund.args.sum', withState({}), 'absent'],
      [
        'arguments that were not recorded',
        EITHER,
        aConversation([aTurn({ toolCalls: [aToolCall('refund', { args: REDACTED })] })]),
        'not_recorded',
      ],
    ])('why it is not decided: %s', (_, check, conversation, undecided) => {
      expect(verdictOf(check, conversation, extract)).toMatchObject({ verdict: 'not_applicable', undecided });
    });
  });

  test('state and truth that nobody recorded are null', () => {
    expect(verdictOf('state == null && truth == null && !has(state.x) && truth.?x.orValue(30) == 30')).toMatchObject({
      verdict: 'pass',
    });
    expect(verdictOf('state.x == 1')).toMatchObject({ verdict: 'not_applicable', reason: 'state.x is absent.' });
  });

  test('an extract is null where what it reads is absent, and its readers say why', () => {
    const extract = "extract: { booking: last(tools('book')).result, time: booking.time }";

    expect(verdictOf('booking == null && !has(booking.x)', aConversation(), extract).verdict).toBe('pass');
    expect(verdictOf('booking.x == 1', aConversation(), extract).reason).toBe(
      "booking.x is absent, because there is no last of an empty list, in last(tools('book')).",
    );
    expect(verdictOf('time == 1', aConversation(), extract).verdict).toBe('fail');
  });

  test('content that was not recorded is no absence: even has() cannot be decided', () => {
    const conversation = aConversation([
      aTurn({ answered: REDACTED, toolCalls: [aToolCall('book', { result: REDACTED })] }),
    ]);
    const extract = "extract: { booking: last(tools('book')).result }";

    expect(verdictOf('has(booking.x)', conversation, extract)).toMatchObject({
      verdict: 'not_applicable',
      reason: 'The result of book is redacted.',
    });
    expect(verdictOf("final_answer == ''", conversation)).toMatchObject({
      verdict: 'not_applicable',
      reason: 'The final answer is redacted.',
    });
  });

  test('a tool that failed has no result, which is not a gap', () => {
    const conversation = aConversation([aTurn({ toolCalls: [aFailedCall('book', 'no room')] })]);

    expect(
      verdictOf("last(tools('book')).result == null && last(tools('book')).error.message == 'no room'", conversation)
        .verdict,
    ).toBe('pass');
  });

  test('an answer that never came is an empty answer', () => {
    expect(verdictOf("final_answer == ''", aConversation([aTurn({ answered: MISSING })])).verdict).toBe('pass');
  });
});

describe('errors', () => {
  test.each([
    [
      'state.booking',
      'The expression gave {duration: 30, who: ["ana", "bob"], confirmed: true}, not true or false: state.booking',
    ],
    ['state.stage > 5', 'The expression failed: no such overload: dyn<string> > int, in state.stage > 5'],
    ["'x'.matches(state.stage + '(')", 'The expression failed: error parsing regexp: missing closing ): `done(`'],
    [
      'size(state.seats) == 3',
      "The expression failed: found no matching overload for 'size(double)', in size(state.seats)",
    ],
  ])('%s is an error', (check, reason) => {
    expect(verdictOf(check, booked)).toEqual({ verdict: 'error', reason });
  });
});

describe('reasons and evidence', () => {
  test('a comparison that is false shows both its values', () => {
    expect(verdictOf("state.stage == 'done' && state.booking.duration == truth.duration + 15", booked).reason).toBe(
      'state.booking.duration is not truth.duration + 15: 30 against 45.',
    );
  });

  test('the evidence is the tool call that was last looked into, through extracts too', () => {
    const calls = [
      aToolCall('a', { result: content({ n: 1 }), spanId: spanId(1) }),
      aToolCall('b', { result: content({ n: 2 }), spanId: spanId(2) }),
    ];
    const conversation = aConversation([aTurn({ toolCalls: calls })]);

    expect(verdictOf("last(tools('a')).result.n == 5", conversation)).toMatchObject({ evidence: [spanId(1)] });
    expect(verdictOf('tool_calls.all(c, c.result.n == 1)', conversation)).toMatchObject({ evidence: [spanId(2)] });
    expect(verdictOf('r.n == 5', conversation, "extract: { r: last(tools('b')).result }")).toMatchObject({
      evidence: [spanId(2)],
    });
  });

  test('the evidence of a check on the state is the step that recorded it; of any other, the turn', () => {
    const recorder = aStep({ spanId: spanId(7), marks: { ended: false, state: { x: 1 }, truth: undefined } });
    const conversation = aConversation([aTurn({ steps: [recorder, aStep()] })], { state: { x: 1 } });

    expect(verdictOf('state.x == 2', conversation)).toMatchObject({ evidence: [spanId(7)] });
    expect(verdictOf("final_answer == 'x'", conversation)).toMatchObject({ evidence: [ROOT_SPAN] });
  });

  test("a reason in the author's words may hold expressions, and absent ones do not spoil it", () => {
    const text = `suite: t
scope: conversation
criteria:
  - name: c
    question: Is it?
    weight: 1
    check: state.seats == 4
    reason: "{{ state.seats }} seats, {{ state.stage }}, room {{ state.room }}."
`;
    const suite = readSuite(text, 't.yaml').suite;
    if (suite === undefined) throw new Error('the suite has mistakes');

    const { verdicts } = evaluate(suite, { conversation: booked, turnId: undefined, revision: 1 });

    expect(verdicts.get('c')?.reason).toBe('3 seats, done, room (absent).');
  });
});

describe('hostile data', () => {
  const hostile = JSON.parse(
    '{"__proto__": {"polluted": true}, "constructor": {"name": "x"}, "toString": 1, "hasOwnProperty": 2, "ok": 1}',
    (_key, value: unknown) =>
      typeof value === 'object' && value !== null ? Object.assign(Object.create(null), value) : value,
  ) as Json;

  test.each([
    ['state.ok == 1'],
    ['has(state.ok) && !has(state.polluted)'],
    ["state['constructor'].name == 'x'"],
    ["'toString' in state && !('valueOf' in state)"],
    ['state == state && [state].exists(s, s.ok == 1)'],
    ['state.?nothing.orValue(3) == 3'],
  ])('keys that mean something to JavaScript are just keys: %s', (check) => {
    expect(verdictOf(check, withState(hostile)).verdict).toBe('pass');
  });

  test('a name that every JavaScript object has is no key of an ordinary one', () => {
    expect(verdictOf('state.toString == 1', booked)).toMatchObject({ verdict: 'not_applicable' });
    expect(verdictOf("state['__proto__'] == 1", booked)).toMatchObject({ verdict: 'not_applicable' });
  });

  test('values nested beyond reason are an error, not a crash', () => {
    let nested: Json = 1;
    for (let depth = 0; depth < 50_000; depth++) nested = [nested];

    expect(verdictOf('state == 1', withState({ nested }))).toMatchObject({ verdict: 'error' });
  });

  test('a pattern that would take for ever elsewhere takes no time on any text', () => {
    const conversation = aConversation([aTurn({ answered: `${'a'.repeat(100_000)}!` })]);
    const startedAt = performance.now();

    expect(verdictOf("final_answer.matches('^(a+)+$')", conversation).verdict).toBe('fail');
    expect(verdictOf("final_answer.matches('(a|aa)+$')", conversation).verdict).toBe('fail');
    expect(performance.now() - startedAt).toBeLessThan(2000);
  });
});

test('what an expression may hold is bounded when it is parsed', () => {
  const deep = `${'('.repeat(200)}true${')'.repeat(200)}`;
  const long = Array.from({ length: 1500 }, () => 'true').join(' && ');

  expect(() => suiteOf(deep)).toThrow(/Exceeded maxDepth/);
  expect(() => suiteOf(long)).toThrow(/characters|Exceeded maxAstNodes/);
});
