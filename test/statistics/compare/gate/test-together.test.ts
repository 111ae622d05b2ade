import { expect, test } from 'vitest';
import { sharing, testTogether } from '../../../../src/statistics/compare/gate/test-together.ts';

interface Rule {
  readonly p: number;
}

const rules = (...values: readonly number[]): readonly Rule[] => values.map((p) => ({ p }));
const group = (weight: number, all: readonly Rule[]) => sharing(weight, all, ({ p }, tail) => p <= tail);

test('each has its share of the error, and a broken one gives its share to the others', () => {
  const [success, criteria, limits] = [rules(0.02), rules(0.024), rules(0.9)];
  const foundAt = testTogether([...group(2, success), ...group(1, criteria), ...group(1, limits)], 0.05);

  // 0.02 is within 0.05 × 2/4; then 0.024 is within 0.05 × 1/2, and not within 0.05 × 1/4.
  expect([success, criteria, limits].map(([one]) => foundAt(one))).toEqual([
    { isBroken: true, tail: 0.025 },
    { isBroken: true, tail: 0.025 },
    { isBroken: false, tail: 0.05 },
  ]);
});

test('a group has its weight together', () => {
  const [success, criteria] = [rules(0.0167), rules(0.0083, 0.0084)];
  const foundAt = testTogether([...group(2, success), ...group(2, criteria)], 0.05);
  const tails = [...success, ...criteria].map((one) => foundAt(one));

  // 0.05 × 1/4 for each criterion; when both are broken, all of it is left for success.
  expect(tails.map(({ isBroken }) => isBroken)).toEqual([true, true, true]);
  expect(tails.map(({ tail }) => tail)).toEqual([0.025, 0.0125, 0.0125]);
});

test('nothing is found where each is just beyond its share, or where nothing is tested', () => {
  const all = [rules(0.0251), rules(0.0126), rules(0.0126)] as const;
  const foundAt = testTogether([...group(2, all[0]), ...group(1, all[1]), ...group(1, all[2])], 0.05);

  expect(all.flat().map((one) => foundAt(one).isBroken)).toEqual([false, false, false]);
  expect(testTogether([], 0.05)('none')).toEqual({ isBroken: false, tail: 0.05 });
});

test('one group is Holm', () => {
  const all = rules(0.001, 0.02, 0.03, 0.04);
  const foundAt = testTogether(group(1, all), 0.05);

  // 0.001 ≤ 0.05/4; 0.02 > 0.05/3.
  expect(all.map((one) => foundAt(one).isBroken)).toEqual([true, false, false, false]);
  expect(all.map((one) => foundAt(one).tail)).toEqual([0.0125, ...[1, 2, 3].map(() => expect.closeTo(0.05 / 3, 12))]);
});
