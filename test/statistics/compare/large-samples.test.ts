/** Samples that are too large to be drawn value by value: the bounds are those of the drawn ones, and take no longer. */
import { expect, test } from 'vitest';
import { unpairedChange } from '../../../src/statistics/compare/change.ts';
import { unpairedTest } from '../../../src/statistics/compare/difference-test.ts';
import { gamma } from '../../../src/statistics/compare/gamma.ts';
import { randomFrom } from '../../../src/model/random.ts';

const shares = (count: number, passes: number) => Array.from({ length: count }, (_, index) => (index < passes ? 1 : 0));

function boundsOf(ofA: readonly number[], ofB: readonly number[]): readonly [number, number] {
  const change = unpairedChange(ofA, ofB);
  if ('because' in change) throw new Error(change.because);
  return [change.lower(0.025), change.upper(0.025)];
}

test.each([
  ['shares', (count: number) => [shares(count, count * 0.8), shares(count, count * 0.7)] as const],
  [
    'scores',
    (count: number) =>
      [
        Array.from({ length: count }, (_, index) => (index % 5) / 4),
        Array.from({ length: count }, (_, index) => (index % 4) / 4),
      ] as const,
  ],
  ['values that all agree', (count: number) => [shares(count, count), shares(count, count)] as const],
])('of %s, bounds are the same whether values are drawn one by one or together', (_, samples) => {
  const [lowerBefore, upperBefore] = boundsOf(...samples(1_000));
  // As many again of each value, so that the rates stay.
  const [lower, upper] = boundsOf(...samples(1_020));

  expect(Math.abs(lower - lowerBefore)).toBeLessThan(0.002);
  expect(Math.abs(upper - upperBefore)).toBeLessThan(0.002);
});

test('bounds of large samples narrow with the root of their size, as those of the normal distribution', () => {
  const [lower, upper] = boundsOf(shares(10_000, 8_000), shares(10_000, 7_900));
  const half = 1.96 * Math.sqrt((0.8 * 0.2 + 0.79 * 0.21) / 10_000);

  expect(lower).toBeCloseTo(-0.01 - half, 3);
  expect(upper).toBeCloseTo(-0.01 + half, 3);
});

test('a gamma variable has its shape as its mean and as its variance', () => {
  const random = randomFrom(3);
  for (const shape of [1, 2, 7, 500]) {
    const drawn = Array.from({ length: 20_000 }, () => gamma(shape, random));
    const mean = drawn.reduce((sum, value) => sum + value, 0) / drawn.length;
    const variance = drawn.reduce((sum, value) => sum + (value - mean) ** 2, 0) / drawn.length;

    expect(mean / shape).toBeCloseTo(1, 1);
    expect(variance / shape).toBeCloseTo(1, 1);
    expect(Math.min(...drawn)).toBeGreaterThan(0);
  }
});

test('scores of many conversations are exchanged fewer times, and chance is still told from a difference', () => {
  const scores = (count: number, more: number) =>
    Array.from({ length: count }, (_, index) => Math.min(1, (index % 7) / 7 + more));

  expect(unpairedTest(scores(5_000, 0), scores(5_000, 0.05)).p).toBeLessThan(0.001);
  expect(unpairedTest(scores(5_000, 0), scores(5_001, 0)).p).toBeGreaterThan(0.5);
});
