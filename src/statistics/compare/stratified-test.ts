/**
 * Did b pass less often than a, case by case? Birch's exact conditional test over the runs of all cases.
 *
 * If nothing changed, the runs of a case could as well have come in any other order. With the passes of both sides
 * together given, the number that b has of a case is then hypergeometric:
 *
 *     P(passes of b = k) = C(n_b, k) C(n_a, K − k) / C(n_a + n_b, K)
 *
 * The cases are independent, so the passes of b in all of them are the convolution, and p is its lower tail. A case
 * whose runs all passed or all failed has one possibility, and counts for neither side. With one run a side it is the
 * sign test: cases that were lost against cases that were won.
 *
 * Averaging each case first, as tests of means do, would lose power where a release breaks some cases entirely: of a
 * case with three runs a side only one of 20 orders has all passes on one side.
 */
import type { PassedRuns } from '../../model/gate.ts';
import { logChoose } from './exact-tests.ts';

/** A case: its runs in a and in b. */
export interface Stratum {
  readonly a: PassedRuns;
  readonly b: PassedRuns;
}

/** Probability that b has as few passes as it has, or fewer, if nothing changed. 1 if there is nothing to compare. */
export function chanceOfFewer(strata: readonly Stratum[]): number {
  let chances = [1];
  let above = 0;
  for (const stratum of strata.filter(mayDiffer)) {
    const { least, chances: own } = hypergeometric(stratum);
    above += stratum.b.passes - least;
    chances = convolved(chances, own);
  }
  const below = chances.slice(0, above + 1).reduce((sum, chance) => sum + chance, 0);
  return Math.min(1, below);
}

/** The smallest probability that runs like these could have: with no pass in b. */
export function chanceOfNone(strata: readonly Stratum[]): number {
  return Math.exp(
    strata.reduce((sum, { a, b }) => sum + logChoose(a.of, a.passes) - logChoose(a.of + b.of, a.passes), 0),
  );
}

/** Whether its runs have any other order: some passed, and some did not. */
export function mayDiffer({ a, b }: Stratum): boolean {
  const passes = a.passes + b.passes;
  return a.of > 0 && b.of > 0 && passes > 0 && passes < a.of + b.of;
}

/** Chances of `least` passes of b, of one more, and so on. */
function hypergeometric({ a, b }: Stratum): { readonly least: number; readonly chances: readonly number[] } {
  const passes = a.passes + b.passes;
  const [least, most] = [Math.max(0, passes - a.of), Math.min(b.of, passes)];
  const whole = logChoose(a.of + b.of, passes);
  const chances = Array.from({ length: most - least + 1 }, (_, index) => {
    const ofB = least + index;
    return Math.exp(logChoose(b.of, ofB) + logChoose(a.of, passes - ofB) - whole);
  });
  return { least, chances };
}

function convolved(one: readonly number[], other: readonly number[]): number[] {
  const sums = Array.from({ length: one.length + other.length - 1 }, () => 0);
  // The casts hold: all places lie within. Loops over places are several times as fast as iterators here.
  for (let i = 0; i < one.length; i += 1)
    for (let j = 0; j < other.length; j += 1)
      sums[i + j] = (sums[i + j] as number) + (one[i] as number) * (other[j] as number);
  return sums;
}
