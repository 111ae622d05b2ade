/** A step that a judge graded, under the verdict that its grade is a part of: what each vote said of it, and where it is. */
import type { GradedStep } from '../model/evaluation.ts';
import type { SpanId } from '../model/ids.ts';
import type { TableRow } from './print-table.ts';

export function gradedStepRows(
  { step, tool, score, reason, spanId, otherVotes = [] }: GradedStep,
  where: (spanId: SpanId) => string | undefined,
): readonly TableRow[] {
  const place = spanId === undefined ? undefined : where(spanId);
  const more = [
    ...otherVotes.map((vote) => `another vote (${vote.score}): ${vote.reason}`),
    ...(place === undefined ? [] : [`at ${place}`]),
  ];
  return [
    ['', { text: `step ${step} ${tool}`, max: 60 }, `${score}: ${reason}`],
    ...more.map((text): TableRow => ['', '', { text, style: 'dim', max: 400 }]),
  ];
}
