/** Which test a measure has: exact where results are yes or no, by exchange else. It says whether the two could be the same, not by how much they differ. */
import { pairsOf, shareCases } from './change.ts';
import type { NotEstimable } from '../../model/estimated.ts';
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
      ? exchangedPairs(pairs.length, risenOfPairs(pairs))
      : unpairedEffortTest([...ofA.values()], [...ofB.values()]);
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

function unpairedEffortTest(a: readonly CaseEffort[], b: readonly CaseEffort[]): TestResult {
  return dealtAgain(a, b, risen);
}

/** Logarithm of the ratio, so that twice as much and half as much are equally far from no change. */
function risen(a: readonly CaseEffort[], b: readonly CaseEffort[]): number {
  return Math.log(ratioOf(b)) - Math.log(ratioOf(a));
}

/** Ratio for pairs some of which are exchanged: what the one has more, the other has less. */
function risenOfPairs(pairs: readonly (readonly [CaseEffort, CaseEffort])[]): (isExchanged: Uint8Array) => number {
  const [ofA, ofB] = [pairs.map(([a]) => a), pairs.map(([, b]) => b)];
  const effort = Float64Array.from(pairs, ([a, b]) => a.effort - b.effort);
  const success = Float64Array.from(pairs, ([a, b]) => a.success - b.success);
  const [effortA, effortB] = [ofA, ofB].map((cases) => sum(cases.map((one) => one.effort))) as [number, number];
  const [successA, successB] = [ofA, ofB].map((cases) => sum(cases.map((one) => one.success))) as [number, number];
  return (isExchanged) => {
    let [moreEffort, moreSuccess] = [0, 0];
    for (let index = 0; index < effort.length; index += 1) {
      if (isExchanged[index] !== 1) continue;
      moreEffort += effort[index] as number;
      moreSuccess += success[index] as number;
    }
    const [costB, costA] = [
      (effortB + moreEffort) / (successB + moreSuccess),
      (effortA - moreEffort) / (successA - moreSuccess),
    ];
    return Math.log(costB) - Math.log(costA);
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
