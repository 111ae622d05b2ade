import { expect, test } from 'vitest';
import { areaWithinCases, estimatedArea } from '../../../src/statistics/calibrate/area-under-curve.ts';

const scored = (rows: readonly (readonly [score: number, isPositive: boolean, ownCase?: string])[]) =>
  rows.map(([score, isPositive, ownCase]) => ({ score, isPositive, case: ownCase }));

test('the interval of the area is that of DeLong with half a conversation more of each kind at each end', () => {
  const tied = estimatedArea(scored([true, true, false, false].map((good) => [0, good] as const)));

  // The four ends are off by ±0.416667 each: variance 2 · 3/2 · 0.173611 / 9 = 0.057870.
  expect(tied?.value).toBe(0.5);
  expect(tied?.lower).toBeCloseTo(0.5 - 1.959964 * Math.sqrt(0.0578704), 5);
  expect(tied?.upper).toBeCloseTo(0.5 + 1.959964 * Math.sqrt(0.0578704), 5);
});

test('a few that rank all right have an interval all the same, and one kind alone has none', () => {
  const right = estimatedArea(
    scored([
      [2, true],
      [1, false],
    ]),
  );
  expect(right?.value).toBe(1);
  expect(right?.upper).toBe(1);
  expect(right?.lower).toBeLessThan(0.5);
  expect(estimatedArea(scored([[1, true]]))).toBeUndefined();
});

test('conversations of the same case make the interval wider than as many cases of their own', () => {
  const rows = Array.from({ length: 40 }, (_, index) => ({ score: (index * 7) % 10, isPositive: index % 10 < 5 }));
  const alone = estimatedArea(rows);
  const together = estimatedArea(rows.map((row, index) => ({ ...row, case: String(index % 10) })));

  expect(together?.value).toBe(alone?.value);
  const widthOf = (of: typeof alone) => (of === undefined ? 0 : of.upper - of.lower);
  expect(widthOf(together)).toBeGreaterThan(widthOf(alone));
});

test('within cases only pairs of the same case are compared; cases of one kind and conversations without one are left out', () => {
  // Between cases the score ranks all pairs wrong; within cases, five of ten pairs are right.
  const pairs = Array.from({ length: 10 }, (_, index) => {
    const right = index < 5;
    return [
      [right ? 1 : 0, true, `c${index}`],
      [right ? 0 : 1, false, `c${index}`],
    ] as const;
  }).flat();
  const found = areaWithinCases(scored([...pairs, [-9, true, 'easy'], [9, false, 'hard'], [-9, true], [9, false]]));

  expect(found).toMatchObject({ cases: 10, pairs: 10, area: { value: 0.5 } });
  // With half a case more of each kind: variance 11/10 · 11 · 0.25 / 11² = 0.025.
  expect(found?.area.lower).toBeCloseTo(0.5 - 1.959964 * Math.sqrt(0.025), 5);
  expect(found?.area.upper).toBeCloseTo(0.5 + 1.959964 * Math.sqrt(0.025), 5);
  expect(
    areaWithinCases(
      scored([
        [1, true],
        [0, false],
      ]),
    ),
  ).toBeUndefined();
});
