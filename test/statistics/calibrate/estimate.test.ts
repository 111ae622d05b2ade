import { expect, test } from 'vitest';
import { meanOf, type ScoreSums, shareOf, standardErrorOf } from '../../../src/statistics/calibrate/estimate.ts';

function sums(scores: readonly number[]): ScoreSums {
  return {
    n: scores.length,
    sum: scores.reduce((sum, score) => sum + score, 0),
    squares: scores.reduce((sum, score) => sum + score ** 2, 0),
  };
}

test('scores that are all the same do not say that the mean is known exactly', () => {
  const forty = meanOf(sums(Array.from({ length: 40 }, () => 1)));
  const share = shareOf(40, 40);

  expect(forty).toMatchObject({ value: 1, upper: 1 });
  // As wide as the share of successes says, of which this is the same.
  expect(forty?.lower).toBeLessThan(0.93);
  expect(forty?.lower).toBeLessThan((share?.lower ?? 0) + 0.01);
  expect(standardErrorOf(sums([0.5, 0.5]))).toBeGreaterThan(0.1);
});

test('of many scores it is the usual interval, and the value is always in it', () => {
  const scores = Array.from({ length: 10_000 }, (_, index) => (index % 4) / 4);
  const { value = 0, lower = 0, upper = 0 } = meanOf(sums(scores)) ?? {};
  const deviation = Math.sqrt(scores.reduce((sum, score) => sum + (score - value) ** 2, 0) / 9_999);

  expect(value).toBeCloseTo(0.375, 10);
  expect(upper - lower).toBeCloseTo((2 * 1.96 * deviation) / 100, 3);
  for (const one of [0, 1, 0.2]) {
    const found = meanOf(sums([one, one, one]));
    expect(found?.value).toBeCloseTo(one, 10);
    expect(found?.lower).toBeLessThanOrEqual(one);
    expect(found?.upper).toBeGreaterThanOrEqual(one);
  }
});

test('nothing can be said of one score, and of none', () => {
  expect(meanOf(sums([]))).toBeUndefined();
  expect(meanOf(sums([1]))).toBeUndefined();
  expect(standardErrorOf(sums([1]))).toBeUndefined();
});
