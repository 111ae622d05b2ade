import { expect, it } from 'vitest';
import { glanceOf, mergedGlance } from '../../src/engine/conversation-glance.ts';
import type { Turn } from '../../src/model/turn.ts';

/** The turns begin this long after it. */
const NOON = Date.UTC(2025, 5, 1, 12);
const ARRIVED = NOON + 60_000;

/** A turn of which only what a glance sees is given. */
function turn(after: number, asked: string, answered: string): Turn {
  const content = (text: string) => ({ state: text === '' ? 'missing' : 'whole', text, json: text });
  return {
    startedAtMs: NOON + after,
    endedAtMs: NOON + after + 100.5,
    userInput: content(asked),
    finalAnswer: content(answered),
  } as Turn;
}

it('has the first words of the user and the last of the agent, in whatever order turns come', () => {
  const turns = [turn(10, 'Move my call', 'Which one?'), turn(500, 'The one with Ana', 'Moved to 4 pm.')];
  const expected = { beganAtMs: NOON + 10, ceasedAtMs: NOON + 601, asked: 'Move my call', answered: 'Moved to 4 pm.' };

  expect(glanceOf(turns, ARRIVED)).toEqual(expected);
  expect(glanceOf(turns.toReversed(), ARRIVED)).toEqual(expected);
  expect(mergedGlance(glanceOf(turns.slice(1), ARRIVED), glanceOf(turns.slice(0, 1), ARRIVED))).toEqual(expected);
});

it('takes what a later revision of the same turn says', () => {
  const before = glanceOf([turn(10, '', '')], ARRIVED);
  expect(before.asked).toBeUndefined();

  expect(mergedGlance(before, glanceOf([turn(10, 'Move my call', 'Moved.')], ARRIVED))).toMatchObject({
    asked: 'Move my call',
    answered: 'Moved.',
  });
});

it('keeps what was captured where an earlier or a later turn has no text', () => {
  const captured = glanceOf([turn(500, 'hello', 'hi')], ARRIVED);

  expect(mergedGlance(captured, glanceOf([turn(10, '', '')], ARRIVED))).toMatchObject({
    beganAtMs: NOON + 10,
    asked: 'hello',
  });
  expect(mergedGlance(captured, glanceOf([turn(900, '', '')], ARRIVED))).toMatchObject({
    ceasedAtMs: NOON + 1001,
    answered: 'hi',
  });
});

it('is one short line of visible text, of whole characters', () => {
  const { asked, answered } = glanceOf(
    [turn(0, ` a\n\n\tb\u202e\u0007c ${'x'.repeat(9000)}`, '👍'.repeat(5000))],
    ARRIVED,
  );

  expect(asked?.startsWith('a b c xxx')).toBe(true);
  expect([...(asked ?? '')]).toHaveLength(241);
  expect(answered).toBe(`${'👍'.repeat(240)}…`);
});

it('takes the time of arrival where a clock was never set or is far ahead, and keeps that mark', () => {
  const year = 366 * 86_400_000;
  const believed = { beganAtMs: ARRIVED, ceasedAtMs: ARRIVED, isClockWrong: true };
  expect(glanceOf([turn(-NOON, '', '')], ARRIVED)).toEqual(believed);
  expect(glanceOf([turn(100 * year, '', '')], ARRIVED)).toEqual(believed);
  expect(glanceOf([turn(Number.NaN, '', '')], ARRIVED)).toEqual(believed);

  const right = glanceOf([turn(10, '', '')], ARRIVED);
  expect(right).toEqual({ beganAtMs: NOON + 10, ceasedAtMs: NOON + 111 });
  expect(mergedGlance(glanceOf([turn(100 * year, '', '')], ARRIVED), right)).toEqual({
    beganAtMs: NOON + 10,
    ceasedAtMs: ARRIVED,
    isClockWrong: true,
  });
});
