/** Whether a user asks the same again in other words, which many do who were not understood. */
import { wordsOf } from '../model/search-words.ts';
import type { Turn } from '../model/turn.ts';

const TURNS_MAX = 50;
const WORDS_MAX = 40;
const READ_MAX = 1_000;
/** Fewer words in common say nothing: "yes, please". */
const WORDS_MIN = 4;
/** Share of the words of two questions that both have. */
const ALIKE = 0.6;

export function asksAgain(turns: readonly Turn[]): boolean {
  const earlier: ReadonlySet<string>[] = [];
  if (turns.length < 2) return false;
  for (const turn of turns.slice(-TURNS_MAX)) {
    const words = new Set(wordsOf(turn.userInput.text.slice(0, READ_MAX), WORDS_MAX));
    if (words.size < WORDS_MIN) continue;
    if (earlier.some((one) => one.intersection(words).size >= ALIKE * one.union(words).size)) return true;
    earlier.push(words);
  }
  return false;
}
