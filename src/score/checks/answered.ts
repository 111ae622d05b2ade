/** Did the agent answer at all? The last turn must end with an answer, whatever it says. */
import { z } from 'zod';
import { hasAnswer, isAnswerUnknown } from '../needs.ts';
import { toExcerpt } from '../sentences.ts';
import { notApplicable } from '../answer.ts';
import { builtInCheck } from './built-in-check.ts';

export const answered = builtInCheck({
  summary: 'the last turn ended with an answer',
  params: z.strictObject({}),
  needs: [],
  make:
    () =>
    ({ turn }) => {
      if (hasAnswer(turn)) return { pass: true, reason: 'The turn ended with an answer.' };
      if (isAnswerUnknown(turn)) return notApplicable('The answer was not recorded: content capture may be off.');
      const failedStep = turn.steps.findLast((step) => step.error !== undefined);
      const cause = turn.error === undefined ? '.' : `: ${toExcerpt(`${turn.error.type} ${turn.error.message}`)}.`;
      return { pass: false, reason: `The turn ended without an answer${cause}`, evidence: [failedStep?.spanId] };
    },
});
