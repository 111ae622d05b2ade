/** The pack for truth: what its tests in YAML can't say, and what was not recorded. `assay suite test task-success` has the rest. */
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Conversation } from '../../../src/model/conversation.ts';
import type { Json } from '../../../src/model/json.ts';
import { testSuites } from '../../../src/offline/suite-tests.ts';
import { loadSuites } from '../../../src/score/load-suites.ts';
import { readSuite } from '../../../src/score/suite/read-suite.ts';
import { aConversation, aStep, aToolCall, aTurn, content, MISSING, REDACTED } from '../conversations.ts';
import { exceptions, loadPack, run } from './packs.ts';

const pack = await loadPack('task-success');
const BUILTIN = path.resolve(import.meta.dirname, '../../../suites');
const pay = (args: Json, parts: Parameters<typeof aToolCall>[1] = {}) =>
  aToolCall('pay', { args: content(args), ...parts });
const PAID = { actions: [{ name: 'pay', args: { amount: 30 } }], outputs: ['30'] };

function conversation(
  truth: Json,
  calls: readonly ReturnType<typeof aToolCall>[],
  answered: Parameters<typeof aTurn>[0] = {},
) {
  return aConversation([aTurn({ toolCalls: calls, answered: 'Paid 30.', ...answered })], { truth });
}

function changed(of: Conversation, suite = pack) {
  return run(suite, of).verdicts.get('changed_what_it_should');
}

test('its tests beside it pass', async () => {
  const { tests, mistakes } = await testSuites([path.join(BUILTIN, 'task-success.test.yaml')], {
    builtinDir: BUILTIN,
    baseDir: BUILTIN,
    conversationKeys: [],
    redaction: undefined,
  });

  expect(mistakes).toEqual([]);
  expect(tests.length).toBeGreaterThan(10);
  expect(tests.filter(({ unmet }) => unmet.length > 0)).toEqual([]);
});

test('all right is a success with score 1, anything wrong a hard failure', () => {
  expect(run(pack, conversation(PAID, [pay({ amount: 30 })]))).toMatchObject({
    outcome: 'successful_completion',
    score: 1_000_000,
  });
  for (const wrong of [[], [pay({ amount: 3 })], [pay({ amount: 30 }), pay({ amount: 30 })]])
    expect(run(pack, conversation(PAID, wrong)).outcome).toBe('hard_failure');
  expect(run(pack, conversation(PAID, [pay({ amount: 30 })], { answered: 'Done.' })).outcome).toBe('hard_failure');
  expect(run(pack, conversation(PAID, [pay({ amount: 30 })], { answered: '' })).outcome).toBe('hard_failure');
});

test('what was not recorded is never a success', () => {
  const redacted = run(pack, conversation(PAID, [pay({}, { args: REDACTED })]));
  expect(exceptions(redacted)).toEqual({ changed_what_it_should: 'not_applicable' });
  expect(redacted.outcome).toBe('unscored');
  expect(run(pack, conversation(PAID, [pay({}, { args: MISSING })])).outcome).toBe('unscored');
  const unheard = run(pack, conversation(PAID, [pay({ amount: 30 })], { answered: REDACTED }));
  expect(exceptions(unheard)).toMatchObject({ told_what_it_should: 'not_applicable' });
  expect(unheard.outcome).toBe('unscored');
  const unreadable = run(pack, conversation({ ...PAID, outputs: [null] }, [pay({ amount: 30 })]));
  expect(exceptions(unreadable)).toMatchObject({ told_what_it_should: 'error' });
  expect(unreadable.outcome).toBe('unscored');
});

test('what is plain without the arguments is said without them', () => {
  const twice = [pay({}, { args: REDACTED }), pay({}, { args: REDACTED })];

  expect(changed(conversation(PAID, twice))).toMatchObject({
    verdict: 'fail',
    reason: expect.stringContaining('pay(…) was not expected'),
  });
});

