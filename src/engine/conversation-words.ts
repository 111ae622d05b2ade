/** The words by which a conversation is found: those of its id, of what the user asked and of what the agent answered. */
import type { ConversationId } from '../model/ids.ts';
import { addWordsOf } from '../model/search-words.ts';
import type { Turn } from '../model/turn.ts';

/** The beginning of each text: people search for what stands in its first pages, and not for a pasted file. */
const READ_CHARACTERS = 8192;
/** More that one text brings. */
const WORDS_MAX = 1000;

export function spokenWords(id: ConversationId, turns: readonly Turn[]): ReadonlySet<string> {
  const words = new Set<string>();
  const add = (text: string) => addWordsOf(text.slice(0, READ_CHARACTERS), words, words.size + WORDS_MAX);
  add(id);
  for (const { userInput, finalAnswer } of turns) {
    add(userInput.text);
    add(finalAnswer.text);
  }
  return words;
}
