/** A run beside its golden trace, as `assay golden diff` prints it and the API answers it: the same words and numbers. */
import { shorten, toExcerpt } from '../subject/sentences.ts';
import type { Subject } from '../subject/subject.ts';
import { argumentScopeOf, assessRun, outputMistake, overBudget, type SuiteParts } from './assess-run.ts';
import { scoreMillionths } from './compare-run.ts';
import { type DiffLine, diffLines } from './describe-comparison.ts';
import type { GoldenLibrary } from './golden-library.ts';
import type { ExpectedStep, GoldenTrace } from './golden-trace.ts';

export interface RunBesideTrace {
  readonly lines: readonly DiffLine[];
  readonly follows: boolean;
  readonly scoreMillionths: number;
  /** Mistake in the answer, or why it cannot be decided. */
  readonly output: ReturnType<typeof outputMistake>;
  /** Words for a budget that was exceeded. */
  readonly overBudget: string | undefined;
  /** False where a better alignment may exist. */
  readonly isOptimal: boolean;
}

/** A text says why they cannot be compared. */
export function runBesideTrace(
  trace: GoldenTrace,
  subject: Subject,
  parts: SuiteParts & { readonly golden: GoldenLibrary },
): RunBesideTrace | string {
  const judged = assessRun(trace, subject, parts);
  if (typeof judged === 'string') return judged;
  const { comparison, first } = judged;
  const over = overBudget(trace, subject);
  return {
    lines: diffLines(comparison, argumentScopeOf(subject)),
    follows: first === undefined,
    scoreMillionths: scoreMillionths(comparison),
    output: outputMistake(trace, subject),
    overBudget: over === 'unknown' ? undefined : over,
    isOptimal: comparison.isOptimal,
  };
}

const ARGUMENTS_LENGTH_MAX = 120;

/** A step of a trace as a call is shown; values stand as the trace writes them. */
export function expectedCall({ tool, args }: ExpectedStep): string {
  if (args === undefined) return `${toExcerpt(tool)}(…)`;
  const members = args.expected.map(({ key, expected }) => `${JSON.stringify(key)}: ${expected}`);
  const others = args.open ? ['…'] : [];
  return `${toExcerpt(tool)}(${shorten(`{${[...members, ...others].join(', ')}}`, ARGUMENTS_LENGTH_MAX)})`;
}
