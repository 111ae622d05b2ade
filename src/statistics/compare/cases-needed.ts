/**
 * About how many cases it takes to tell whether a figure keeps a limit, if they go on like those that were seen. `assay gate` asks it of its limits, and
 * `assay compare` of the smallest difference that matters: both say the same number of the same change.
 *
 * Two things lie between a figure and its bound. Chance shrinks with the root of the number of cases. The case that was not seen (`unseen-case.ts`) lies `reach`
 * away from the figure, and has a weight of 1 − tail^(1/n). S is taken from the bound that there is now, and n is the least for which
 *
 *     reach (1 − tail^(1/n)) + S / √n  ≤  margin
 *
 * To be kept, a limit is shown by itself, at the tail of an interval. To be broken, it is shown as one of all that were looked at.
 */
import type { Estimated } from '../../model/estimated.ts';

interface Limited {
  readonly figure: Estimated;
  readonly limit: number;
  readonly isMoreBetter: boolean;
  /** Uses an interval with two ends for every question, so that no surface asks for fewer cases than another. */
  readonly confidence: number;
  /** How many figures of the suite are looked at for one that broke its limit. */
  readonly lookedAt: number;
}

/** More than this many, and more than so many times the cases there are, is no advice. */
const CASES_MAX = 1000;
const TIMES_MAX = 20;

/** Not more than there are where it can be told already; undefined where no number would do. */
export function casesNeeded({ figure, limit, isMoreBetter, confidence, lookedAt }: Limited): number | undefined {
  const isKept = isMoreBetter ? figure.value >= limit : figure.value <= limit;
  const tail = (1 - confidence) / 2 / (isKept ? 1 : Math.max(1, lookedAt));
  const margin = Math.abs(figure.value - limit);
  // A kept limit must be shown to be kept, and a broken one to be broken; the bound on the limit's side decides.
  const end = isKept === isMoreBetter ? 'lower' : 'upper';
  const half = Math.abs(figure.value - figure[end](tail));
  const unseen = (cases: number) => figure.reach[end] * (1 - tail ** (figure.samples / cases));
  const chance = Math.max(0, half - unseen(figure.cases)) * Math.sqrt(figure.cases);
  const tells = (cases: number) => unseen(cases) + chance / Math.sqrt(cases) <= margin;
  const most = Math.max(CASES_MAX, TIMES_MAX * figure.cases);
  if (!tells(most)) return undefined;
  let [few, enough] = [0, most];
  while (enough - few > 1) {
    const cases = Math.floor((few + enough) / 2);
    if (tells(cases)) enough = cases;
    else few = cases;
  }
  return enough;
}
