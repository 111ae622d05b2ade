import { expect, test } from 'vitest';
import { chanceToWin, type Comparisons, rank } from '../../../src/statistics/compare/bradley-terry.ts';

function comparison(a: string, b: string, wins_a: number, wins_b: number, ties = 0): Comparisons {
  return { a, b, wins_a, wins_b, ties };
}

function ranked(comparisons: readonly Comparisons[]) {
  const ranking = rank(comparisons);
  if (ranking.is !== 'ranked') throw new Error(ranking.is);
  return ranking;
}

test('of two, the strengths are the odds of what was won, and a tie is half a win for each', () => {
  const { ranked: both, unbeaten } = ranked([comparison('old', 'new', 3, 6, 2)]);

  expect(both.map(({ name, rank }) => [name, rank])).toEqual([
    ['new', 1],
    ['old', 2],
  ]);
  expect(chanceToWin(both[0]?.strength ?? 0, both[1]?.strength ?? 0)).toBeCloseTo(7 / 11, 10);
  expect(both[0]?.winRate).toBeCloseTo(7 / 11, 10);
  expect(unbeaten).toEqual([]);
});

test('who was never compared with the rest has no place among them', () => {
  const ranking = rank([comparison('a', 'b', 2, 1), comparison('c', 'd', 1, 1)]);

  expect(ranking).toEqual({
    is: 'not_connected',
    groups: [
      ['a', 'b'],
      ['c', 'd'],
    ],
  });
});

test('who never lost is named, and how much stronger he is bounded', () => {
  const { ranked: all, unbeaten } = ranked([
    comparison('a', 'b', 5, 0),
    comparison('a', 'c', 5, 0),
    comparison('b', 'c', 3, 2),
  ]);

  expect(unbeaten).toEqual(['a']);
  expect(all.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  expect(
    all.every(({ strength, lower, upper }) => Number.isFinite(strength) && lower < strength && strength < upper),
  ).toBe(true);
});

test('two that beat all others and one another are both named', () => {
  const { unbeaten } = ranked([comparison('a', 'b', 1, 1), comparison('a', 'c', 2, 0), comparison('b', 'c', 2, 0)]);

  expect(unbeaten).toEqual(['a', 'b']);
});

test('where all is even, all share the first rank', () => {
  const { ranked: all } = ranked([
    comparison('a', 'b', 2, 2),
    comparison('b', 'c', 0, 0, 4),
    comparison('a', 'c', 1, 1),
  ]);

  expect(all.map(({ rank, strength }) => [rank, Math.abs(strength) < 1e-9])).toEqual([
    [1, true],
    [1, true],
    [1, true],
  ]);
});

test('more comparisons, narrower intervals', () => {
  const width = (times: number) => {
    const [first] = ranked([comparison('a', 'b', 3 * times, 2 * times)]).ranked;
    return (first?.upper ?? 0) - (first?.lower ?? 0);
  };

  expect(width(4)).toBeCloseTo(width(1) / 2, 8);
});

test('nothing compared is nothing ranked', () => {
  expect(rank([])).toEqual({ is: 'ranked', ranked: [], unbeaten: [] });
});
