/** The words by which a conversation is found. */
import { expect, test } from 'vitest';
import { spokenWords } from '../../src/engine/conversation-words.ts';
import { aToolCall, aTurn } from '../score/conversations.ts';
import type { ConversationId } from '../../src/model/ids.ts';

const ID = 'c-1' as ConversationId;
const content = (text: string) => ({ state: 'whole' as const, text, json: text });

test('tools give words by their names, arguments and results, of which the beginnings count', () => {
  const call = aToolCall('track_parcel', {
    args: content('{"order":4711}'),
    result: content(`Graz ${'x '.repeat(3000)}late`),
  });

  const words = spokenWords(ID, [aTurn({ toolCalls: [call] })]).split(' ');

  expect(words).toEqual(expect.arrayContaining(['track', 'parcel', '4711', 'graz']));
  expect(words).not.toContain('late');
});

test('many calls of one turn leave room for what is said in the next', () => {
  const calls = Array.from({ length: 100 }, (_, index) =>
    aToolCall('look', { result: content(`${'w'.repeat(990)} r${index}`) }),
  );

  const words = spokenWords(ID, [aTurn({ toolCalls: calls, answered: 'Done at noon.' })]).split(' ');

  expect(words).toEqual(expect.arrayContaining(['r0', 'noon']));
  expect(words).not.toContain('r99');
});
