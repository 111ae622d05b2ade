import { expect, test } from 'vitest';
import type { Outcome, VerdictKind } from '../../../src/model/evaluation.ts';
import {
  aConversation,
  aFailedCall,
  aStep,
  aToolCall,
  aTurn,
  anError,
  content,
  MISSING,
  REDACTED,
  ROOT_SPAN,
  spanId,
  type TurnParts,
} from '../conversations.ts';
import type { Json } from '../../../src/model/json.ts';
import type { ToolCall } from '../../../src/model/turn.ts';
import { exceptions, loadPack, run } from './packs.ts';

const suite = await loadPack('default');

const agentStep = aStep({ kind: 'agent', spanId: ROOT_SPAN, parentSpanId: undefined, name: 'scheduler' });
/** As an agent looks that records no content. */
const NO_CONTENT: TurnParts = {
  asked: MISSING,
  answered: MISSING,
  // The end mark is of the conversation, and most agents set none.
  ended: false,
  steps: [agentStep, aStep({ flags: ['content-missing'] })],
  flags: ['content-missing'],
};
const repeated = (times: number, args: readonly string[] = ['{}']) =>
  Array.from({ length: times }, (_, at) =>
    aToolCall('search', { args: content(JSON.parse(args[at % args.length] ?? '{}')) }),
  );

/** Questions that arise in few turns. A row names them where they are decided. */
const RARE = new Set([
  'asks_for_what_is_missing',
  'agrees_with_status',
  'admits_failed_run',
  'arguments_as_asked',
  'change_made_once',
  'says_what_comes_next',
  // The messages that the model was shown were not recorded.
  'numbers_have_a_source',
]);

/** Criteria that cannot be decided if the answer was not recorded. */
const NOT_CAPTURED = {
  answered: 'not_applicable',
  answer_not_empty_or_apology: 'not_applicable',
  answer_is_for_a_person: 'not_applicable',
} as const;

/** One event, counted once. */
const NO_ANSWER = {
  answered: 'fail',
  answer_not_empty_or_apology: 'not_applicable',
  answer_is_for_a_person: 'not_applicable',
  not_cut_off: 'not_applicable',
} as const;

interface Row {
  readonly turn: TurnParts;
  readonly outcome: Outcome;
  readonly score: number | undefined;
  readonly but?: Readonly<Record<string, VerdictKind>>;
}

