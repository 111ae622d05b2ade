/** The words by which a conversation is found: those of its id, of what the user asked and of what the agent answered. */
import type { ConversationId } from '../model/ids.ts';
import { wordsOf } from '../model/search-words.ts';
import type { Turn } from '../model/turn.ts';

/** The beginning of each text: people search for what stands in its first pages, and not for a pasted file. */
const READ_CHARACTERS = 8192;
const WORDS_MAX = 1000;

export function spokenWords(id: ConversationId, turns: readonly Turn[]): readonly string[] {
  const words = new Set(wordsOf(id, WORDS_MAX));
  for (const { userInput, finalAnswer } of turns)
    for (const { text } of [userInput, finalAnswer])
      for (const word of wordsOf(text.slice(0, READ_CHARACTERS), WORDS_MAX)) words.add(word);
  return [...words];
}
