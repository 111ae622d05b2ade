import { expect, test } from 'vitest';
import { grounded } from '../../../src/score/checks/grounded.ts';
import { subjectOf } from '../../../src/score/subject/subject.ts';
import type { Answer } from '../../../src/score/subject/answer.ts';
import { aConversation, aStep, aToolCall, aTurn, content, type TurnParts } from '../conversations.ts';

const check = grounded.make({});

function ask(answered: string, parts: TurnParts = {}): Answer {
  const turn = aTurn({
    asked: 'Book a meeting with Ana on March 2 at 10.',
    toolCalls: [
      aToolCall('book_meeting', {
        args: content({ date: '2026-03-02' }),
        result: content({ id: 'MTG-4821', room: 'Blue', starts: '2026-03-02T14:30', price: 1200.5 }),
      }),
    ],
    ...parts,
    answered,
  });
  return check(subjectOf(aConversation([turn]), undefined));
}

test.each([
  ['Booked: MTG-4821, on March 2 at 14:30, in Blue.'],
  ['Ana is invited for 2:30 PM on Monday, 2026-03-02.'],
  ['It costs 1,200.50 in all. I found 3 rooms.'],
  ['1. Ana is invited\n2. The room is Blue'],
  ['Done! Your meeting is set.'],
  ['MEETING booked for ana.'],
])('everything comes from somewhere: %s', (answer) => {
  expect(ask(answer)).toMatchObject({ pass: true });
});

test.each([
  ['I booked it with Carol.', '"Carol"'],
  ['It is booked as MTG-9999.', '"MTG-9999"'],
  ['It starts at 16:45.', '"16", "45"'],
  ['It is on the 2nd of April.', '"April"'],
  ['It is on 2026-03-05.', '"2026-03-05"'],
  ['It is on 2026-02-03.', '"2026-02-03"'],
  ['Write to help@example.com.', '"help@example.com"'],
  ['It takes 45 minutes and seats 99, 98, 97 people.', '"45", "99", "98" and 1 more'],
])('it was made up: %s', (answer, what) => {
  expect(ask(answer)).toMatchObject({
    pass: false,
    reason: `Nothing in the conversation or the tool results says ${what}.`,
  });
});

test.each(['March 2nd', '2 March', 'the 2nd of March', 'Mar 2', '3/2', '02.03.2026', '2026/03/02', '20260302'])(
  'a date is grounded by the same day in other words: %s',
  (said) => {
    const other = (asked: string) => ask('It is on 2026-03-02.', { asked, toolCalls: [] });

    expect(other(`Come on ${said}, please.`)).toMatchObject({ pass: true });
    expect(other(`Come on ${said.replaceAll('2', '4')}, please.`)).toMatchObject({ pass: false });
  },
);

test('in plain talk names are not looked at, and numbers are', () => {
  expect(ask('The capital is Paris.', { toolCalls: [] })).toMatchObject({ pass: true });
  expect(ask('It has 2,100,000 people.', { toolCalls: [] })).toMatchObject({ pass: false });
});

test('what the model was told in its messages is a source', () => {
  const call = aStep({
    messagesIn: [
      {
        role: 'system',
        name: undefined,
        finishReason: undefined,
        parts: [{ type: 'text', text: 'Our office is at Elm Street 451.' }],
      },
    ],
  });

  expect(ask('Come to Elm Street 451.', { steps: [call] })).toMatchObject({ pass: true });
});

test('what a failed call was asked for is no source, and its error message is', () => {
  const failed = aToolCall('pay', {
    args: content({ sum: 777 }),
    error: { type: 'E', message: 'limit is 555', source: 'status' },
  });

  expect(ask('I paid 777.', { toolCalls: [failed] })).toMatchObject({ pass: false });
  expect(ask('The limit is 555.', { toolCalls: [failed] })).toMatchObject({ pass: true });
});

test('texts of any size and make are read in bounded time', () => {
  const startedAt = performance.now();

  ask(`${'A1-'.repeat(20_000)} ${'9,999'.repeat(20_000)} ${"X'".repeat(20_000)} ${'a@b.'.repeat(10_000)}`);
  ask('Ana 10', { toolCalls: [aToolCall('t', { result: content('1,'.repeat(1_000_000)) })] });

  expect(performance.now() - startedAt).toBeLessThan(3000);
});
