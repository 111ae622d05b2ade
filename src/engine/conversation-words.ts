/** The words by which a conversation is found: those of its id, of what the user asked and of what the agent answered. */
import type { ConversationId } from '../model/ids.ts';
import { wordsOf } from '../model/search-words.ts';
import type { Turn } from '../model/turn.ts';

/** The beginning of each text: people search for what stands in its first pages, and not for a pasted file. */
const READ_CHARACTERS = 8192;
/** Of one text. */
const WORDS_MAX = 1000;

/** A word that occurs in two texts is there twice. */
export function spokenWords(id: ConversationId, turns: readonly Turn[]): readonly string[] {
  const texts = turns.flatMap(({ userInput, finalAnswer }) => [userInput.text, finalAnswer.text]);
  return [id, ...texts].flatMap((text) => wordsOf(text.slice(0, READ_CHARACTERS), WORDS_MAX));
}
