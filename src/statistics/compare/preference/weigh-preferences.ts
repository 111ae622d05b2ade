/**
 * Weighs the preferences of a judge: for each two experiments, which wins how often, how certain that is, and the
 * judge's position bias.
 */
import type { PreferenceTally, WeighedPair, WeighedPreferences } from '../../../model/preference.ts';
import { type Comparisons, rank } from '../bradley-terry.ts';
import { levelOfShares } from '../level.ts';
import { meanOf } from '../measure.ts';
import { signFlips } from '../permutation.ts';
import { type AskedPair, positionLean, preferenceIn, tallyOf } from './tally.ts';

export function weighPreferences(asked: readonly AskedPair[], confidence = 0.95): WeighedPreferences {
  const byPair = Map.groupBy(asked, ({ a, b }) => JSON.stringify([a, b]));
  const pairs = [...byPair.values()].map(weighed);
  const lean = positionLean(asked);
  return {
    pairs,
    lean: { ...lean, ...leanOf(asked) },
    ranking: pairs.length < 2 ? undefined : rank(pairs.map(comparison), confidence),
  };
}

function comparison({ a, b, winsA, winsB, ties }: PreferenceTally): Comparisons {
  return { a, b, wins_a: winsA, wins_b: winsB, ties };
}

function weighed(asked: readonly AskedPair[]): WeighedPair {
  const shares = sharesByCase(asked, (pair) => {
    const preference = preferenceIn(pair);
    return typeof preference === 'string' ? undefined : (1 + preference[1] - preference[0]) / 2;
  });
  return { ...tallyOf(asked), ...estimated(shares) };
}

/** Repeats of a case, and the two orders, are no independent decisions: the case is the unit, as everywhere. */
function leanOf(asked: readonly AskedPair[]) {
  return estimated(
    sharesByCase(asked, (pair) => {
      const { first, decided } = positionLean([pair]);
      return decided === 0 ? undefined : first / decided;
    }),
  );
}

function sharesByCase(
  asked: readonly AskedPair[],
  shareOf: (pair: AskedPair) => number | undefined,
): readonly number[] {
  return [...Map.groupBy(asked, (pair) => pair.case).values()].flatMap((ofCase) => {
    const mean = meanOf(ofCase.map(shareOf).filter((share) => share !== undefined));
    return mean === undefined ? [] : [mean];
  });
}

function estimated(shares: readonly number[]): Pick<WeighedPair, 'share' | 'p'> {
  const share = levelOfShares(shares);
  if ('because' in share) return { share: undefined, p: undefined };
  return { share, p: signFlips(shares.map((one) => 2 * one - 1)).p };
}