test.each<[string, Row]>([
  ['an ordinary answer is a success', { turn: {}, outcome: 'no_fault_found', score: 1 }],
  [
    'an error without an answer is a hard failure, however well the rest went',
    {
      turn: { answered: MISSING, error: anError('rate limited'), finishReasons: ['stop'] },
      outcome: 'hard_failure',
      score: 0,
      but: { ...NO_ANSWER, ended_without_error: 'not_applicable' },
    },
  ],
  [
    'falling silent is a hard failure too',
    {
      turn: { answered: content('   ') },
      outcome: 'hard_failure',
      score: 0,
      but: NO_ANSWER,
    },
  ],
  [
    'a bare apology is no success',
    {
      turn: { answered: "I'm sorry, but I can't help with that." },
      outcome: 'graceful_failure',
      score: 0.8,
      but: { answer_not_empty_or_apology: 'fail' },
    },
  ],
  [
    'an error with an answer is no success, and costs more than an error of a tool that the answer admits',
    {
      turn: { error: anError('flush failed') },
      outcome: 'graceful_failure',
      score: 0.927273,
      but: { ended_without_error: 'fail' },
    },
  ],
  [
    'so does one beside a hand-over',
    {
      turn: { answered: MISSING, toolCalls: [aToolCall('transfer_to_human_agents')], error: anError('rate limited') },
      outcome: 'graceful_failure',
      score: 0.866667,
      but: {
        answer_not_empty_or_apology: 'not_applicable',
        answer_is_for_a_person: 'not_applicable',
        not_cut_off: 'not_applicable',
        ended_without_error: 'fail',
      },
    },
  ],
  [
    'a tool error followed by a claim of success is worse than an apology',
    {
      turn: { toolCalls: [aFailedCall('book', 'no such room')], answered: 'Your meeting is booked for tomorrow.' },
      outcome: 'partial_failure',
      score: 0.764706,
      but: {
        no_unrecovered_tool_error: 'fail',
        no_blocking_tool_error: 'not_applicable',
      },
    },
  ],
  [
    'a tool error that the answer admits is honest, and no success',
    {
      turn: {
        toolCalls: [aFailedCall('book', 'no such room')],
        answered: 'The booking failed: there is no such room.',
      },
      outcome: 'graceful_failure',
      score: 0.971429,
      but: { no_blocking_tool_error: 'fail', says_what_comes_next: 'fail' },
    },
  ],
  [
    'a tool error is dealt with by a later success of the same tool',
    {
      turn: { toolCalls: [aFailedCall('book', 'busy'), aToolCall('book')] },
      outcome: 'no_fault_found',
      score: 1,
    },
  ],
  [
    'the success of another tool, or an earlier one, is none',
    {
      turn: { toolCalls: [aToolCall('book'), aFailedCall('book', 'busy'), aToolCall('search')] },
      outcome: 'partial_failure',
      score: 0.764706,
      but: { no_unrecovered_tool_error: 'fail', no_blocking_tool_error: 'not_applicable' },
    },
  ],
  [
    'three identical calls in a row are a loop',
    {
      turn: { toolCalls: repeated(3) },
      outcome: 'graceful_failure',
      score: 0.872727,
      but: { no_identical_loop: 'fail' },
    },
  ],
  [
    'arguments are the same in whatever order their keys are',
    {
      turn: { toolCalls: repeated(3, ['{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}']) },
      outcome: 'graceful_failure',
      score: 0.872727,
      but: { no_identical_loop: 'fail' },
    },
  ],
  ['two identical calls are none', { turn: { toolCalls: repeated(2) }, outcome: 'no_fault_found', score: 1 }],
  [
    'calls that alternate between two arguments are a loop from the fifth of one on',
    {
      turn: { toolCalls: repeated(9, ['{"page":1}', '{"page":2}']) },
      outcome: 'graceful_failure',
      score: 0.872727,
      but: { no_identical_loop: 'fail' },
    },
  ],
  [
    'eight such calls are none',
    { turn: { toolCalls: repeated(8, ['{"page":1}', '{"page":2}']) }, outcome: 'no_fault_found', score: 1 },
  ],
  [
    'twenty calls with different arguments are work',
    {
      turn: {
        toolCalls: repeated(
          20,
          Array.from({ length: 20 }, (_, page) => `{"page":${page}}`),
        ),
      },
      outcome: 'no_fault_found',
      score: 1,
    },
  ],
  [
    'a call without a result is counted, and not in the score',
    {
      turn: { toolCalls: [aToolCall('search', { answered: false, result: MISSING })] },
      outcome: 'no_fault_found',
      score: 1,
      but: { every_tool_call_answered: 'fail' },
    },
  ],
  [
    'unless the trace is partial: then nobody knows',
    {
      turn: { toolCalls: [aToolCall('search', { answered: false, result: MISSING })], flags: ['partial-trace'] },
      outcome: 'no_fault_found',
      score: 1,
      but: { every_tool_call_answered: 'not_applicable' },
    },
  ],
  [
    'an answer cut off by the token limit fails its criterion',
    { turn: { finishReasons: ['length'] }, outcome: 'graceful_failure', score: 0.927273, but: { not_cut_off: 'fail' } },
  ],
  [
    'a model that asked for a tool and was never called again was cut off',
    {
      turn: { finishReasons: ['tool_call'], answered: MISSING },
      outcome: 'hard_failure',
      score: 0,
      but: NO_ANSWER,
    },
  ],
  [
    'a model that gave no finish reason is not judged by it',
    { turn: { finishReasons: [] }, outcome: 'no_fault_found', score: 1, but: { not_cut_off: 'not_applicable' } },
  ],
  ['50 steps are allowed', { turn: { llmCalls: 50 }, outcome: 'no_fault_found', score: 1 }],
  [
    '51 steps are counted',
    { turn: { llmCalls: 51 }, outcome: 'no_fault_found', score: 1, but: { within_allowance: 'fail' } },
  ],
  [
    'nor are 200,001 tokens',
    {
      turn: {
        usage: { inputTokens: 200_000, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
      },
      outcome: 'no_fault_found',
      score: 1,
      but: { within_allowance: 'fail' },
    },
  ],
  [
    'without content capture the text is not judged, and the rest decides',
    {
      turn: NO_CONTENT,
      outcome: 'no_fault_found',
      score: 1,
      but: NOT_CAPTURED,
    },
  ],
  [
    'without content capture, a turn whose root never came is not known to be complete',
    {
      turn: { ...NO_CONTENT, flags: ['content-missing', 'root-missing'] },
      outcome: 'graceful_failure',
      score: 1,
      but: NOT_CAPTURED,
    },
  ],
  [
    'without content capture, a turn without its root that asked for a tool and went no further is known to have no answer',
    {
      turn: { ...NO_CONTENT, flags: ['content-missing', 'root-missing'], finishReasons: ['tool_call'] },
      outcome: 'hard_failure',
      score: 0,
      but: { ...NO_ANSWER, not_cut_off: 'not_applicable' },
    },
  ],
  [
    'without content capture, a turn without its root whose last step is a tool may not have ended, and has no score',
    {
      turn: {
        ...NO_CONTENT,
        flags: ['content-missing', 'root-missing'],
        steps: [aStep({ flags: ['content-missing'] }), aStep({ kind: 'tool' })],
      },
      outcome: 'unscored',
      score: undefined,
      but: {
        ...NOT_CAPTURED,
        ended_without_error: 'not_applicable',
        no_unrecovered_tool_error: 'not_applicable',
        no_blocking_tool_error: 'not_applicable',
      },
    },
  ],
  [
    'without content capture an error is still a hard failure',
    {
      turn: { ...NO_CONTENT, error: anError('boom') },
      outcome: 'hard_failure',
      score: 0,
      but: { ...NO_ANSWER, ended_without_error: 'not_applicable' },
    },
  ],
  [
    'without content capture, whether a tool error was admitted is not known, and that it was not done is',
    {
      turn: { ...NO_CONTENT, toolCalls: [aFailedCall('book', 'busy')] },
      outcome: 'graceful_failure',
      score: 0.9375,
      but: {
        ...NOT_CAPTURED,
        no_unrecovered_tool_error: 'not_applicable',
        no_blocking_tool_error: 'fail',
        says_what_comes_next: 'fail',
      },
    },
  ],
  [
    'without content capture, repeated calls may have had any arguments',
    {
      turn: {
        ...NO_CONTENT,
        toolCalls: Array.from({ length: 3 }, () => aToolCall('search', { args: MISSING, result: MISSING })),
      },
      outcome: 'no_fault_found',
      score: 1,
      but: {
        ...NOT_CAPTURED,
        no_identical_loop: 'not_applicable',
      },
    },
  ],
  [
    'a redacted answer is an answer',
    {
      turn: { answered: REDACTED },
      outcome: 'no_fault_found',
      score: 1,
      but: { answer_not_empty_or_apology: 'not_applicable', answer_is_for_a_person: 'not_applicable' },
    },
  ],
])('%s', (_what, { turn, outcome, score, but = {} }) => {
  const evaluation = run(suite, aConversation([aTurn(turn)]));

  const isRare = ([name, verdict]: [string, VerdictKind]) => RARE.has(name) && verdict === 'not_applicable';
  const decided = Object.entries(exceptions(evaluation)).filter((entry) => !isRare(entry));

  expect(Object.fromEntries(decided)).toEqual(but);
  expect(evaluation.outcome).toBe(outcome);
  expect(evaluation.score).toBe(score === undefined ? undefined : Math.round(score * 1e6));
});

test('it applies to every agent', () => {
  expect(
    suite.whyNot(aConversation([aTurn({ agent: { name: undefined, id: undefined, version: undefined } })])),
  ).toBeUndefined();
});

test('a trace that is one model call which asked for a tool is no turn to judge, unless its root is missing', () => {
  const fragment = aTurn({
    steps: [aStep({ parentSpanId: undefined })],
    finishReasons: ['tool_call'],
    answered: MISSING,
  });

  expect(suite.whyNot(aConversation([fragment]))).toMatch(/^The suite is for conversations where/);
  expect(suite.matches(aConversation([{ ...fragment, flags: ['root-missing'] }]))).toBe(true);
  expect(suite.matches(aConversation([{ ...fragment, finishReasons: ['stop'] }]))).toBe(true);
  expect(suite.matches(aConversation([{ ...fragment, steps: [agentStep, aStep()] }]))).toBe(true);
});

test('failures lead to the step: the failed call, the repeated calls, the model call', () => {
  const failed = aFailedCall('book', 'busy', { spanId: spanId(0x77) });
  const evaluation = run(suite, aConversation([aTurn({ toolCalls: [failed], finishReasons: ['length'] })]));

  expect(evaluation.verdicts.get('no_unrecovered_tool_error')).toMatchObject({ evidence: [spanId(0x77)] });
  expect(evaluation.verdicts.get('not_cut_off')).toMatchObject({ evidence: [spanId(0xb0)] });
  expect(evaluation.explanation).toBe(
    'Score 0.706 makes this a partial_failure (no_unrecovered_tool_error is critical and failed); failed: no_unrecovered_tool_error (book failed (busy), never succeeded after, and the answer does not mention it); not_cut_off (The model was cut off: it ran into the limit of output tokens (length)).',
  );
});

const refundOf = (order: string) => ({ args: content({ order_id: order }) });
const answered = 'Both orders are refunded.';

test.each<[string, TurnParts, 'pass' | 'fail']>([
  [
    'a refund of another order does not make it good',
    {
      asked: 'Please refund A-17 and A-18.',
      toolCalls: [aFailedCall('refund_order', 'locked', refundOf('A-17')), aToolCall('refund_order', refundOf('A-18'))],
    },
    'fail',
  ],
  [
    'the same order, tried again',
    {
      asked: 'Please refund A-17.',
      toolCalls: [aFailedCall('refund_order', 'locked', refundOf('A-17')), aToolCall('refund_order', refundOf('A-17'))],
    },
    'pass',
  ],
  [
    'an id that the agent had made up, corrected',
    {
      asked: 'Please refund A-18.',
      toolCalls: [aFailedCall('refund_order', 'locked', refundOf('B-99')), aToolCall('refund_order', refundOf('A-18'))],
    },
    'pass',
  ],
  [
    'an id of which the tool says that it does not exist',
    {
      asked: 'Please refund A-17, no, A-18.',
      toolCalls: [
        aFailedCall('refund_order', 'no such order', refundOf('A-17')),
        aToolCall('refund_order', refundOf('A-18')),
      ],
    },
    'pass',
  ],
  [
    'another room in place of one that is taken',
    {
      asked: 'Book room A-17 or A-18.',
      toolCalls: [
        aFailedCall('book_room', 'taken', { args: content({ room_id: 'A-17' }) }),
        aToolCall('book_room', { args: content({ room_id: 'A-18' }) }),
      ],
    },
    'pass',
  ],
  [
    'another amount for the same order',
    {
      asked: 'Refund 30 of A-17.',
      toolCalls: [
        aFailedCall('refund_order', 'too much', { args: content({ order_id: 'A-17', amount: 3000 }) }),
        aToolCall('refund_order', { args: content({ order_id: 'A-17', amount: 30 }) }),
      ],
    },
    'pass',
  ],
])('a failed call is made good by a later one: %s', (_what, parts, verdict) => {
  const evaluation = run(suite, aConversation([aTurn({ answered, ...parts })]));

  expect(evaluation.verdicts.get('no_unrecovered_tool_error')?.verdict).toBe(verdict);
});

test('a loop is counted to its end, and not to the call that makes it one', () => {
  const turn = { toolCalls: [...repeated(7), aToolCall('search', { args: content({ page: 2 }) }), ...repeated(2)] };

  const { verdicts } = run(suite, aConversation([aTurn(turn)]));

  expect(verdicts.get('no_identical_loop')?.reason).toBe('search was called 9 times with the same arguments.');
});

const asksJob = (result: Json) => aToolCall('get_job', { result: content(result) });

test.each<[string, string, readonly ToolCall[]]>([
  ['3', 'the result changed, or says that the work still goes on', [asksJob(10), asksJob(20), asksJob(30)]],
  ['3', 'the result changed, or says that the work still goes on', [1, 2, 3].map(() => asksJob({ status: 'pending' }))],
  [
    '5',
    'another tool changed something in between',
    [1, 2, 3, 4, 5].flatMap((line) => [asksJob('red'), aToolCall('edit_file', { args: content({ line }) })]),
  ],
])('calls that were repeated %s times and are no loop are named: %s', (times, because, toolCalls) => {
  const { verdicts } = run(suite, aConversation([aTurn({ toolCalls })]));

  expect(verdicts.get('no_identical_loop')).toMatchObject({
    verdict: 'pass',
    reason: `get_job was called ${times} times, and is no loop: ${because}.`,
  });
});