test.each<[string, Json]>([
  ['declined', { status: 'declined', amount: 30 }],
  ['an error of the server', { statusCode: 500, body: 'busy' }],
  ['errors', { errors: ['the card has expired'] }],
  ['a line', 'The payment could not be processed.'],
  ['a traceback', 'Traceback (most recent call last):\n  File "pay.py", line 3'],
])('a call that was refused is not done: %s', (_what, result) => {
  const refused = conversation(PAID, [pay({ amount: 30 }, { result: content(result) })]);

  expect(changed(refused)).toMatchObject({
    verdict: 'fail',
    reason: expect.stringContaining('pay({"amount":30}) was not called successfully'),
  });
  expect(run(pack, refused).outcome).toBe('hard_failure');
});

test('a change that is still pending is neither done nor left undone', () => {
  const pending = pay({ amount: 30 }, { result: content({ status: 'pending' }) });

  expect(changed(conversation(PAID, [pending]))).toMatchObject({
    verdict: 'not_applicable',
    reason: 'pay was still pending: whether it was done is not known.',
  });
  expect(run(pack, conversation(PAID, [pending])).outcome).toBe('unscored');
  // Nobody expected it: that it was asked for is enough.
  expect(changed(conversation({ actions: [] }, [pending]))?.verdict).toBe('fail');
});

test('a call that never came to its end is not done', () => {
  const hanging = pay({ amount: 30 }, { answered: false, result: MISSING });

  expect(changed(conversation(PAID, [hanging]))).toMatchObject({
    verdict: 'fail',
    reason: 'pay({"amount":30}) was not called to its end.',
  });
});

test('a tool of which nothing is known must be called where it is expected, and may be called elsewhere', () => {
  const expected = { actions: [{ name: 'crm_sync', args: { id: 1 } }] };
  const sync = (id: number) => aToolCall('crm_sync', { args: content({ id }) });

  expect(changed(conversation(expected, []))).toMatchObject({ verdict: 'fail' });
  expect(changed(conversation(expected, [sync(1), sync(2)]))).toMatchObject({
    verdict: 'pass',
    reason: 'Exactly the expected change was made: crm_sync. Nothing says whether crm_sync changes something.',
  });
  expect(changed(conversation({ actions: [], complete: true }, [sync(1)]))).toMatchObject({ verdict: 'pass' });
});

test('the configuration and hints in spans say which tools change something', async () => {
  const load = async (tools: { readonly writes?: readonly string[]; readonly reads?: readonly string[] }) => {
    const { suites } = await loadSuites(['task-success'], { baseDir: BUILTIN, builtinDir: BUILTIN, tools });
    const [suite] = suites;
    if (suite === undefined) throw new Error('the pack is gone');
    return suite;
  };
  const nothing = { actions: [], complete: true };
  const synced = conversation(nothing, [aToolCall('crm_sync')]);
  const paid = conversation(nothing, [pay({})]);
  const hinted = aConversation(
    [
      aTurn({
        toolCalls: [aToolCall('crm_sync')],
        steps: [aStep({ toolEffects: new Map([['crm_sync', 'writes'] as const]) })],
      }),
    ],
    { truth: nothing },
  );

  expect(changed(synced)?.verdict).toBe('pass');
  expect(changed(synced, await load({ writes: ['crm_*'] }))?.verdict).toBe('fail');
  expect(changed(paid)?.verdict).toBe('fail');
  expect(changed(paid, await load({ reads: ['pay'] }))?.verdict).toBe('pass');
  expect(changed(hinted)?.verdict).toBe('fail');
  expect(changed(hinted, await load({ reads: ['crm_sync'] }))?.verdict).toBe('pass');
  // With other tools a criterion may give another verdict, so the version must differ.
  expect((await load({ reads: ['pay'] })).definition.id).not.toBe(pack.definition.id);
});

