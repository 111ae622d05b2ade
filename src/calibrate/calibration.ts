/** How far a judge can be trusted: everything that labels by people say about one version of a judged criterion. */
import type { Estimate } from '../model/estimate.ts';
import { type Confusion, confusionOf, type LabelledVerdict } from './confusion.ts';
import { type CorrectedRate, correctedRate, type Judgings } from './corrected-rate.ts';
import { shareOf } from './estimate.ts';
import { kappaOf } from './kappa.ts';

export interface Calibration {
  readonly confusion: Confusion;
  /** Share of the subjects that people pass and the judge passes too. Undefined where people have passed nothing. */
  readonly sensitivity: Estimate | undefined;
  /** Share of the subjects that people fail and the judge fails too. */
  readonly specificity: Estimate | undefined;
  readonly kappa: Estimate | undefined;
  /** Share that would pass if people answered everything that the judge did. */
  readonly passRate: CorrectedRate;
}

export function calibrate(pairs: Iterable<LabelledVerdict>, judgings: Judgings): Calibration {
  const confusion = confusionOf(pairs);
  const { passOfPass, failOfPass, passOfFail, failOfFail } = confusion;
  return {
    confusion,
    sensitivity: shareOf(passOfPass, passOfPass + failOfPass),
    specificity: shareOf(failOfFail, passOfFail + failOfFail),
    kappa: kappaOf(confusion),
    passRate: correctedRate(confusion, judgings),
  };
}
