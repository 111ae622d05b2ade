import { describe, expect, test } from 'vitest';
import { testDifference } from '../../../src/statistics/compare/difference-test.ts';
import { holm } from '../../../src/statistics/compare/exact-tests.ts';
import { SuiteRuns } from '../../../src/statistics/compare/suite-runs.ts';
import { chanceAbove, lowerBound, upperBound } from '../../../src/statistics/compare/unseen-case.ts';
import { randomFrom } from '../../random.ts';
import { experimentOf, type RunLine, SUITE } from './experiments.ts';

const TAILS = [0.5, 0.1, 0.025, 0.0005];

describe('bounds of a mean', () => {
  test.each(TAILS)('of n that are all equal to the end is tail to the power of 1/n: %f', (tail) => {
    for (const count of [1, 2, 10, 72, 1000]) {
      const ones = Array.from({ length: count }, () => 1);

      expect(lowerBound(ones, 0, tail)).toBeCloseTo(tail ** (1 / count), 9);
      expect(upperBound(ones, 1, tail)).toBe(1);
    }
  });

  test('of nothing are all that is possible', () => {
    expect([lowerBound([], -1, 0.05), upperBound([], 1, 0.05)]).toEqual([-1, 1]);
  });

  test.each([1, 2, 3, 4])('lie where the chance to exceed them is the tail, whatever the values: seed %i', (seed) => {
    const random = randomFrom(seed);
    for (let round = 0; round < 50; round += 1) {
      // From one value to many, from all alike to all over the place, some hardly off the end.
      const count = 1 + Math.floor(random() ** 2 * 300);
      const grain = 1 + Math.floor(random() * 8);
      const values = Array.from({ length: count }, () =>
        random() < 0.1 ? 1 - random() * 1e-9 : Math.round((2 * random() - 1) * grain) / grain,
      );
      for (const tail of TAILS) {
        const bound = upperBound(values, 1, tail);

        expect(bound).toBeLessThanOrEqual(1);
        expect(bound).toBeGreaterThanOrEqual(Math.min(...values));
        if (1 - bound > 1e-7 * (1 - Math.min(...values)))
          expect(chanceAbove(values, 1, bound) / tail).toBeCloseTo(1, 6);
        expect(
          lowerBound(
            values.map((value) => -value),
            -1,
            tail,
          ),
        ).toBeCloseTo(-bound, 12);
      }
    }
  });

  test('narrow as cases are added that are like the others', () => {
    const values = [0.2, 0.4, 0.4, 0.6, 0.8, 1];
    const widths = [1, 4, 16].map((times) => {
      const all = Array.from({ length: times }, () => values).flat();
      return upperBound(all, 1, 0.025) - lowerBound(all, 0, 0.025);
    });

    expect(widths[1]).toBeLessThan(0.65 * (widths[0] ?? 0));
    expect(widths[2]).toBeLessThan(0.6 * (widths[1] ?? 0));
  });
});

describe('an agent beside itself', () => {
  const CRITERIA = ['a', 'b', 'c', 'd', 'e', 'f'];
  const ROUNDS = 400;

  /** Cases differ in how hard they are; `lost` is what the first criterion lost. */
  function experiment(random: () => number, hardness: readonly number[], lost: number): SuiteRuns {
    const lines = hardness.map((hard, index): RunLine => {
      const verdicts = Object.fromEntries(
        CRITERIA.map((name, at) => [name, random() < hard - (at === 0 ? lost : 0) ? 'pass' : 'fail'] as const),
      );
      return { case: `case-${index}`, evaluations: [{ verdicts, score: 1, outcome: 'successful_completion' }] };
    });
    return new SuiteRuns(experimentOf('x', lines), SUITE);
  }

  function adjusted(random: () => number, lost: number): number[] {
    const hardness = Array.from({ length: 40 }, () => 0.5 + 0.5 * random());
    const [a, b] = [experiment(random, hardness, 0), experiment(random, hardness, lost)];
    return holm(
      CRITERIA.map((name) => {
        const found = testDifference(a, b, { is: 'criterion', name });
        return 'because' in found ? 1 : found.p;
      }),
    );
  }

  test('has a criterion called better or worse in at most one of twenty comparisons, however many there are', () => {
    const random = randomFrom(11);
    let called = 0;
    for (let round = 0; round < ROUNDS; round += 1) if (adjusted(random, 0).some((p) => p <= 0.05)) called += 1;

    expect(called).toBeLessThanOrEqual(0.05 * ROUNDS);
  });

  test('and one that lost two of five is called so nearly always, by its name', () => {
    const random = randomFrom(12);
    let [named, others] = [0, 0];
    for (let round = 0; round < ROUNDS / 4; round += 1) {
      const [first = 1, ...rest] = adjusted(random, 0.4);
      if (first <= 0.05) named += 1;
      if (rest.some((p) => p <= 0.05)) others += 1;
    }

    expect(named).toBeGreaterThanOrEqual(0.75 * (ROUNDS / 4));
    expect(others).toBeLessThanOrEqual(0.05 * (ROUNDS / 4));
  });
});
