/**
 * How many more labels are worth giving: until kappa is known to a tenth on either side, which tells a judge that can be
 * trusted (0.8) from one that cannot (0.6). The width of an interval shrinks with the root of the number of labels, so
 * the number is worked out from the width that there is. Until there are some of each kind, no width can be trusted:
 * first, labels of the kind that is missing are needed.
 */
import type { Confusion } from './confusion.ts';
import { kappaOf } from './kappa.ts';

const HALF_WIDTH_WANTED = 0.1;
/** Labels of each kind before a width means anything. */
const OF_EACH_KIND = 5;
/** The first goal, if too little is known. */
const FIRST_GOAL = 20;
/** More than this nobody gives for a tenth. */
const MOST = 500;

type LabelsWorth =
  | { readonly is: 'first'; readonly more: number; readonly missing: readonly ('pass' | 'fail')[] }
  | { readonly is: 'narrower'; readonly more: number }
  | { readonly is: 'enough' };

export function labelsWorthGiving(confusion: Confusion): LabelsWorth {
  const passes = confusion.passOfPass + confusion.failOfPass;
  const fails = confusion.passOfFail + confusion.failOfFail;
  const labels = passes + fails;
  const kappa = kappaOf(confusion);
  const missing = [
    ...(passes < OF_EACH_KIND ? (['pass'] as const) : []),
    ...(fails < OF_EACH_KIND ? (['fail'] as const) : []),
  ];
  if (kappa === undefined || missing.length > 0)
    return { is: 'first', more: Math.max(OF_EACH_KIND, FIRST_GOAL - labels), missing };
  const half = (kappa.upper - kappa.lower) / 2;
  if (half <= HALF_WIDTH_WANTED) return { is: 'enough' };
  const needed = Math.ceil(labels * (half / HALF_WIDTH_WANTED) ** 2);
  return { is: 'narrower', more: Math.min(MOST, needed - labels) };
}
