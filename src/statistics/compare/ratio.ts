/**
 * Computes the effort per success: a ratio of two means over cases, and how such a ratio changed.
 *
 * Ratios have no bound as simple as means have (`unseen-case.ts`), but the same idea holds. The cases get weights drawn
 * evenly from all that add up to 1, and an unseen case is added that is as bad as possible for the bound. There is no
 * largest cost that is possible, so the unseen case costs as much (or as little) as the worst that was seen, and fails
 * (or succeeds). The bounds come from the ratio over many draws. The draws come from a fixed seed: the same experiments
 * give the same bounds.
 */
import { randomFrom } from '../../model/random.ts';
import { DRAWS, type Drawn, exponential } from './draws.ts';
import type { CaseEffort } from './measure.ts';

export function ratioOf(cases: readonly CaseEffort[]): number {
  return sum(cases, ({ effort }) => effort) / sum(cases, ({ success }) => success);
}

/** `lower` is drawn with the unseen case that is good, `upper` with the one that is bad. */
export function drawRatio(cases: readonly CaseEffort[], seed: number): Drawn {
  const drawn = drawUnsorted(cases, seed);
  return { lower: drawn.lower.sort(), upper: drawn.upper.sort() };
}

/** Ratio of b to a, if the cases are different ones. */
export function drawChange(a: readonly CaseEffort[], b: readonly CaseEffort[]): Drawn {
  const [ofA, ofB] = [drawUnsorted(a, 1), drawUnsorted(b, 2)];
  return {
    lower: ofB.lower.map((ratio, draw) => ratio / (ofA.upper[draw] as number)).sort(),
    upper: ofB.upper.map((ratio, draw) => ratio / (ofA.lower[draw] as number)).sort(),
  };
}

/**
 * Ratio of b to a, each case paired with itself. The unseen case costs in a what cases cost on average, and in b
 * differs from it as far as the worst did; in the one it succeeds, in the other it fails.
 */
export function drawPairedChange(pairs: readonly (readonly [CaseEffort, CaseEffort])[]): Drawn {
  const count = pairs.length;
  const meanA = sum(pairs, ([a]) => a.effort) / count;
  const meanB = sum(pairs, ([, b]) => b.effort) / count;
  const risen = meanB / meanA;
  const differences = pairs.map(([a, b]) =>
    Number.isFinite(risen) ? b.effort - risen * a.effort : b.effort - a.effort,
  );
  const dearest = meanB + Math.max(...differences);
  const cheapest = Math.max(0, meanB + Math.min(...differences));
  const random = randomFrom(1);
  const lower = new Float64Array(DRAWS);
  const upper = new Float64Array(DRAWS);
  for (let draw = 0; draw < DRAWS; draw += 1) {
    let [effortA, successA, effortB, successB] = [0, 0, 0, 0];
    for (const [a, b] of pairs) {
      const weight = exponential(random);
      effortA += weight * a.effort;
      successA += weight * a.success;
      effortB += weight * b.effort;
      successB += weight * b.success;
    }
    const unseen = exponential(random);
    const costA = effortA + unseen * meanA;
    lower[draw] = (effortB + unseen * cheapest) / (successB + unseen) / (costA / successA);
    upper[draw] = (effortB + unseen * dearest) / successB / (costA / (successA + unseen));
  }
  return { lower: lower.sort(), upper: upper.sort() };
}

function drawUnsorted(cases: readonly CaseEffort[], seed: number): Drawn {
  const efforts = cases.map(({ effort }) => effort);
  const [cheapest, dearest] = [Math.min(...efforts), Math.max(...efforts)];
  const random = randomFrom(seed);
  const lower = new Float64Array(DRAWS);
  const upper = new Float64Array(DRAWS);
  for (let draw = 0; draw < DRAWS; draw += 1) {
    let [effort, success] = [0, 0];
    for (const one of cases) {
      const weight = exponential(random);
      effort += weight * one.effort;
      success += weight * one.success;
    }
    const unseen = exponential(random);
    lower[draw] = (effort + unseen * cheapest) / (success + unseen);
    upper[draw] = (effort + unseen * dearest) / success;
  }
  return { lower, upper };
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
