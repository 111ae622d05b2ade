/** Verdicts as rows of a table: each with its reason and, where it failed, the step that shows it. */
import { decisionOf } from '../model/decision.ts';
import type { Evaluation, GradedStep, VerdictKind } from '../model/evaluation.ts';
import type { SpanId } from '../model/ids.ts';
import { partsOf } from '../model/verdict-parts.ts';
import type { TableRow } from './print-table.ts';
import type { Style } from './terminal.ts';

const STYLES = {
  pass: 'green',
  fail: 'red',
  not_applicable: 'dim',
  error: 'yellow',
  skipped: 'dim',
} as const satisfies Record<VerdictKind, Style>;

/** The place of a span in words; undefined where it is not to be shown. */
type Where = (spanId: SpanId) => string | undefined;

export function verdictRows({ verdicts, findings = [] }: Evaluation, where: Where): readonly TableRow[] {
  const rowsOf = (word: string, style: Style, called: string, reason: string, at?: SpanId): readonly TableRow[] => [
    [
      { text: word, style },
      { text: called, max: 60 },
      { text: reason, max: 400 },
    ],
    ...placeRow(at, where),
  ];
  return [
    ...[...verdicts].flatMap(([criterion, given]) => {
      const { evidence, steps = [] } = partsOf(given);
      // Each step says itself where it is.
      const at = decisionOf(given.verdict) === 'fail' && steps.length === 0 ? evidence[0] : undefined;
      return [
        ...rowsOf(given.verdict, STYLES[given.verdict], criterion, given.reason, at),
        ...steps.flatMap((step) => gradedStepRows(step, where)),
      ];
    }),
    ...findings.flatMap(({ finding, reason, evidence }) => rowsOf('finding', 'yellow', finding, reason, evidence[0])),
  ];
}

/** A step that a judge graded, under the verdict that its grade is a part of. */
function gradedStepRows(
  { step, tool, score, reason, spanId, otherVotes = [] }: GradedStep,
  where: Where,
): readonly TableRow[] {
  return [
    ['', { text: `step ${step} ${tool}`, max: 60 }, `${score}: ${reason}`],
    ...otherVotes.map((vote) => asideRow(`another vote (${vote.score}): ${vote.reason}`)),
    ...placeRow(spanId, where),
  ];
}

function placeRow(spanId: SpanId | undefined, where: Where): readonly TableRow[] {
  const place = spanId === undefined ? undefined : where(spanId);
  return place === undefined ? [] : [asideRow(`at ${place}`)];
}

function asideRow(text: string): TableRow {
  return ['', '', { text, style: 'dim', max: 400 }];
}
