import { expect, it } from 'vitest';
import { glanceOf, mergedGlance } from '../../src/engine/conversation-glance.ts';
import type { Turn } from '../../src/model/turn.ts';

/** A turn of which only what a glance sees is given. */
function turn(startedAtMs: number, asked: string, answered: string): Turn {
  const content = (text: string) => ({ state: text === '' ? 'missing' : 'whole', text, json: text });
  return {
    startedAtMs,
    endedAtMs: startedAtMs + 100.5,
    userInput: content(asked),
    finalAnswer: content(answered),
  } as Turn;
}

it('has the first words of the user and the last of the agent, in whatever order turns come', () => {
  const turns = [turn(10, 'Move my call', 'Which one?'), turn(500, 'The one with Ana', 'Moved to 4 pm.')];
  const expected = { beganAtMs: 10, ceasedAtMs: 601, asked: 'Move my call', answered: 'Moved to 4 pm.' };

  expect(glanceOf(turns)).toEqual(expected);
  expect(glanceOf(turns.toReversed())).toEqual(expected);
  expect(mergedGlance(glanceOf(turns.slice(1)), glanceOf(turns.slice(0, 1)))).toEqual(expected);
});

it('takes what a later revision of the same turn says', () => {
  const before = glanceOf([turn(10, '', '')]);
  expect(before.asked).toBeUndefined();

  expect(mergedGlance(before, glanceOf([turn(10, 'Move my call', 'Moved.')]))).toMatchObject({
    asked: 'Move my call',
    answered: 'Moved.',
  });
});

it('keeps what was captured where an earlier or a later turn has no text', () => {
  const captured = glanceOf([turn(500, 'hello', 'hi')]);

  expect(mergedGlance(captured, glanceOf([turn(10, '', '')]))).toMatchObject({ beganAtMs: 10, asked: 'hello' });
  expect(mergedGlance(captured, glanceOf([turn(900, '', '')]))).toMatchObject({ ceasedAtMs: 1001, answered: 'hi' });
});

it('is one short line of visible text, of whole characters', () => {
  const { asked, answered } = glanceOf([turn(0, ` a\n\n\tb\u202e\u0007c ${'x'.repeat(9000)}`, '👍'.repeat(5000))]);

  expect(asked?.startsWith('a b c xxx')).toBe(true);
  expect([...(asked ?? '')]).toHaveLength(241);
  expect(answered).toBe(`${'👍'.repeat(240)}…`);
});
