import { expect, test } from 'vitest';
import { pairedChange } from '../../../src/statistics/compare/change.ts';
import { pairedShareChange, unpairedShareChange } from '../../../src/statistics/compare/share-of-baseline.ts';
import type { EstimatedChange, NotEstimable } from '../../../src/model/estimated.ts';
import { randomFrom } from '../../random.ts';
import { mostOf, rounds } from '../../rounds.ts';

function known(change: EstimatedChange | NotEstimable): EstimatedChange {
  if ('because' in change) throw new Error(change.because);
  return change;
}

/** `a` and `b` of n cases each pass by chance. */
function pairsBy(seed: number, a: number, b: number, count: number): (readonly [number, number])[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, () => [random() < a ? 1 : 0, random() < b ? 1 : 0] as const);
}

test('where all pairs are equal and succeed the bounds are those of the difference', () => {
  const pairs = Array.from({ length: 60 }, () => [1, 1] as const);

  expect(known(pairedShareChange(pairs)).lower(0.05)).toBeCloseTo(known(pairedChange(pairs)).lower(0.05), 6);
});

test('no change is excluded exactly where the difference excludes none', () => {
  const excluded = { share: [] as boolean[], points: [] as boolean[] };
  for (let seed = 1; seed <= 40; seed += 1) {
    const pairs = pairsBy(seed, 0.9, 0.65, 30);
    excluded.share.push(known(pairedShareChange(pairs)).upper(0.05) < 0);
    excluded.points.push(known(pairedChange(pairs)).upper(0.05) < 0);
  }

  expect(excluded.share).toEqual(excluded.points);
  expect(new Set(excluded.share).size).toBe(2);
});

test.each([
  ['paired', (a: readonly number[], b: readonly number[]) => pairedShareChange(a.map((of, at) => [of, b[at] ?? 0]))],
  ['of different cases', unpairedShareChange],
])('bounds miss the true change in no more samples than they say: %s', (_, changeOf) => {
  let [above, below] = [0, 0];
  const samples = rounds(100, 20);
  for (let seed = 1; seed <= samples; seed += 1) {
    const pairs = pairsBy(seed, 0.9, 0.855, 80);
    const change = known(
      changeOf(
        pairs.map(([a]) => a),
        pairs.map(([, b]) => b),
      ),
    );
    if (change.lower(0.05) > -0.05) above += 1;
    if (change.upper(0.05) < -0.05) below += 1;
  }

  expect(above).toBeLessThanOrEqual(mostOf(samples, 0.05));
  expect(below).toBeLessThanOrEqual(mostOf(samples, 0.05));
});

test('nothing is a share of nothing, and all that can be lost is all', () => {
  expect(pairedShareChange([[0, 1]])).toMatchObject({ because: expect.stringContaining('share of nothing') });
  expect(unpairedShareChange([0], [1])).toMatchObject({ because: expect.stringContaining('share of nothing') });
  expect(known(pairedShareChange([[1, 0]])).lower(0.05)).toBe(-1);
  expect(known(pairedShareChange([[1, 1]])).upper(0.05)).toBeGreaterThan(1);
});
