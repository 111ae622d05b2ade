import { expect, test } from 'vitest';
import { align } from '../../../src/score/alignment/align.ts';
import type { AlignmentProblem } from '../../../src/score/alignment/alignment-problem.ts';
import { chainOrder, freeOrder, type PartialOrder, partialOrder } from '../../../src/score/alignment/partial-order.ts';
import { compareCosts, compareWithReferee } from './referee.ts';

// `npm run referee` goes through 100,000 of each and more.
const SEEDS = Array.from({ length: 4000 }, (_, index) => index + 1);

test('the referee finds no better alignment of small trajectories, and no other score', () => {
  expect(SEEDS.map(compareWithReferee).filter((problem) => problem !== undefined)).toEqual([]);
});

test('the referee finds nothing cheaper for orders and costs of any kind', () => {
  expect(SEEDS.map(compareCosts).filter((problem) => problem !== undefined)).toEqual([]);
});

/** Pairs of the same name cost nothing, others can't be; what is left out costs one. */
function byName(
  steps: readonly string[],
  calls: readonly string[],
  orders: { readonly expected: PartialOrder; readonly actual: PartialOrder },
): AlignmentProblem {
  return {
    ...orders,
    pairCost: (step, call) => (steps[step] === calls[call] ? 0 : Number.POSITIVE_INFINITY),
    missingCost: () => 1,
    extraCost: () => 1,
  };
}

const names = (count: number, kinds: number) => Array.from({ length: count }, (_, index) => `tool${index % kinds}`);

test.each([1, 3, 200])(
  '200 calls in groups of eight that ran side by side, with %d tools, against a sequence',
  (kinds) => {
    const actual = partialOrder(200, (earlier, later) => Math.floor(earlier / 8) < Math.floor(later / 8));
    const calls = names(200, kinds);
    // In each group the other way round.
    const steps = calls.map((_, index) => calls[8 * Math.floor(index / 8) + (7 - (index % 8))] ?? '');

    const { cost, isOptimal } = align(byName(steps, calls, { expected: chainOrder(200), actual }));

    expect({ cost, isOptimal }).toEqual({ cost: 0, isOptimal: true });
  },
);

test('200 steps without order against 200 calls in any order', () => {
  const calls = names(200, 7);

  const { cost } = align(byName(calls.toReversed(), calls, { expected: freeOrder(200), actual: chainOrder(200) }));

  expect(cost).toBe(0);
});

test('a search that is given up gives an alignment that is possible, and says so', () => {
  const half = (earlier: number, later: number) => Math.floor(earlier / 20) < Math.floor(later / 20);
  const orders = { expected: partialOrder(40, half), actual: partialOrder(40, half) };
  // The tools of the second half come first: one half can be paired, and which is for the search to say.
  const calls = names(40, 40);
  const problem = byName([...calls.slice(20), ...calls.slice(0, 20)], calls, orders);

  const limited = align(problem, 2);

  expect(limited.isOptimal).toBe(false);
  expect(limited.cost).toBeGreaterThanOrEqual(40);
  expect(align(problem).cost).toBe(40);
});
