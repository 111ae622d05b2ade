/** Whether the user was told, in any answer, all that the truth says (`truth.outputs`), where that shows something: `../expected/enough-truth.ts`. */
import { z } from 'zod';
import { type Answer, notApplicable } from '../answer.ts';
import { whyNotEnough } from '../expected/enough-truth.ts';
import { expectedOutputsIn } from '../expected/expected-actions.ts';
import { wasTold } from '../expected/told.ts';
import { enumerate, toExcerpt } from '../sentences.ts';
import type { Subject } from '../subject.ts';
import { builtInCheck } from './built-in-check.ts';

const NAMED_MAX = 5;

function outputsTold(): (subject: Subject) => Answer {
  return (subject) => {
    const { truth, turns } = subject;
    const outputs = expectedOutputsIn(truth) ?? [];
    const told = outputs.map((output) => ({ output, is: wasTold(output, turns) }));
    const untold = told.filter(({ is }) => is === false).map(({ output }) => `"${toExcerpt(String(output))}"`);
    if (untold.length > 0) {
      const more = untold.length > NAMED_MAX ? [`${untold.length - NAMED_MAX} more`] : [];
      return { pass: false, reason: `No answer has ${enumerate([...untold.slice(0, NAMED_MAX), ...more])} in it.` };
    }
    const gap = told.map(({ is }) => is).find((is) => typeof is === 'string');
    if (gap !== undefined) return notApplicable(gap);
    const more = whyNotEnough(subject);
    if (more !== undefined) return notApplicable(more, 'absent');
    if (outputs.length === 0) return { pass: true, reason: 'The truth names nothing that the user has to be told.' };
    return {
      pass: true,
      reason: `The user was told ${enumerate(outputs.slice(0, NAMED_MAX).map((one) => toExcerpt(String(one))))}.`,
    };
  };
}

export const outputsToldCheck = builtInCheck({
  summary: 'the user was told, in any answer, what the truth says',
  params: z.strictObject({}),
  about: 'task',
  needs: ['truth'],
  readsTaskTruth: true,
  make: () => outputsTold(),
});
