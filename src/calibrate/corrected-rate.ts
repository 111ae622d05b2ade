/**
 * The share of conversations that would pass if people judged them all, from what a judge said of all and how often it is right (Rogan and
 * Gladen, 1978):
 *
 *     rate = (judged to pass + specificity − 1) / (sensitivity + specificity − 1)
 *
 * A judge whose yes is no likelier where it should be than where it should not be (sensitivity + specificity ≤ 1) says nothing about the rate.
 * Then there is none, and neither where there is no label of one kind.
 *
 * The interval is that of Lang and Reiczigel (2014), which includes the uncertainty about the judge as well as about
 * the rate. It uses the three shares drawn a little to the middle (s' = (s·n + 1)/(n + 2), and q' with z²/2 more of
 * each), and with them
 *
 *     rate' + d ± z √(q'(1 − q')/n' + rate'² s'(1 − s')/n'ₛ + (1 − rate')² c'(1 − c')/n'_c) / (s' + c' − 1)
 *     d = 2z² (rate' s'(1 − s')/n'ₛ − (1 − rate') c'(1 − c')/n'_c)
 *
 * with one thing changed: its middle, rate' + d, is cut to 0 and 1 as well. By chance it can lie so far outside that nothing would be left of
 * the interval but a point at the end, when the least is known.
 */
import type { Estimate } from '../model/estimate.ts';
import type { Confusion } from './confusion.ts';
import { within, Z } from './estimate.ts';

export type CorrectedRate =
  | { readonly is: 'estimate'; readonly rate: Estimate }
  | {
      readonly is: 'not-identifiable';
      /** `nothing-judged`, a kind of label that is missing, or `judge-tells-nothing`: its yes says no more than its no. */
      readonly because: 'nothing-judged' | 'no-passes' | 'no-fails' | 'judge-tells-nothing';
    };

/** Counts everything that the judge was asked, not only labelled subjects. */
export interface Judgings {
  readonly passed: number;
  readonly of: number;
}

export function correctedRate(confusion: Confusion, judgings: Judgings): CorrectedRate {
  const { passOfPass, failOfPass, passOfFail, failOfFail } = confusion;
  const passes = passOfPass + failOfPass;
  const fails = passOfFail + failOfFail;
  if (judgings.of === 0) return { is: 'not-identifiable', because: 'nothing-judged' };
  if (passes === 0) return { is: 'not-identifiable', because: 'no-passes' };
  if (fails === 0) return { is: 'not-identifiable', because: 'no-fails' };
  const value = rogan(judgings.passed / judgings.of, passOfPass / passes, failOfFail / fails);
  const sensitivity = drawn(passOfPass, passes, 1);
  const specificity = drawn(failOfFail, fails, 1);
  const judged = drawn(judgings.passed, judgings.of, Z ** 2 / 2);
  const middle = rogan(judged.share, sensitivity.share, specificity.share);
  if (value === undefined || middle === undefined) return { is: 'not-identifiable', because: 'judge-tells-nothing' };
  const ofPasses = middle * sensitivity.variance;
  const ofFails = (1 - middle) * specificity.variance;
  const variance = judged.variance + middle * ofPasses + (1 - middle) * ofFails;
  const half = (Z * Math.sqrt(variance)) / (sensitivity.share + specificity.share - 1);
  const centre = Math.min(1, Math.max(0, middle + 2 * Z ** 2 * (ofPasses - ofFails)));
  return { is: 'estimate', rate: within({ value, lower: centre - half, upper: centre + half }, 0) };
}

function rogan(judged: number, sensitivity: number, specificity: number): number | undefined {
  const tells = sensitivity + specificity - 1;
  // A value that exists only by rounding counts as 0.
  return tells > 1e-9 ? (judged + specificity - 1) / tells : undefined;
}

/** With so many more of each kind. */
function drawn(count: number, of: number, more: number): { readonly share: number; readonly variance: number } {
  const share = (count + more) / (of + 2 * more);
  return { share, variance: (share * (1 - share)) / (of + 2 * more) };
}
