/** Whether the user was told, in any answer, all that the truth says (`truth.outputs`), where that shows something: `../expected/enough-truth.ts`. */
import { type Answer, notApplicable } from '../subject/answer.ts';
import { whyNotEnough } from '../expected/enough-truth.ts';
import { expectedOutputsIn } from '../expected/expected-actions.ts';
import { isNegatedIn, wasTold } from '../expected/told.ts';
import { enumerate, toExcerpt } from '../subject/sentences.ts';
import type { Subject } from '../subject/subject.ts';
import { builtInCheck } from './built-in-check.ts';

const NAMED_MAX = 5;

function outputsTold(): (subject: Subject) => Answer {
  return (subject) => {
    const { truth, turns } = subject;
    const outputs = expectedOutputsIn(truth) ?? [];
    const told = outputs.map((output) => ({ output, is: wasTold(output, turns) }));
    const untold = told.filter(({ is }) => is === false).map(({ output }) => output);
    if (untold.length > 0) {
      const negated = untold.filter((output) => isNegatedIn(turns, output));
      const absent = untold.filter((output) => !negated.includes(output));
      const reasons = [
        ...(absent.length > 0 ? [`No answer has ${named(absent)} in it.`] : []),
        ...(negated.length > 0 ? [`Answers have ${named(negated)} only right behind a negation, such as "not".`] : []),
      ];
      return { pass: false, reason: reasons.join(' ') };
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

function named(outputs: readonly (string | number)[]): string {
  const more = outputs.length > NAMED_MAX ? [`${outputs.length - NAMED_MAX} more`] : [];
  return enumerate([...outputs.slice(0, NAMED_MAX).map((one) => `"${toExcerpt(String(one))}"`), ...more]);
}

export const outputsToldCheck = builtInCheck({
  summary: 'the user was told, in any answer, what the truth says',
  about: 'task',
  needs: ['truth'],
  readsTaskTruth: true,
  make: () => outputsTold(),
});
