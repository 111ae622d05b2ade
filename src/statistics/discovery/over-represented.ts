/**
 * How far a fact is over-represented in some conversations: how likely so many have it by chance, and how many times as
 * often it comes there as in the others. Both are exact at small counts.
 */
import { logChoose } from '../compare/exact-tests.ts';

export interface Share {
  readonly count: number;
  readonly of: number;
}

/** How many times as often; without an upper end where none of the others have it. */
export interface Lift {
  readonly value: number | undefined;
  readonly low: number;
  readonly high: number | undefined;
}

/** Smaller terms change no digit of a sum. */
const NEGLIGIBLE = 1e-17;
/** Either end of either share is missed by so much: 5 % together, by Bonferroni's inequality. */
const MISSED = 0.0125;
const HALVINGS = 60;

/**
 * Fisher's exact test to one side. With both margins given, the count is hypergeometric:
 *
 *     P(X ≥ k) = Σ C(K, i) C(N − K, n − i) / C(N, n),  i from k to min(K, n)
 *
 * 1 where the count is not above its mean, because no such fact is looked for.
 */
export function chanceOfAtLeast(within: Share, beside: Share): number {
  const having = within.count + beside.count;
  const all = within.of + beside.of;
  if (within.count * all <= having * within.of) return 1;
  const most = Math.min(having, within.of);
  const first =
    logChoose(having, within.count) + logChoose(all - having, within.of - within.count) - logChoose(all, within.of);
  let [term, sum] = [1, 1];
  for (let count = within.count; count < most; count += 1) {
    term *= ((having - count) * (within.of - count)) / ((count + 1) * (all - having - within.of + count + 1));
    sum += term;
    if (term < sum * NEGLIGIBLE) break;
  }
  return Math.min(1, Math.exp(first) * sum);
}

/** The smallest chance that a fact with these margins could have, however it is divided. */
export function leastChance({ having, within, beside }: Record<'having' | 'within' | 'beside', number>): number {
  const count = Math.min(having, within);
  return chanceOfAtLeast({ count, of: within }, { count: having - count, of: beside });
}

/**
 * Ratio of the shares. Its interval is that of the exact intervals of both (Clopper and Pearson), each of 97.5 %: so it
 * holds the true ratio in 95 of 100 samples or more, at any count.
 */
export function liftOf(within: Share, beside: Share): Lift {
  const least = lowerEnd(beside);
  return {
    value: beside.count === 0 ? undefined : (within.count * beside.of) / (within.of * beside.count),
    low: lowerEnd(within) / upperEnd(beside),
    high: least === 0 ? undefined : upperEnd(within) / least,
  };
}

/** The share at which so many or more would come with the chance `MISSED`. */
function lowerEnd({ count, of }: Share): number {
  if (count === 0) return 0;
  let [low, high] = [0, count / of];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (low + high) / 2;
    if (binomialFrom({ count, of }, middle) < MISSED) low = middle;
    else high = middle;
  }
  return low;
}

function upperEnd({ count, of }: Share): number {
  return 1 - lowerEnd({ count: of - count, of });
}

/** P(X ≥ count) of a binomial, for a share below that of the count: its terms become less. */
function binomialFrom({ count, of }: Share, share: number): number {
  const odds = share / (1 - share);
  let [term, sum] = [1, 1];
  for (let next = count; next < of; next += 1) {
    term *= ((of - next) / (next + 1)) * odds;
    sum += term;
    if (term < sum * NEGLIGIBLE) break;
  }
  return sum * Math.exp(logChoose(of, count) + count * Math.log(share) + (of - count) * Math.log1p(-share));
}
