/** Counts the verdicts of a judge beside the labels of people for the same subjects. */
export type YesOrNo = 'pass' | 'fail';

export interface LabelledVerdict {
  readonly verdict: YesOrNo;
  readonly label: YesOrNo;
}

/** The person's label comes second in the names. */
export interface Confusion {
  readonly passOfPass: number;
  readonly failOfPass: number;
  readonly passOfFail: number;
  readonly failOfFail: number;
}

export function confusionOf(pairs: Iterable<LabelledVerdict>): Confusion {
  const counts = { passOfPass: 0, failOfPass: 0, passOfFail: 0, failOfFail: 0 };
  for (const { verdict, label } of pairs) {
    if (label === 'pass') counts[verdict === 'pass' ? 'passOfPass' : 'failOfPass'] += 1;
    else counts[verdict === 'pass' ? 'passOfFail' : 'failOfFail'] += 1;
  }
  return counts;
}
