/** Is the answer short enough to be read? Words are what white space separates, as people count them; Japanese, Chinese and Thai have none. */
import { z } from 'zod';
import { notApplicable } from '../subject/answer.ts';
import { isWrittenWithoutSpaces } from '../../language/recognise.ts';
import { hasAnswer } from '../subject/turn-answer.ts';
import { builtInCheck } from './built-in-check.ts';
import { NO_ANSWER } from '../subject/no-answer.ts';

export const wordLimit = builtInCheck({
  summary: 'the answer has fewer words than a limit',
  params: z.strictObject({ fewer_than: z.int('a whole number').min(1, 'at least 1').default(100) }),
  needs: ['final_answer'],
  make:
    ({ fewer_than }) =>
    ({ finalAnswer, turn }) => {
      if (!hasAnswer(turn)) return NO_ANSWER;
      const words = finalAnswer.match(/\S+/g)?.length ?? 0;
      if (isWrittenWithoutSpaces(finalAnswer))
        return notApplicable('The answer is in a script without spaces, which has no words to count.');
      return {
        pass: words < fewer_than,
        reason: `The answer has ${words} words; fewer than ${fewer_than} are wanted.`,
      };
    },
});
