/**
 * Does the user know what comes next: a question to answer, something to do, something that will happen, or that it is
 * all done? Recognised by English phrases (phrases.ts). An empty answer says nothing of the kind.
 */
import { z } from 'zod';
import { EMPTY_ANSWER } from './answer-says-something.ts';
import { builtInCheck } from './built-in-check.ts';
import { ALL_DONE, mentions, NEXT_STEPS, normalize } from './phrases.ts';

export const providesNextStep = builtInCheck({
  summary: 'the answer says what comes next, or that all is done (English phrases)',
  params: z.strictObject({}),
  needs: ['final_answer'],
  make:
    () =>
    ({ finalAnswer }) => {
      if (finalAnswer.trim() === '') return EMPTY_ANSWER;
      const text = normalize(finalAnswer);
      return mentions(text, NEXT_STEPS) || mentions(text, ALL_DONE)
        ? { pass: true, reason: 'The answer says what comes next, or that all is done.' }
        : { pass: false, reason: 'The answer neither asks, nor says what to do next, nor that all is done.' };
    },
});
