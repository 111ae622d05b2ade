/**
 * Which steps of a golden trace are put to a judge to be graded, and the grades that came back beside their steps. Steps that were not made are
 * 0 if they are required and nothing if they are not; nobody has to be asked for that.
 */
import type { GradedStep } from '../../model/evaluation.ts';
import type { SpanId } from '../../model/ids.ts';
import type { GradedSteps, StepGrade } from '../../model/judging.ts';
import type { Answer } from '../subject/answer.ts';
import { toReason } from '../subject/sentences.ts';
import { callSpan } from '../trajectory/call-span.ts';
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

/** Steps in the order of the trace, without optional ones that were not made. */
export function gradedSteps({ steps }: GoldenRun, grades: readonly StepGrade[]): readonly GradedStep[] {
  const byNumber = new Map(grades.map((grade) => [grade.number, grade]));
  return steps.flatMap((compared): readonly GradedStep[] => {
    const { number, tool, required } = compared.step;
    const call = callOf(compared);
    const grade = byNumber.get(number);
    if (grade === undefined)
      return call === undefined && required
        ? [{ step: number, tool, score: 0, reason: 'It was not made.', spanId: undefined }]
        : [];
    const { score, reason, otherVotes } = grade;
    return [
      {
        step: number,
        tool,
        score,
        reason: toReason(reason),
        spanId: call && callSpan(call),
        ...(otherVotes !== undefined && {
          otherVotes: otherVotes.map((vote) => ({ score: vote.score, reason: toReason(vote.reason) })),
        }),
      },
    ];
  });
}

/** Places of wrong steps, the worst first. */
export function wrongSteps(steps: readonly GradedStep[]): readonly (SpanId | undefined)[] {
  return steps
    .filter(({ score }) => score < 1)
    .toSorted((a, b) => a.score - b.score)
    .map(({ spanId }) => spanId);
}
