/** Which test a measure has: exact where results are yes or no, by exchange else. It says whether the two could be the same, not by how much they differ. */
import { pairsOf, shareCases } from './change.ts';
import type { NotEstimable } from './estimated.ts';
import { fisher, type TestResult } from './exact-tests.ts';
import { type CaseEffort, effortsOf, isEffort, type Measure, meanOf, valuesOf } from './measure.ts';
import { dealtAgain, exchangedPairs, signFlips } from './permutation.ts';
import { ratioOf } from './ratio.ts';
import type { SuiteRuns } from './suite-runs.ts';

export function testDifference(a: SuiteRuns, b: SuiteRuns, measure: Measure): TestResult | NotEstimable {
  const isPaired = shareCases(a, b);
  if (isEffort(measure)) {
    const [ofA, ofB] = [effortsOf(a, measure), effortsOf(b, measure)];
    const pairs = pairsOf(ofA, ofB);
    if (isPaired ? pairs.length === 0 : ofA.size === 0 || ofB.size === 0) return { because: NOTHING };
    return isPaired
      ? exchangedPairs(pairs.length, (isExchanged) => risenOfPairs(pairs, isExchanged))
      : dealtAgain([...ofA.values()], [...ofB.values()], risen);
  }
  const [ofA, ofB] = [valuesOf(a, measure), valuesOf(b, measure)];
  const pairs = pairsOf(ofA, ofB);
  if (isPaired ? pairs.length === 0 : ofA.size === 0 || ofB.size === 0) return { because: NOTHING };
  return isPaired
    ? signFlips(pairs.map(([one, other]) => other - one))
    : unpairedTest([...ofA.values()], [...ofB.values()]);
}

const NOTHING = 'there are not cases in both that say anything of it';

export function unpairedTest(a: readonly number[], b: readonly number[]): TestResult {
  if ([...a, ...b].every((value) => value === 0 || value === 1))
    return fisher({ passes: sum(a), of: a.length }, { passes: sum(b), of: b.length });
  return dealtAgain(a, b, (some, others) => (meanOf(others) ?? 0) - (meanOf(some) ?? 0));
}

/** As logarithm, so that twice as much and half as much are as far from none. */
function risen(a: readonly CaseEffort[], b: readonly CaseEffort[]): number {
  return Math.log(ratioOf(b)) - Math.log(ratioOf(a));
}

function risenOfPairs(pairs: readonly (readonly [CaseEffort, CaseEffort])[], isExchanged: Uint8Array): number {
  let [effortA, successA, effortB, successB] = [0, 0, 0, 0];
  for (const [index, pair] of pairs.entries()) {
    const [a, b] = isExchanged[index] === 1 ? [pair[1], pair[0]] : pair;
    effortA += a.effort;
    successA += a.success;
    effortB += b.effort;
    successB += b.success;
  }
  return Math.log(effortB / successB) - Math.log(effortA / successA);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
