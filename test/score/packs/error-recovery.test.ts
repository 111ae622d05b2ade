import { expect, test } from 'vitest';
import type { Outcome, VerdictKind } from '../../../src/model/evaluation.ts';
import {
  aConversation,
  aFailedCall,
  aStep,
  aToolCall,
  aTurn,
  anError,
  MISSING,
  spanId,
  type TurnParts,
} from '../conversations.ts';
import { exceptions, loadPack, run } from './packs.ts';

const suite = await loadPack('error-recovery');

const failedStep = aStep({
  kind: 'tool',
  name: 'book',
  spanId: spanId(0x55),
  error: anError('room is taken'),
  startedAtMs: 1000,
  endedAtMs: 1001,
});
const steps = [aStep(), failedStep];
const failed = aFailedCall('book', 'room is taken', { spanId: spanId(0x55), startedAtMs: 1000, endedAtMs: 1001 });

interface Row {
  readonly turns: readonly TurnParts[];
  readonly outcome: Outcome;
  readonly score: number;
  readonly but?: Readonly<Record<string, VerdictKind>>;
}

test.each<[string, Row]>([
  [
    'told, asked and helped: all of the weight there is',
    {
      turns: [
        {
          steps,
          toolCalls: [failed],
          answered: 'The room is taken, so the booking failed. Which other room would you like?',
        },
      ],
      outcome: 'no_fault_found',
      score: 1_000_000,
    },
  ],
  [
    'recovered by itself: nothing to ask the user',
    {
      turns: [{ steps, toolCalls: [failed, aToolCall('book', { startedAtMs: 1002 })], answered: 'It is booked.' }],
      outcome: 'no_fault_found',
      score: 1_000_000,
      but: { requested_clarification: 'not_applicable', actionable_message: 'not_applicable' },
    },
  ],
  [
    'a claim of success in spite of it',
    {
      turns: [{ steps, toolCalls: [failed], answered: 'It is booked.' }],
      outcome: 'partial_failure',
      score: 210_526,
      but: { detected_error: 'fail', requested_clarification: 'fail', actionable_message: 'fail' },
    },
  ],
  [
    'an apology that leaves the user alone',
    {
      turns: [{ steps, toolCalls: [failed], answered: 'Sorry, that failed.' }],
      outcome: 'graceful_failure',
      score: 526_316,
      but: { requested_clarification: 'fail', actionable_message: 'fail' },
    },
  ],
  [
    'a crash',
    {
      turns: [{ steps, toolCalls: [failed], answered: MISSING, error: anError('room is taken') }],
      outcome: 'hard_failure',
      score: 0,
      but: {
        detected_error: 'fail',
        requested_clarification: 'fail',
        actionable_message: 'fail',
        no_hallucination: 'not_applicable',
        no_crash: 'fail',
      },
    },
  ],
  [
    'asked one turn later',
    {
      turns: [
        { steps, toolCalls: [failed], answered: 'The booking failed.' },
        { answered: 'Shall I look for another room?' },
      ],
      outcome: 'no_fault_found',
      score: 1_000_000,
    },
  ],
])('%s', (_what, { turns, outcome, score, but = {} }) => {
  const conversation = aConversation(turns.map(aTurn));

  const evaluation = run(suite, conversation);

  expect(suite.whyNot(conversation)).toBeUndefined();
  expect(exceptions(evaluation)).toEqual(but);
  expect([evaluation.score, evaluation.outcome]).toEqual([score, outcome]);
});

test('it is not for conversations in which nothing went wrong', () => {
  expect(suite.whyNot(aConversation())).toMatch(/^The suite is for conversations where steps\.exists/);
});

test('a failure leads to the step that went wrong', () => {
  const { verdicts } = run(suite, aConversation([aTurn({ steps, toolCalls: [failed], answered: 'It is booked.' })]));

  expect(verdicts.get('detected_error')).toEqual({
    verdict: 'fail',
    reason: 'book failed, and nothing the agent did or said shows that it noticed.',
    evidence: [spanId(0x55)],
  });
});
