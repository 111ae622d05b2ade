import fc from 'fast-check';
import { expect, test } from 'vitest';
import { beliefsOf } from '../../../src/statistics/estimate/beliefs.ts';
import { type Cell, type Draw, logEvidence } from '../../../src/statistics/estimate/evidence.ts';

const GROUPS = ['fine', 'faulty'];

interface Small {
  /** By cell, of each of its conversations whether it is good. */
  readonly cells: readonly { readonly rate: number; readonly weight: number; readonly good: readonly boolean[] }[];
  readonly draws: number;
}

const small: fc.Arbitrary<Small> = fc.record({
  cells: fc.array(
    fc.record({
      rate: fc.constantFrom(1, 2, 3.5),
      weight: fc.constantFrom(1, 1, 0.3, 0, -0.7),
      good: fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  draws: fc.integer({ min: 1, max: 4 }),
});

/** The mean of the evidence over all orders in which conversations can be drawn, each with its chance. */
function meanEvidence({ cells, draws }: Small): number {
  const frame: Cell[] = cells.map(({ rate, good }) => ({ rate, size: good.length }));
  const known = cells.map(({ good }, cell) => ({
    group: GROUPS[cell % 2] ?? '',
    predicted: cell === 2 ? undefined : 0.3 + 0.3 * cell,
    size: good.length,
  }));
  const weights = cells.map(({ weight }) => weight);
  const total = cells.reduce((sum, { weight, good }) => sum + weight * good.filter(Boolean).length, 0);
  const all = cells.flatMap(({ good }, cell) => good.map((isGood) => ({ cell, isGood })));
  const walk = (drawn: readonly Draw[], left: readonly Draw[]): number => {
    if (drawn.length === Math.min(draws, all.length))
      return Math.exp(logEvidence(frame, drawn, beliefsOf(known, drawn), { total, weights }));
    const rates = left.reduce((sum, { cell }) => sum + (cells[cell]?.rate ?? 0), 0);
    return left.reduce(
      (sum, draw, at) => sum + ((cells[draw.cell]?.rate ?? 0) / rates) * walk([...drawn, draw], left.toSpliced(at, 1)),
      0,
    );
  };
  return walk([], all);
}

test('the evidence against what is true is at most 1 in the mean, whatever is believed and however it is drawn', () => {
  fc.assert(
    fc.property(small, (one) => {
      expect(meanEvidence(one)).toBeLessThan(1 + 1e-6);
    }),
    { numRuns: 150 },
  );
});

test('it is exactly 1 while either answer can still come', () => {
  const cells = [
    { rate: 1, weight: 1, good: [true, false, true] },
    { rate: 2, weight: 0.3, good: [false, true] },
  ];
  expect(meanEvidence({ cells, draws: 1 })).toBeCloseTo(1, 8);
  expect(meanEvidence({ cells, draws: 2 })).toBeCloseTo(1, 8);
});

test('with nothing known, it is the evidence of a share: the likelihood of the share so far over that of the supposed one', () => {
  const cells = [{ size: 1e9, rate: 1 }];
  const draws = [true, true, false, true, false].map((isGood) => ({ cell: 0, isGood }));
  const beliefs = [0.5, 0.75, 2.5 / 3, 2.5 / 4, 3.5 / 5].map((chance) => [chance]);
  const chances = [0.5, 0.75, 1 - 2.5 / 3, 2.5 / 4, 1 - 3.5 / 5];
  const supposed = 0.4;

  const log = logEvidence(cells, draws, beliefs, { total: supposed * 1e9, weights: [1] });

  const ofShare = chances.reduce((product, chance) => product * chance, 1) / (supposed ** 3 * (1 - supposed) ** 2);
  expect(Math.exp(log)).toBeCloseTo(ofShare, 5);
});

test('what was read excludes what it makes impossible', () => {
  const cells = [{ size: 3, rate: 1 }];
  const draws = [true, true, false].map((isGood) => ({ cell: 0, isGood }));
  const beliefs = [[0.5], [0.75], [0.8]];
  const against = (total: number) => logEvidence(cells, draws, beliefs, { total, weights: [1] });

  expect(against(2)).toBeLessThan(Math.log(20));
  for (const total of [0, 1, 3]) expect(against(total)).toBe(Number.POSITIVE_INFINITY);
});
