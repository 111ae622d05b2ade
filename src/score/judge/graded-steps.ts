/**
 * Which steps of a golden trace are put to a judge to be graded. Steps that were not made are 0 if they are required and nothing if they are
 * not; nobody has to be asked for that.
 */
import type { GradedSteps } from '../../model/judging.ts';
import type { Answer } from '../answer.ts';
import { callOf, type GoldenRun } from './golden-items.ts';

/** More would be graded carelessly. */
const STEPS_MAX = 20;

export function gradedStepsOf(
  { trace, steps }: GoldenRun,
  atLeast: number,
): { readonly graded: GradedSteps } | { readonly answer: Answer } {
  const made = steps.filter((step) => callOf(step) !== undefined);
  const missing = steps.filter((compared) => compared.step.required && callOf(compared) === undefined);
  if (made.length > STEPS_MAX) {
    return {
      answer: {
        notApplicable: `Golden trace ${trace.id} has ${made.length} steps to grade; ${STEPS_MAX} are the most.`,
      },
    };
  }
  if (made.length === 0 && missing.length === 0) {
    return { answer: { notApplicable: `None of the steps of golden trace ${trace.id} had to be made, and none was.` } };
  }
  if (made.length === 0) {
    return { answer: { pass: atLeast === 0, reason: `None of the steps of golden trace ${trace.id} was made.` } };
  }
  return {
    graded: {
      steps: made.map(({ step, halves }) => ({ number: step.number, weight: halves })),
      missing: missing.reduce((sum, { halves }) => sum + halves, 0),
      atLeast,
    },
  };
}
