/**
 * How many cases it would take to find a difference that matters, with four chances out of five (power 80 %):
 *
 *     n = ((z(1 − α/2) + z(0.8)) / δ)² × variance of the cases' differences,   at least log(α/2) / log(1 − δ)
 *
 * with δ the smallest difference that matters. To the differences that were seen come two that were not, with half a weight each, as far from none as can be, so that a few
 * cases that all agree do not look as though all cases would. The second figure is what it takes where they do all agree: with less, a share δ of
 * cases that are different could have been missed. Where cases are different ones the variances of both add up, and n is of each; relative
 * differences are those of logarithms.
 */
import { type CaseEffort, meanOf } from './measure.ts';
import { normalPoint } from './normal.ts';

interface Asked {
  /** 1 − confidence. */
  readonly alpha: number;
  readonly smallest: number;
}

const POWER = 0.8;

/** Of differences between −1 and 1, one a case. */
export function casesNeeded(differences: readonly number[], asked: Asked): number {
  return needed((variance(differences) * differences.length + 1) / (differences.length + 1), asked.smallest, asked);
}

/** Of each, of values between 0 and 1. */
export function casesNeededApart(a: readonly number[], b: readonly number[], asked: Asked): number {
  const spread = (values: readonly number[]) => {
    const mean = meanOf(values) ?? 0.5;
    // The unseen ones are at 0 and 1, with half a weight each.
    const unseen = (mean ** 2 + (1 - mean) ** 2) / 2;
    return (variance(values) * values.length + unseen) / (values.length + 1);
  };
  return needed(spread(a) + spread(b), asked.smallest, asked);
}

/** For a ratio of ratios: how far each case pulls its logarithm. */
export function casesNeededForEffort(pairs: readonly (readonly [CaseEffort, CaseEffort])[], asked: Asked): number {
  const [ofA, ofB] = [pullsOf(pairs.map(([a]) => a)), pullsOf(pairs.map(([, b]) => b))];
  const pulls = ofB.map((pull, index) => pull - (ofA[index] ?? 0));
  return needed((variance(pulls) * pulls.length + 1) / (pulls.length + 1), Math.log1p(asked.smallest), asked);
}

export function casesNeededForEffortApart(a: readonly CaseEffort[], b: readonly CaseEffort[], asked: Asked): number {
  const spread = (cases: readonly CaseEffort[]) => (variance(pullsOf(cases)) * cases.length + 1) / (cases.length + 1);
  return needed(spread(a) + spread(b), Math.log1p(asked.smallest), asked);
}

function needed(spread: number, distance: number, { alpha }: Asked): number {
  const reach = normalPoint(1 - alpha / 2) + normalPoint(POWER);
  const byVariance = (reach / distance) ** 2 * spread;
  const wereAllEqual = Math.log(alpha / 2) / Math.log1p(-Math.min(distance, 0.999));
  return Math.ceil(Math.max(byVariance, wereAllEqual));
}

/** By how much log(mean effort / mean success) moves with the weight of each case. */
function pullsOf(cases: readonly CaseEffort[]): number[] {
  const effort = meanOf(cases.map((one) => one.effort)) ?? 0;
  const success = meanOf(cases.map((one) => one.success)) ?? 0;
  return cases.map((one) => (effort > 0 ? one.effort / effort : 1) - (success > 0 ? one.success / success : 1));
}

function variance(numbers: readonly number[]): number {
  const middle = meanOf(numbers) ?? 0;
  return meanOf(numbers.map((number) => (number - middle) ** 2)) ?? 0;
}
