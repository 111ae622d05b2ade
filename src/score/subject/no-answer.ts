/** Verdicts where there is no answer to read. */
import { type NotApplicable, notApplicable, type ReasonedAnswer } from './answer.ts';
import { toExcerpt } from './sentences.ts';
import type { Subject } from './subject.ts';

/** Verdict of checks that have nothing to read without an answer. */
export const NO_ANSWER = notApplicable('There was no answer.');

/** Verdict of checks that a missing answer fails, unless a person is to answer instead. */
export function withoutAnswer({ turn, ending }: Subject): ReasonedAnswer | NotApplicable {
  if (ending === 'handed_over') return notApplicable('A person was asked to take over, without an answer.');
  const text = turn.finalAnswer.text.trim();
  return { pass: false, reason: text === '' ? 'The answer is empty.' : `There is no answer but "${toExcerpt(text)}".` };
}
