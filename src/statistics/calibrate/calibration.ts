/** How far a judge can be trusted: everything that labels by people say about one version of a judged criterion. */
import { type Confusion, confusionOf, type LabelledVerdict } from './confusion.ts';
import { type Judgings, type WeighedFigures, weighedByVerdict } from './weighed-by-verdict.ts';

export interface Calibration extends WeighedFigures {
  readonly confusion: Confusion;
  readonly judgings: Judgings;
}

export function calibrate(pairs: Iterable<LabelledVerdict>, judgings: Judgings): Calibration {
  const confusion = confusionOf(pairs);
  return { confusion, judgings, ...weighedByVerdict(confusion, judgings) };
}
