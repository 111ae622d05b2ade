/** A question about other weights of a suite, and why a stored evaluation could not be weighed by them. */

export const WHY_NOT_WEIGHED = [
  /** The evaluation was stored before verdicts were kept in this form. */
  'no_verdicts_kept',
  /** The verdicts are of a version of the suite with other criteria. */
  'other_version',
  /** A criterion or condition is code, which may have been other code then. */
  'other_question',
  /** A judge is another model now, or is asked in another way. */
  'other_judge',
  /** A rule for outcomes looks at the conversation, or its end is not known. */
  'reads_conversation',
] as const;
export type WhyNotWeighed = (typeof WHY_NOT_WEIGHED)[number];

export interface ChangedWeights {
  /** Weights by criterion, from 0 to 1. */
  readonly weights: Readonly<Record<string, number>>;
  /** Criteria that get the weight 0: they are asked and counted, and are not in the score. */
  readonly off: readonly string[];
}
