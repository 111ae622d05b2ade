import { expect, test } from 'vitest';
import { scaleOf } from '../../src/page/overview/trend-scale.ts';

const bucket = (success: number, tcr = success) => {
  const estimate = (value: number) => ({ value, low: 0, high: 1, n: 9 });
  return { success: estimate(success), tcr: estimate(tcr) };
};

test.each([
  ['a fall from 97 % to 85 %', [0.97, 0.85], 0.8, 1],
  ['all points at 100 %', [1, 1], 0.8, 1],
  ['all points at nothing', [0, 0], 0, 0.2],
  ['points in the middle', [0.52, 0.48], 0.4, 0.6],
  ['points everywhere', [0, 1], 0, 1],
])('%s', (_what, values, low, high) => {
  const scale = scaleOf(values.map((value) => bucket(value)));

  expect([scale.low, scale.high]).toEqual([low, high]);
  expect(scale.lines.at(-1)).toBe(high);
  expect(scale.lines.every((line) => line >= low && line <= high)).toBe(true);
  expect(scale.lines.length).toBeGreaterThan(3);
});

test('the mean score is in sight as well, and without a figure all of it is', () => {
  expect(scaleOf([bucket(0.97, 0.5)])).toMatchObject({ low: 0.4, high: 1 });
  expect(scaleOf([])).toMatchObject({ low: 0, high: 1 });
  expect(scaleOf([{}])).toMatchObject({ low: 0, high: 1 });
});
