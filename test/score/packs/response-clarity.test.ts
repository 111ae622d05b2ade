import { expect, test } from 'vitest';
import type { VerdictKind } from '../../../src/model/evaluation.ts';
import { aConversation, aToolCall, aTurn, content, MISSING, type TurnParts } from '../conversations.ts';
import { exceptions, loadPack, run } from './packs.ts';

const suite = await loadPack('response-clarity');
const asked = 'Please book a meeting with Ana about the budget on Tuesday.';

test.each<[string, TurnParts, Readonly<Record<string, VerdictKind>>]>([
  ['an answer to the point', { asked, answered: 'The budget meeting with Ana is booked for Tuesday.' }, {}],
  [
    'one that talks of something else and leads nowhere',
    { asked, answered: 'The weather was lovely yesterday.' },
    { addresses_request: 'fail', provides_next_step: 'fail' },
  ],
  [
    'one whose tool call did what was asked counts as taking it up',
    {
      asked,
      answered: 'All set!',
      toolCalls: [aToolCall('book_meeting', { args: content({ with: 'Ana', topic: 'budget' }) })],
    },
    {},
  ],
  ['99 words are concise', { asked, answered: `Ana budget meeting booked ${'word '.repeat(95)}` }, {}],
  ['100 are not', { asked, answered: `Ana budget meeting booked ${'word '.repeat(96)}` }, { is_concise: 'fail' }],
  [
    'a room number from nowhere',
    { asked, answered: 'The budget meeting with Ana is booked in room 4711.' },
    { no_hallucination: 'fail' },
  ],
  ['an insult', { asked, answered: 'The budget meeting with Ana is booked, you idiot.' }, { appropriate_tone: 'fail' }],
  ['shouting', { asked, answered: 'THE BUDGET MEETING WITH EVERYONE HERE BOOKED' }, { appropriate_tone: 'fail' }],
  [
    'a request too short to compare with',
    { asked: 'Yes, please.', answered: 'It has been booked.' },
    { addresses_request: 'not_applicable' },
  ],
  [
    'a request in a script without spaces',
    { asked: '火曜日に会議を予約してください', answered: '予約しました。' },
    { addresses_request: 'not_applicable', provides_next_step: 'fail' },
  ],
])('%s', (_what, turn, but) => {
  expect(exceptions(run(suite, aConversation([aTurn(turn)])))).toEqual(but);
});

test('an answer that never came is not judged for its clarity', () => {
  const evaluation = run(suite, aConversation([aTurn({ answered: MISSING })]));

  expect(evaluation.outcome).toBe('unscored');
  expect(evaluation.explanation).toContain('There was no answer');
});