test.each<[string, Json, string]>([
  ['actions that are no list', { actions: { name: 'pay' } }, 'truth.actions is no list: expected [{name, args}].'],
  ['an action without a name', { actions: [{ args: {} }] }, 'truth.actions[0] names no tool: expected {name, args}.'],
  [
    'an order that is none',
    { actions: [], order: 'yes' },
    'truth.order is neither true nor a list of tools: expected true, or at least two tools.',
  ],
  [
    'a text for `complete`',
    { actions: [], complete: 'yes' },
    'truth.complete is neither true nor false: expected true, or no such key.',
  ],
])("a truth with %s is an error, and nobody's failure", (_what, truth, reason) => {
  const evaluation = run(pack, conversation(truth, []));

  expect(evaluation.verdicts.get('changed_what_it_should')).toEqual({ verdict: 'error', reason });
  expect(evaluation.outcome).toBe('unscored');
});

const CANNOT = 'I cannot be bothered.';

test.each<[string, Json]>([
  ['nothing', { actions: [] }],
  ['nothing, in all keys', { actions: [], outputs: [], order: true }],
  ['nothing, beside a key that nothing reads', { actions: [], outputs: [], answer: '8' }],
  ['a look alone', { actions: [{ name: 'get_order' }] }],
  ['a golden trace that another suite reads', { actions: [], golden: 'gt_001' }],
])('a truth that asks for %s shows no success, and still a change that was not wanted', (_what, truth) => {
  const idle = run(pack, conversation(truth, [], { answered: CANNOT }));
  const busy = run(pack, conversation(truth, [pay({ amount: 3 })]));

  expect([idle.outcome, idle.score]).toEqual(['unscored', undefined]);
  expect([busy.outcome, busy.score]).toEqual(['hard_failure', 0]);
});

test.each<[string, Json]>([
  ['says that it is complete', { actions: [], outputs: [], answer: '8', complete: true }],
  ['asks for an output', { actions: [], outputs: ['bothered'] }],
])('keeping that nothing be changed is a success where the truth %s', (_what, truth) => {
  const idle = run(pack, conversation(truth, [], { answered: CANNOT }));

  expect([idle.outcome, idle.score]).toEqual(['successful_completion', 1_000_000]);
});

test('a key that nothing reads is named, with the one that was meant', () => {
  const truth = { ...PAID, ouputs: ['31'], answer: '8' };

  expect(changed(conversation(truth, [pay({ amount: 30 })]))).toMatchObject({
    verdict: 'not_applicable',
    undecided: 'absent',
    reason: expect.stringContaining(
      'The truth has `ouputs` (did you mean `outputs`?) and `answer`, which no criterion of the suite reads',
    ),
  });
});

test('a key is read where an expression of the suite reads it', () => {
  const { suite } = readSuite(
    `
suite: own
scope: conversation
criteria:
  - { name: changed_what_it_should, question: Changed?, weight: 0.5, uses: changes_as_expected }
  - { name: amount, question: Amount?, weight: 0.5, check: "truth.?amount.orValue(0) == 30" }
`,
    'own.yaml',
  );
  const paid = (truth: Json) => changed(conversation(truth, [pay({ amount: 30 })]), suite)?.verdict;

  expect(paid({ actions: PAID.actions, amount: 30 })).toBe('pass');
  expect(paid({ actions: PAID.actions, total: 30 })).toBe('not_applicable');
});

test('calls that ran side by side are in no order', () => {
  const truth = { actions: [{ name: 'cancel_order' }, { name: 'pay' }], order: true };
  const beside = [
    aToolCall('pay', { startedAtMs: 1, endedAtMs: 9 }),
    aToolCall('cancel_order', { startedAtMs: 2, endedAtMs: 8 }),
  ];
  const after = [
    aToolCall('pay', { startedAtMs: 1, endedAtMs: 2 }),
    aToolCall('cancel_order', { startedAtMs: 3, endedAtMs: 4 }),
  ];

  expect(changed(conversation(truth, beside))?.verdict).toBe('pass');
  expect(changed(conversation(truth, after))).toMatchObject({
    verdict: 'fail',
    reason: expect.stringContaining('out of the expected order'),
  });
});
