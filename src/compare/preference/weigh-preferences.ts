/** What the preferences of a judge come to: for each two experiments who wins how often, how sure that is, and how much the judge leans to a place. */
import { type Comparisons, rank, type Ranking } from '../bradley-terry.ts';
import type { Estimated } from '../estimated.ts';
import { levelOfShares } from '../level.ts';
import { meanOf } from '../measure.ts';
import { signFlips } from '../permutation.ts';
import {
  type AskedPair,
  type PositionLean,
  positionLean,
  preferenceIn,
  type PreferenceTally,
  tallyOf,
} from './tally.ts';

export interface WeighedPreferences {
  readonly pairs: readonly WeighedPair[];
  readonly lean: PositionLean & {
    /** The share of decisions for what stood first; undefined where nothing was decided. */
    readonly share: Estimated | undefined;
    /** Whether a judge without a lean would be as one-sided as this one. */
    readonly p: number | undefined;
  };
  /** Of three and more; undefined of two. */
  readonly ranking: Ranking | undefined;
}

export interface WeighedPair extends PreferenceTally {
  /** Of b: a win is one, a tie a half. Undefined where nothing is known. */
  readonly share: Estimated | undefined;
  /** Of a share of b as far from a half, if the two were as good as each other. */
  readonly p: number | undefined;
}

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

function estimated(shares: readonly number[]): {
  readonly share: Estimated | undefined;
  readonly p: number | undefined;
} {
  const share = levelOfShares(shares);
  if ('because' in share) return { share: undefined, p: undefined };
  return { share, p: signFlips(shares.map((one) => 2 * one - 1)).p };
}
