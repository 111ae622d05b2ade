/** Answers of checks, whether they are code, expressions or judges. */
import type { UndecidedReason } from '../../model/evaluation.ts';
import type { SpanId } from '../../model/ids.ts';

/** Possible answers of a check. A bare boolean is given the criterion's question as its reason. */
export type Answer = boolean | ReasonedAnswer | NotApplicable;

export interface ReasonedAnswer {
  readonly pass: boolean;
  readonly reason?: string | undefined;
  /** The spans that show it, the first being the step that made it fail. */
  readonly evidence?: readonly (SpanId | undefined)[] | undefined;
}

export interface NotApplicable {
  readonly notApplicable: string;
  /** Absent where the question does not arise. */
  readonly undecided?: UndecidedReason;
}

/** The question does not arise here, or cannot be answered from what was recorded. It leaves the denominator. */
export function notApplicable(reason: string, undecided?: UndecidedReason): NotApplicable {
  return { notApplicable: reason, ...(undecided !== undefined && { undecided }) };
}

/** Thrown where a check cannot be carried out; the message is the verdict's reason as it stands. */
export class CheckError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'CheckError';
  }
}
