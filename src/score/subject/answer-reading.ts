/** The answer of a turn, read once by the words of its language, because several checks ask. */
import { type AnswerReading, prepareReading, readAnswerTo } from '../../language/read-answer.ts';
import type { Turn } from '../../model/turn.ts';
import { userMessages } from './earlier-messages.ts';

const READ = new WeakMap<Turn, AnswerReading | 'unknown'>();

/** Undefined where its language is not known. */
export function readingOf(turn: Turn): AnswerReading | undefined {
  let reading = READ.get(turn);
  if (reading === undefined) {
    reading =
      readAnswerTo(turn.finalAnswer.text, () => [turn.userInput.text, ...userMessages(turn).toReversed()]) ?? 'unknown';
    READ.set(turn, reading);
  }
  return reading === 'unknown' ? undefined : reading;
}

/** Must be called before the time of a check is measured: see `prepareReading`. */
export function prepareReadingOf(turn: Turn): void {
  const language = readingOf(turn)?.language;
  if (language !== undefined) prepareReading(language, turn.finalAnswer.text);
}
