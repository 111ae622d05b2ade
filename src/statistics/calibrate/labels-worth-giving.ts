/**
 * How many more labels are worth giving, and of what: until kappa is known to a tenth on either side, which tells a judge
 * that can be trusted (0.8) from one that cannot (0.6). The width of an interval shrinks with the root of the number of
 * labels, so the number is worked out from the width that there is. Until there are some of each verdict, no width can be
 * trusted: first, labels of what is missing are needed.
 */
import type { Calibration } from './calibration.ts';
import { nextToLabel } from './weighed-by-verdict.ts';

const HALF_WIDTH_WANTED = 0.1;
/** Labels of each verdict before a width means anything. */
const OF_EACH_VERDICT = 5;
/** The first goal, if too little is known. */
const FIRST_GOAL = 20;
/** More than this nobody gives for a tenth. */
const MOST = 500;

type Labelled = 'passed' | 'failed';
type LabelsWorth =
  /** Too little is labelled of what it passes, or fails. */
  | { readonly is: 'first'; readonly more: number; readonly missing: readonly Labelled[] }
  /** Labels of these tell more. */
  | { readonly is: 'narrower'; readonly more: number; readonly next: Labelled }
  | { readonly is: 'enough' };

export function labelsWorthGiving({
  confusion,
  judgings,
  kappa,
}: Pick<Calibration, 'confusion' | 'judgings' | 'kappa'>): LabelsWorth {
  const ofPassed = confusion.passOfPass + confusion.passOfFail;
  const ofFailed = confusion.failOfPass + confusion.failOfFail;
  const isGiven = {
    passed: judgings.of === 0 || judgings.passed > 0,
    failed: judgings.passed < judgings.of || judgings.of === 0,
  };
  const labels = ofPassed + ofFailed;
  const missing = [
    ...(isGiven.passed && ofPassed < OF_EACH_VERDICT ? (['passed'] as const) : []),
    ...(isGiven.failed && ofFailed < OF_EACH_VERDICT ? (['failed'] as const) : []),
  ];
  if (kappa === undefined || missing.length > 0)
    return { is: 'first', more: Math.max(OF_EACH_VERDICT, FIRST_GOAL - labels), missing };
  const half = (kappa.upper - kappa.lower) / 2;
  if (half <= HALF_WIDTH_WANTED) return { is: 'enough' };
  const needed = Math.ceil(labels * (half / HALF_WIDTH_WANTED) ** 2);
  return { is: 'narrower', more: Math.min(MOST, needed - labels), next: nextToLabel(confusion, judgings) };
}
