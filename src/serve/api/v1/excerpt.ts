/**
 * `GET /api/v1/excerpts/{conversation...}`: where a conversation has the words of a search. The index knows no places, so
 * they are looked for in the kept spans, of one conversation at a time.
 */
import { type ExcerptAnswer, excerptAnswer, excerptQuery } from '../../../api/excerpt.ts';
import type { Turn } from '../../../model/turn.ts';
import { excerptOf, wordFinder } from '../../../model/word-forms.ts';
import { noSuchConversation } from './no-such-conversation.ts';
import { storedTurns } from './stored-turns.ts';
import { cut } from './transcript-json.ts';
import { Refusal, v1Read } from './v1-read.ts';
import type { V1Side } from './v1-side.ts';

/** Characters of a text that are looked through, and those around the word. */
const READ_MAX = 20_000;
const AROUND = { before: 60, after: 120 };
const NAME_MAX = 100;

export const getExcerpt = v1Read({
  path: '/api/v1/excerpts/{conversation...}',
  summary: '?words= the first place where a conversation has one of these words, with what stands around it',
  query: excerptQuery,
  answer: excerptAnswer,
  read: async (side: V1Side, { words }, parameters): Promise<ExcerptAnswer | Refusal> => {
    const id = parameters.get('conversation') ?? '';
    const row = await side.reader.find(id);
    if (row === undefined) return new Refusal(noSuchConversation(id));
    const isFound = wordFinder(words);
    for (const [index, turn] of (await storedTurns(side, row)).turns.entries())
      for (const { text, ...where } of textsOf(turn)) {
        const found = excerptOf(text.slice(0, READ_MAX), isFound, AROUND);
        if (found !== undefined) return { excerpt: { turn: index + 1, ...where, text: found } };
      }
    return {};
  },
});

type Found = NonNullable<ExcerptAnswer['excerpt']>;

function textsOf({ userInput, toolCalls, finalAnswer }: Turn): readonly Omit<Found, 'turn'>[] {
  return [
    { by: 'user', text: userInput.text },
    { by: 'agent', text: finalAnswer.text },
    ...toolCalls.map(({ name, args, result }) => ({
      ...{ by: 'tool' as const, tool: cut(name, NAME_MAX) },
      text: `${name} ${args.text} → ${result.text}`,
    })),
  ];
}
