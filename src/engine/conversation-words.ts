/**
 * The words by which a conversation is found: those of its id, of what the user asked and the agent answered, and of the
 * calls of tools with their arguments and results.
 */
import type { ConversationId } from '../model/ids.ts';
import { wordsIn } from '../model/search-words.ts';
import type { Turn } from '../model/turn.ts';

/** The beginning of each text: people search for what stands in its first pages, and not for a pasted file. */
const READ_CHARACTERS = 8192;
/** The most that one text brings. */
const WORDS_MAX = 1000;
/** Characters of a tool's arguments or result: an answer of thousands of rows is found by its first ones. */
const TOOL_CHARACTERS = 4096;
/** Characters of all tools of one turn, so that they do not drive out what was said. */
const TOOLS_CHARACTERS = 8192;

/** Words with a blank between two. A word of two texts is there twice. */
export function spokenWords(id: ConversationId, turns: readonly Turn[]): string {
  const said = turns.flatMap(({ userInput, finalAnswer }) => [userInput.text, finalAnswer.text]);
  return [id, ...said, ...turns.map(ofTools)]
    .map((text) => wordsIn(text.slice(0, READ_CHARACTERS), WORDS_MAX))
    .filter((words) => words !== '')
    .join(' ');
}

function ofTools({ toolCalls }: Turn): string {
  let text = '';
  for (const { name, args, result } of toolCalls) {
    if (text.length > TOOLS_CHARACTERS) break;
    text += `${name} ${args.text.slice(0, TOOL_CHARACTERS)} ${result.text.slice(0, TOOL_CHARACTERS)} `;
  }
  return text;
}
