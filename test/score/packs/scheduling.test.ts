import { expect, test } from 'vitest';
import type { Outcome, VerdictKind } from '../../../src/model/evaluation.ts';
import type { Json } from '../../../src/model/json.ts';
import type { Content } from '../../../src/model/step.ts';
import type { ToolCall } from '../../../src/model/turn.ts';
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
  spanId,
  type TurnParts,
} from '../conversations.ts';
import { exceptions, loadPack, run } from './packs.ts';

const suite = await loadPack('scheduling');

const TRUTH = { participants: ['ana', 'bob'], time: '2026-03-02T10:00' };
const EVENT = { participants: ['bob', 'ana'], time: '2026-03-02T10:00', duration: 30 };

function state(context: Readonly<Record<string, Json>>, stage = 'completed'): Json {
  return {
    conversation_stage: stage,
    scheduling_context: { booking_confirmed: true, booked_event: EVENT, ...context },
  };
}
const NOT_BOOKED = { booking_confirmed: false, booked_event: null };
const ALL_WRONG = { correct_participants: 'fail', correct_time: 'fail', correct_duration: 'fail' } as const;

const NOT_KNOWN = {
  correct_participants: 'not_applicable',
  correct_time: 'not_applicable',
  correct_duration: 'not_applicable',
} as const;

function aBooking(result: Json | Content, args: Json = EVENT): ToolCall {
  const isContent = typeof result === 'object' && result !== null && 'state' in result && 'json' in result;
  // The cast holds: no result here has both members and is none.
  return aToolCall('book_meeting', { args: content(args), result: isContent ? (result as Content) : content(result) });
}

interface Row {
  readonly turn: TurnParts;
  readonly outcome: Outcome;
  readonly score: number | undefined;
  readonly but?: Readonly<Record<string, VerdictKind>>;
  /** Another meeting was booked than was asked for. */
  readonly isOther?: true;
}

