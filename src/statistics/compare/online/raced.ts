/**
 * The verdict of detection's race of two versions (`detect/version-race.ts`) and the comparison of the same two: one answer.
 * The race sees each conversation as it comes, and raises the alarm; the comparison reads the store. Both hold however
 * often one looks, so differences that the race excludes leave the interval too.
 *
 * If the conversations that are compared point the other way, the evidence is not enough: the interval is stretched to
 * have 0 in it.
 */
import type { Compared } from '../../../model/comparison.ts';
import type { About } from '../../../model/evaluation.ts';
import { changeWords } from '../../../model/suite-words.ts';

export interface Raced {
  /** Verdict on b against a; undefined where there is none yet. */
  readonly verdict: 'worse' | 'better' | undefined;
  /** Natural logarithms of the e-values, however often one looks. */
  readonly log: { readonly worse: number; readonly better: number };
}

/** The smallest step of a rate that anything shows. */
const STEP = 1e-6;

export function withRace(compared: Compared, { verdict, log }: Raced, about: About | undefined): Compared {
  if (compared.is === 'not_compared' || verdict === undefined) return compared;
  const { change, lower, upper } = compared;
  const isWorse = verdict === 'worse';
  const found = { ...compared, casesNeeded: undefined, missing: undefined };
  if (change === 0 || change < 0 !== isWorse)
    return {
      ...found,
      ...{ lower: Math.min(lower, 0), upper: Math.max(upper, 0), p: 1, adjustedP: 1 },
      word: 'not_enough_evidence',
      missing: 'these conversations point the other way than detection',
    };
  const least = Math.min(Math.exp(-log[verdict]), compared.p);
  return {
    ...found,
    lower: isWorse ? lower : Math.max(lower, STEP),
    upper: isWorse ? Math.min(upper, -STEP) : upper,
    p: least,
    adjustedP: least,
    word: changeWords(about)[isWorse ? 'bad' : 'good'],
  };
}
