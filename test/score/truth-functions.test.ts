/** Functions of expressions for ground truth: same_calls, writes, told, replace, and the time of a turn. */
import { describe, expect, test } from 'vitest';
import type { Conversation } from '../../src/model/conversation.ts';
import type { Verdict } from '../../src/model/evaluation.ts';
import type { Json } from '../../src/model/json.ts';
import { evaluate } from '../../src/score/suite/evaluate.ts';
import { readSuite } from '../../src/score/suite/read-suite.ts';
import { aConversation, aFailedCall, aStep, aToolCall, aTurn, content, MISSING, REDACTED } from './conversations.ts';

function mistakesIn(check: string): readonly string[] {
  return read(check).mistakes.map(({ problem }) => problem.split('\n')[0] ?? '');
}

function read(check: string, more = '') {
  const text = `suite: test\nscope: conversation\n${more}\ncriteria:\n  - name: c\n    question: Is it?\n    weight: 1\n    check: ${JSON.stringify(check)}\n`;
  return readSuite(text, 'test.yaml');
}

function verdictOf(check: string, conversation: Conversation, more = ''): Verdict {
  const { suite, mistakes } = read(check, more);
  if (suite === undefined) throw new Error(mistakes.map(({ problem }) => problem).join('\n'));
  const verdict = evaluate(suite, { conversation, turnId: undefined, revision: 1 }).verdicts.get('c');
  if (verdict === undefined) throw new Error('there is no verdict');
  return verdict;
}

const pay = (args: Json, parts: Parameters<typeof aToolCall>[1] = {}) =>
  aToolCall('pay', { args: content(args), ...parts });
const TRUTH = {
  actions: [
    { name: 'get_order', args: { order: 17 } },
    { name: 'pay', kwargs: { to: 'ana', amount: 30 } },
  ],
};
const SAME = "same_calls(tools('*').filter(c, writes(c.name)), truth.actions.filter(a, writes(a.name)))";
const withCalls = (...toolCalls: readonly ReturnType<typeof aToolCall>[]) =>
  aConversation([aTurn({ toolCalls })], { truth: TRUTH });

describe('same_calls', () => {
  test('any order, at least the expected fields; failed calls and those that only look are no matter', () => {
    const conversation = withCalls(
      aToolCall('get_weather'),
      aFailedCall('pay', 'timeout', { args: content({ to: 'bob', amount: 1 }) }),
      pay({ to: 'bob', amount: 1 }, { result: content('Error: not enough money') }),
      pay({ amount: 30.0, to: 'ana', note: 'thanks' }),
    );

    expect(verdictOf(SAME, conversation)).toMatchObject({ verdict: 'pass' });
  });

  test('a false one says which argument differs, and leads to the call', () => {
    const wrong = pay({ to: 'ana', amount: 3 });

    expect(verdictOf(SAME, withCalls(wrong, aToolCall('get_weather')))).toEqual({
      verdict: 'fail',
      reason: 'pay was called with other arguments: amount is 3, expected 30.',
      evidence: [wrong.spanId],
    });
    expect(verdictOf(`size(turns) == 1 && ${SAME}`, withCalls())).toMatchObject({
      reason: 'pay({"to":"ana","amount":30}) was not called.',
    });
  });

  test('expected calls may be written in the suite', () => {
    const check = "same_calls(tools('pay'), [{'name': 'pay', 'args': {'amount': 30, 'to': 'ana'}}, {'name': 'pay'}])";

    expect(verdictOf(check, withCalls(pay({ to: 'ana', amount: 30 }), pay({})))).toMatchObject({ verdict: 'pass' });
    expect(verdictOf(check, withCalls(pay({ to: 'ana', amount: 30 })))).toMatchObject({ verdict: 'fail' });
  });

  test('arguments that were not recorded are no difference', () => {
    expect(verdictOf(SAME, withCalls(pay({}, { args: REDACTED })))).toMatchObject({
      verdict: 'not_applicable',
      reason: expect.stringContaining('redacted'),
    });
    expect(verdictOf(SAME, withCalls(pay({}, { args: MISSING })))).toMatchObject({ verdict: 'not_applicable' });
  });

  test.each([
    ['same_calls(turns, truth.actions)', 'same_calls takes a list of tool calls first'],
    ["same_calls(tools('pay'), ['pay'])", 'truth.actions[0] names no tool'],
    ["same_calls(tools('pay'), truth)", 'found no matching overload'],
  ])('%s is an error', (check, reason) => {
    expect(verdictOf(check, withCalls(pay({})))).toMatchObject({
      verdict: 'error',
      reason: expect.stringContaining(reason),
    });
  });
});