test.each<[string, Row]>([
  [
    'the right meeting, explained, is a success',
    { turn: { state: state({}), truth: TRUTH }, outcome: 'successful_completion', score: 1 },
  ],
  [
    'the right meeting without an explanation is still one',
    {
      turn: { state: state({}), truth: TRUTH, answered: 'Done.' },
      outcome: 'successful_completion',
      score: 0.8,
      but: { clear_explanation: 'fail' },
    },
  ],
  [
    'the wrong time is a hard failure',
    {
      turn: { state: state({ booked_event: { ...EVENT, time: '2026-03-02T11:00' } }), truth: TRUTH },
      outcome: 'hard_failure',
      score: 0,
      isOther: true,
      but: { correct_time: 'fail' },
    },
  ],
  [
    'the wrong time and length are, too',
    {
      turn: { state: state({ booked_event: { ...EVENT, time: 'x', duration: 60 } }), truth: TRUTH },
      outcome: 'hard_failure',
      score: 0,
      isOther: true,
      but: { correct_time: 'fail', correct_duration: 'fail' },
    },
  ],
  [
    'a person too many is one',
    {
      turn: { state: state({ booked_event: { ...EVENT, participants: ['ana', 'bob', 'eve'] } }), truth: TRUTH },
      outcome: 'hard_failure',
      score: 0,
      isOther: true,
      but: { correct_participants: 'fail' },
    },
  ],
  [
    'wrong people and wrong time are one, however well explained',
    {
      turn: { state: state({ booked_event: { ...EVENT, participants: ['eve'], time: 'x' } }), truth: TRUTH },
      outcome: 'hard_failure',
      score: 0,
      isOther: true,
      but: { correct_participants: 'fail', correct_time: 'fail' },
    },
  ],
  [
    'the truth may say how long',
    {
      turn: { state: state({ booked_event: { ...EVENT, duration: 45 } }), truth: { ...TRUTH, duration: 45 } },
      outcome: 'successful_completion',
      score: 1,
    },
  ],
  [
    'no booking, a conflict, other times offered and explained: 0.40, and the user knows where they stand',
    {
      turn: { state: state({ ...NOT_BOOKED, conflicts: ['busy'], proposed_alternatives: ['11:00'] }), truth: TRUTH },
      outcome: 'graceful_failure',
      score: 0.4,
      but: ALL_WRONG,
    },
  ],
  [
    'no booking, a conflict, and nothing offered or said: the hard failure',
    {
      turn: { state: state({ ...NOT_BOOKED, conflicts: ['busy'] }, 'failed'), truth: TRUTH, answered: 'Sorry.' },
      outcome: 'hard_failure',
      score: 0,
      but: { ...ALL_WRONG, explored_alternatives: 'fail', clear_explanation: 'fail' },
    },
  ],
  [
    'a silent crash is a hard failure, and fails its explanation',
    {
      turn: { state: state(NOT_BOOKED, 'failed'), truth: TRUTH, answered: MISSING, error: anError('boom') },
      outcome: 'hard_failure',
      score: 0,
      but: { ...ALL_WRONG, clear_explanation: 'fail' },
    },
  ],
  [
    'an answer of 20 characters explains nothing',
    {
      turn: { state: state({}), truth: TRUTH, answered: 'x'.repeat(20) },
      outcome: 'successful_completion',
      score: 0.8,
      but: { clear_explanation: 'fail' },
    },
  ],
  [
    'one of 21 may',
    { turn: { state: state({}), truth: TRUTH, answered: 'x'.repeat(21) }, outcome: 'successful_completion', score: 1 },
  ],
  [
    'without a truth, what was booked is not judged, and too little is left',
    {
      turn: { state: state({}) },
      outcome: 'successful_completion',
      score: 1,
      but: { correct_participants: 'not_applicable', correct_time: 'not_applicable' },
    },
  ],
  [
    'without a truth, a booking that never came is still a failure',
    { turn: { state: state(NOT_BOOKED) }, outcome: 'partial_failure', score: 0.4, but: ALL_WRONG },
  ],
  [
    'without a state, the last successful booking counts: its result',
    {
      turn: {
        truth: TRUTH,
        toolCalls: [
          aToolCall('book_meeting', { result: content({ ...EVENT, time: 'x' }) }),
          aToolCall('book_meeting', { result: content(EVENT) }),
          aFailedCall('book_meeting', 'busy'),
        ],
      },
      outcome: 'successful_completion',
      score: 1,
    },
  ],
  [
    'or its arguments, where the tool only says ok',
    {
      turn: { truth: TRUTH, toolCalls: [aToolCall('book_meeting', { args: content(EVENT), result: content('ok') })] },
      outcome: 'successful_completion',
      score: 1,
    },
  ],
  [
    'without a state, a booking that failed is none',
    {
      turn: { truth: TRUTH, toolCalls: [aFailedCall('book_meeting', 'busy')] },
      outcome: 'partial_failure',
      score: 0.4,
      but: ALL_WRONG,
    },
  ],
  [
    'nor is one whose result says that it failed',
    {
      turn: { truth: TRUTH, toolCalls: [aBooking({ status: 'failed', detail: 'calendar is down' })] },
      outcome: 'partial_failure',
      score: 0.4,
      but: ALL_WRONG,
    },
  ],
  [
    'as the part of a result can say that was not cut off',
    {
      turn: {
        truth: TRUTH,
        toolCalls: [aBooking(content({ status: 'failed', detail: 'calendar is d' }, 'truncated'))],
      },
      outcome: 'partial_failure',
      score: 0.4,
      but: ALL_WRONG,
    },
  ],
  [
    'a booking that failed and was made again is one',
    {
      turn: { truth: TRUTH, toolCalls: [aBooking({ success: false }), aBooking({ status: 'ok' })] },
      outcome: 'successful_completion',
      score: 1,
    },
  ],
  ...[MISSING, content({ detail: 'x' }, 'truncated')].map((result): [string, Row] => [
    `whether a result says so is not known where it is ${result.state}`,
    {
      turn: { truth: TRUTH, toolCalls: [aBooking(result)] },
      outcome: 'unscored',
      score: undefined,
      but: NOT_KNOWN,
    },
  ]),
  [
    'a state is not believed where every booking failed',
    {
      turn: { state: state({}), truth: TRUTH, toolCalls: [aBooking({ status: 'FAILED' })] },
      outcome: 'partial_failure',
      score: 0.4,
      but: ALL_WRONG,
    },
  ],
  [
    'not even where the step says so',
    {
      turn: { state: state({}), truth: TRUTH, toolCalls: [aFailedCall('book_meeting', 'busy')] },
      outcome: 'partial_failure',
      score: 0.4,
      but: ALL_WRONG,
    },
  ],
  [
    'unless something was done after it, which may have booked',
    {
      turn: { state: state({}), truth: TRUTH, toolCalls: [aBooking({ status: 'failed' }), aToolCall('create_event')] },
      outcome: 'successful_completion',
      score: 1,
    },
  ],
  [
    'or one of them is not known to have failed',
    {
      turn: { state: state({}), truth: TRUTH, toolCalls: [aBooking(REDACTED), aBooking({ status: 'failed' })] },
      outcome: 'successful_completion',
      score: 1,
    },
  ],
  ...[{}, { state: state({}) }].map((turn): [string, Row] => [
    `the same meeting twice is not the right time, ${turn.state === undefined ? 'without a state' : 'whatever the state says'}`,
    {
      turn: {
        ...turn,
        truth: TRUTH,
        toolCalls: [aBooking('ok'), aBooking('ok', { ...EVENT, participants: ['ana', 'bob'] })],
      },
      outcome: 'hard_failure',
      score: 0,
      isOther: true,
      but: { correct_time: 'fail' },
    },
  ]),
  [
    'it is one meeting where the tool gives both one id',
    {
      turn: { truth: TRUTH, toolCalls: [aBooking({ meeting_id: 'm1' }), aBooking({ meeting_id: 'm1' })] },
      outcome: 'successful_completion',
      score: 1,
    },
  ],
  [
    'and two where it gives two',
    {
      turn: { truth: TRUTH, toolCalls: [aBooking({ meeting_id: 'm1' }), aBooking({ meeting_id: 'm2' })] },
      outcome: 'hard_failure',
      score: 0,
      isOther: true,
      but: { correct_time: 'fail' },
    },
  ],
  [
    'another meeting is no second one, and neither is one whose first was called off',
    {
      turn: {
        truth: TRUTH,
        toolCalls: [
          aBooking('ok', { ...EVENT, time: 'x' }),
          aBooking('ok'),
          aToolCall('cancel_meeting'),
          aBooking('ok'),
        ],
      },
      outcome: 'successful_completion',
      score: 1,
    },
  ],
  [
    'whether it was booked twice is not known where a result was not recorded',
    {
      turn: { truth: TRUTH, toolCalls: [aBooking(MISSING), aBooking('ok')] },
      outcome: 'successful_completion',
      score: 1,
      but: { correct_time: 'not_applicable' },
    },
  ],
  [
    'without a state, a slot that was not free is a conflict',
    {
      turn: { truth: TRUTH, toolCalls: [aToolCall('check_availability', { result: content({ available: false }) })] },
      outcome: 'partial_failure',
      score: 0.2,
      but: { ...ALL_WRONG, explored_alternatives: 'fail' },
    },
  ],
  [
    'and alternatives that could not be found are none',
    {
      turn: {
        truth: TRUTH,
        toolCalls: [
          aToolCall('check_availability', { result: content({ available: false }) }),
          aToolCall('propose_alternatives', { result: content({ error: 'calendar is down' }) }),
        ],
      },
      outcome: 'partial_failure',
      score: 0.2,
      but: { ...ALL_WRONG, explored_alternatives: 'fail' },
    },
  ],
  [
    'and other times may be offered by a tool',
    {
      turn: {
        truth: TRUTH,
        toolCalls: [
          aToolCall('check_availability', { result: content({ available: false }) }),
          aToolCall('propose_alternatives', { result: content(['11:00']) }),
        ],
      },
      outcome: 'graceful_failure',
      score: 0.4,
      but: ALL_WRONG,
    },
  ],
  [
    'what was redacted is not judged',
    {
      turn: {
        truth: TRUTH,
        answered: REDACTED,
        toolCalls: [aToolCall('book_meeting', { args: REDACTED, result: REDACTED })],
      },
      outcome: 'unscored',
      score: undefined,
      but: {
        correct_participants: 'not_applicable',
        correct_time: 'not_applicable',
        correct_duration: 'not_applicable',
        clear_explanation: 'not_applicable',
      },
    },
  ],
])('%s', (_what, { turn, outcome, score, but = {}, isOther = false }) => {
  const conversation = aConversation([aTurn(turn)]);

  const evaluation = run(suite, conversation);

  expect(suite.whyNot(conversation)).toBeUndefined();
  const { nothing_else_booked: other, ...others } = exceptions(evaluation);
  expect(others).toEqual(but);
  expect(other === 'fail').toBe(isOther);
  expect(evaluation.score).toBe(score === undefined ? undefined : Math.round(score * 1e6));
  expect(evaluation.outcome).toBe(outcome);
});

