/**
 * Is the answer more than nothing, or than "I'm sorry, I can't help with that"? Bare is what `read-answer.ts` says: without the apology, the
 * refusal and what fills them, hardly a word is left. A refusal that says what it refuses or why, names a time, or offers another way says
 * something; whether it was right, this check cannot tell. Knows the languages of `languages.ts`; of others, only the empty answer.
 */
import { z } from 'zod';
import { notApplicable, type ReasonedAnswer } from '../answer.ts';
import { LANGUAGE_NOT_KNOWN, readingOf } from '../language/read-answer.ts';
import { toExcerpt } from '../sentences.ts';
import { builtInCheck } from './built-in-check.ts';

export const EMPTY_ANSWER: ReasonedAnswer = { pass: false, reason: 'The answer is empty.' };

export const answerSaysSomething = builtInCheck({
  summary: 'the answer is not empty, and not a bare apology or refusal',
  params: z.strictObject({}),
  needs: ['final_answer'],
  make:
    () =>
    ({ turn }) => {
      const answer = turn.finalAnswer.text.trim();
      if (answer === '') return EMPTY_ANSWER;
      const reading = readingOf(turn);
      if (reading === undefined) return notApplicable(LANGUAGE_NOT_KNOWN, 'language');
      if (!reading.isBare) return { pass: true, reason: 'The answer says something.' };
      return { pass: false, reason: `The answer is a bare apology or refusal: "${toExcerpt(answer)}"` };
    },
});

/** For checks that have nothing to look at in an answer that is not there. */
export const NO_ANSWER = notApplicable('There was no answer.');