test('which tools write is known by names, by the suite, and by spans', () => {
  const hinted = aConversation([
    aTurn({ steps: [aStep({ toolEffects: new Map([['crm_sync', 'writes'] as const]) })] }),
  ]);
  const check =
    "writes('crm_sync') && writes('book_flight') && !writes('get_x') && !writes('transfer_to_human_agents')";

  expect(verdictOf(check, hinted)).toMatchObject({ verdict: 'pass' });
  expect(verdictOf(check, aConversation())).toMatchObject({ verdict: 'fail' });
  expect(verdictOf(check, aConversation(), 'tools: { writes: [crm_*] }')).toMatchObject({ verdict: 'pass' });
  expect(verdictOf(check, hinted, 'tools: { reads: [crm_*] }')).toMatchObject({ verdict: 'fail' });
});

test('told looks into every answer, and takes numbers as well', () => {
  const conversation = aConversation(
    [aTurn({ answered: 'It costs $1,286.00.' }), aTurn({ answered: 'You are welcome.' })],
    { truth: { outputs: ['1286', 1286, 'WELCOME'] } },
  );

  expect(verdictOf('truth.outputs.all(o, told(o)) && told(1286) && !told(12)', conversation)).toMatchObject({
    verdict: 'pass',
  });
  const cut = aConversation([aTurn({ answered: REDACTED })]);
  expect(verdictOf("told('x')", cut)).toMatchObject({ verdict: 'not_applicable' });
});

describe('replace', () => {
  test('takes every occurrence, as it stands', () => {
    const check =
      "'1,286,000'.replace(',', '') == '1286000' && 'a.b'.replace('.', '$&') == 'a$&b' && 'x'.replace('y', 'z') == 'x'";

    expect(verdictOf(check, aConversation())).toMatchObject({ verdict: 'pass' });
  });

  test('makes no text without end', () => {
    const conversation = aConversation([aTurn({ answered: 'a'.repeat(6_000) })]);

    expect(verdictOf(`final_answer.replace('a', '${'a'.repeat(200)}') == ''`, conversation)).toMatchObject({
      verdict: 'error',
      reason: expect.stringContaining('at most 1000000 characters'),
    });
    expect(verdictOf("final_answer.replace('', 'x') == ''", conversation)).toMatchObject({ verdict: 'error' });
  });
});

test('the time of a turn can be compared and subtracted', () => {
  const startedAtMs = Date.parse('2026-03-02T10:00:00Z');
  const turns = [
    aTurn({ startedAtMs, endedAtMs: startedAtMs + 4000 }),
    aTurn({ startedAtMs: startedAtMs + 60_000, endedAtMs: startedAtMs + 90_000 }),
  ];
  const conversation = aConversation(turns, { state: { booked_at: '2026-03-01T11:00:00Z' } });

  expect(
    verdictOf(
      "turn.started_at - timestamp(state.booked_at) < duration('24h') && turn.ended_at > turn.started_at" +
        " && turns.all(t, t.ended_at - t.started_at <= duration('30s')) && first(turns).started_at.getHours() == 10",
      conversation,
    ),
  ).toMatchObject({ verdict: 'pass' });
});

test('a mistake is found when the suite is loaded', () => {
  expect(mistakesIn('writes(3)')).toEqual(['writes takes a string, not int']);
  expect(mistakesIn('told(true)')).toEqual([expect.stringContaining('told takes a string or double or int, not bool')]);
  expect(mistakesIn("same_calls(tools('a'))")).toHaveLength(1);
});

test('an extract may be called as a function is', () => {
  expect(verdictOf("told && writes('send_x')", aConversation(), 'extract: { told: "true" }')).toMatchObject({
    verdict: 'pass',
  });
});
