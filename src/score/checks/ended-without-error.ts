/**
 * Did the turn end without an error, where it gave the user something: an answer or a person who takes over? An error beside an answer may
 * have cut it short, or have come when all was said; the spans do not tell, and either way the agent broke. Without an answer the error is
 * why there is none, which is counted once, by `answered`.
 */
import { z } from 'zod';
import { notApplicable } from '../answer.ts';
import { toExcerpt } from '../sentences.ts';
import { builtInCheck } from './built-in-check.ts';

export const endedWithoutError = builtInCheck({
  summary: 'the last turn did not end with an error beside its answer or hand-over',
  params: z.strictObject({}),
  needs: [],
  make: () => (subject) => {
    const { error, steps } = subject.turn;
    if (error === undefined) return { pass: true, reason: 'The turn ended without an error.' };
    if (subject.ending === 'no_answer')
      return notApplicable('The turn ended without an answer: that is counted already.');
    const given = subject.ending === 'handed_over' ? 'a person was asked to take over' : 'there is an answer';
    return {
      pass: false,
      reason: `The turn ended with an error (${toExcerpt(`${error.type} ${error.message}`)}), although ${given}.`,
      evidence: [steps.findLast((step) => step.error !== undefined)?.spanId],
    };
  },
});