test('it is not for agents that schedule nothing', () => {
  const conversation = aConversation([
    aTurn({ toolCalls: [aToolCall('search_web')], state: { stage: 'done' }, truth: { label: 'good' } }),
  ]);

  expect(suite.whyNot(conversation)).toMatch(/^The suite is for conversations where tool_calls\.exists/);
});

test('a failure says what was booked and what was asked for, and leads to the booking', () => {
  const booking = aToolCall('book_meeting', { spanId: spanId(0x99) });
  const recorder = aStep({ spanId: spanId(0x98), marks: { ended: true, state: {}, truth: undefined } });
  const turn = aTurn({
    state: state({ booked_event: { ...EVENT, time: '11:00' } }),
    truth: TRUTH,
    toolCalls: [booking],
    steps: [aStep(), recorder],
  });

  const { verdicts } = run(suite, aConversation([turn]));

  expect(verdicts.get('correct_time')).toEqual({
    verdict: 'fail',
    reason: 'Another time was booked than asked for: booked 11:00, asked for 2026-03-02T10:00.',
    evidence: [spanId(0x99)],
  });
  const withoutCall = run(suite, aConversation([{ ...turn, toolCalls: [] }])).verdicts.get('correct_time');
  expect(withoutCall).toMatchObject({ evidence: [spanId(0x98)] });
});
