/** The words by which a conversation is found: those of its id, of what the user asked and of what the agent answered. */
import type { ConversationId } from '../model/ids.ts';
import { wordsIn } from '../model/search-words.ts';
import type { Turn } from '../model/turn.ts';

/** The beginning of each text: people search for what stands in its first pages, and not for a pasted file. */
const READ_CHARACTERS = 8192;
/** The most that one text brings. */
const WORDS_MAX = 1000;

/** Words with a blank between two. A word of two texts is there twice. */
export function spokenWords(id: ConversationId, turns: readonly Turn[]): string {
  const texts = turns.flatMap(({ userInput, finalAnswer }) => [userInput.text, finalAnswer.text]);
  return [id, ...texts]
    .map((text) => wordsIn(text.slice(0, READ_CHARACTERS), WORDS_MAX))
    .filter((words) => words !== '')
    .join(' ');
}
