/**
 * Facts of a whole conversation, known once it is scored: whether its user corrected the agent or asked the same again,
 * and how it ended. Like the facts of its turns (`turn-facts.ts`), they know no domain, and hold no words of anybody.
 */
import { isCorrection } from '../language/corrections.ts';
import { endsAsQuestion } from '../language/read-answer.ts';
import { wordsOf } from '../model/search-words.ts';
import type { Turn } from '../model/turn.ts';

const TURNS_MAX = 50;
const WORDS_MAX = 40;
/** Fewer words in common say nothing: "yes, please". */
const WORDS_MIN = 4;
/** Share of the words of two questions that both have. */
const ALIKE = 0.6;
const READ_MAX = 1_000;

export function endFacts(all: readonly Turn[]): readonly string[] {
  const turns = all.slice(-TURNS_MAX);
  const last = turns.at(-1);
  if (last === undefined) return [];
  const asked = turns.length < 2 ? [] : turns.map((turn) => turn.userInput.text.slice(0, READ_MAX));
  return [
    ...(asked.slice(1).some(isCorrection) ? ['user: corrects'] : []),
    ...(asksAgain(asked) ? ['user: asks the same again'] : []),
    `ended: ${endOf(last)}`,
  ];
}

function asksAgain(asked: readonly string[]): boolean {
  const earlier: ReadonlySet<string>[] = [];
  for (const text of asked) {
    const words = new Set(wordsOf(text, WORDS_MAX));
    if (words.size < WORDS_MIN) continue;
    if (earlier.some((one) => one.intersection(words).size >= ALIKE * one.union(words).size)) return true;
    earlier.push(words);
  }
  return false;
}

/** The user said nothing more, so what the agent did last is how it ended. */
function endOf({ error, finalAnswer, toolCalls }: Turn): string {
  if (error !== undefined) return 'with an error';
  const { text } = finalAnswer;
  if (text.trim() === '') return 'without an answer';
  if (toolCalls.at(-1)?.error !== undefined) return 'after a failed call';
  return endsAsQuestion(text) ? 'with a question of the agent' : 'with an answer';
}
