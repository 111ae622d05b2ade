/**
 * Words for changes of many agents at once, from counts alone: better, worse, or not told apart.
 *
 * Each agent is compared with itself by Fisher's exact test, and Holm's correction is over all comparisons of all agents:
 * the probability that any of them is called better or worse by chance is at most 5 %. That holds for one look, and not for
 * traffic that gets easier and harder by the hour. Alarms hold however often one looks, and allow for both
 * (`statistics/detect`).
 */
import type { FleetChange, Failures } from '../../../model/fleet.ts';
import type { About } from '../../../model/evaluation.ts';
import { changeWords } from '../../../model/suite-words.ts';
import { WIDE } from '../../../model/wide.ts';
import { shareOf } from '../../calibrate/estimate.ts';
import { fisher, holm } from '../exact-tests.ts';

const LEVEL = 0.05;
/** Larger sides are compared as if they were of this size, which makes nothing clearer than it is. */
const COUNTED_MAX = 20_000;

export interface FleetPair {
  readonly later: Failures;
  readonly earlier: Failures;
  readonly about: About;
  /** Conversations that say as much as one unrelated one: see `related.ts`. */
  readonly effect: number;
}

/** In the order of the pairs. */
export function fleetChanges(pairs: readonly FleetPair[]): readonly FleetChange[] {
  const chances = pairs.map(chanceOf);
  const corrected = holm(chances.filter((chance) => chance !== undefined));
  let at = 0;
  return pairs.map((pair, place) => {
    const chance = chances[place] === undefined ? undefined : corrected[at++];
    return { word: wordFor(pair, chance), later: pair.later, earlier: pair.earlier };
  });
}

/** Undefined where a side is empty. */
function chanceOf({ later, earlier, effect }: FleetPair): number | undefined {
  if (later.of === 0 || earlier.of === 0) return undefined;
  const by = Math.max(effect, later.of / COUNTED_MAX, earlier.of / COUNTED_MAX);
  return fisher(unrelated(earlier, by), unrelated(later, by)).p;
}

function unrelated({ failed, of }: Failures, by: number): { readonly passes: number; readonly of: number } {
  const count = Math.max(1, Math.floor(of / by));
  return { passes: Math.min(count, Math.round((of - failed) / by)), of: count };
}

function wordFor({ later, earlier, about, effect }: FleetPair, chance: number | undefined): FleetChange['word'] {
  if (chance === undefined) return 'not_enough_evidence';
  if (chance <= LEVEL) {
    const { good, bad } = changeWords(about);
    return later.failed / later.of > earlier.failed / earlier.of ? bad : good;
  }
  return [later, earlier].some((side) => isTooFew(side, effect)) ? 'not_enough_evidence' : 'no_difference_shown';
}

function isTooFew({ failed, of }: Failures, effect: number): boolean {
  const share = shareOf(failed / effect, of / effect);
  return share === undefined || share.upper - share.lower > WIDE;
}
