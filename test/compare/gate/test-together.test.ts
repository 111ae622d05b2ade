import { expect, test } from 'vitest';
import { testTogether } from '../../../src/compare/gate/test-together.ts';

function tested(p: number, weight: number) {
  return { p, weight, isBrokenAt: (tail: number) => p <= tail };
}

test('each has its share of the error, and what is broken gives its share to the others', () => {
  const [success, criterion, limit] = [tested(0.02, 2), tested(0.024, 1), tested(0.9, 1)];
  const found = testTogether([success, criterion, limit], 0.05);

  // 0.02 is within 0.05 × 2/4; then 0.024 is within 0.05 × 1/2, and not within 0.05 × 1/4.
  expect(found.get(success)).toEqual({ isBroken: true, tail: 0.025 });
  expect(found.get(criterion)).toEqual({ isBroken: true, tail: 0.025 });
  expect(found.get(limit)).toEqual({ isBroken: false, tail: 0.05 });
});

test('nothing is found where each is just beyond its share', () => {
  const all = [tested(0.0251, 2), tested(0.0126, 1), tested(0.0126, 1)];

  expect([...testTogether(all, 0.05).values()].map(({ isBroken }) => isBroken)).toEqual([false, false, false]);
  expect(testTogether([], 0.05).size).toBe(0);
});

test('with equal weights it is Holm', () => {
  const all = [0.001, 0.02, 0.03, 0.04].map((p) => tested(p, 1));

  // 0.001 ≤ 0.05/4; 0.02 > 0.05/3.
  expect([...testTogether(all, 0.05).values()].filter(({ isBroken }) => isBroken)).toHaveLength(1);
});
