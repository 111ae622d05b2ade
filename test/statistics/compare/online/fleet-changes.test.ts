/** Words for changes of many agents: how often they are wrong, and when they stay away. */
import { expect, test } from 'vitest';
import { fleetChanges, type FleetPair } from '../../../../src/statistics/compare/online/fleet-changes.ts';
import { randomFrom } from '../../../random.ts';

const pair = (later: readonly [number, number], earlier: readonly [number, number], more: Partial<FleetPair> = {}) => ({
  later: { failed: later[0], of: later[1] },
  earlier: { failed: earlier[0], of: earlier[1] },
  about: 'task' as const,
  effect: 1,
  ...more,
});
const wordOf = (...given: Parameters<typeof pair>) => fleetChanges([pair(...given)])[0]?.word;

test.each([
  ['a clear fall', wordOf([14, 120], [4, 118]), 'worse'],
  ['a clear rise', wordOf([4, 118], [14, 120]), 'better'],
  ['a suite about form', wordOf([14, 120], [4, 118], { about: 'form' }), 'more_faults'],
  ['no difference among enough', wordOf([14, 120], [12, 118]), 'no_difference_shown'],
  ['few', wordOf([2, 5], [1, 4]), 'not_enough_evidence'],
  ['enough now, few before', wordOf([14, 120], [1, 4]), 'not_enough_evidence'],
  ['few, and clear all the same', wordOf([9, 10], [1, 100]), 'worse'],
  ['nothing before', wordOf([14, 120], [0, 0]), 'not_enough_evidence'],
  ['conversations of few users', wordOf([14, 120], [4, 118], { effect: 10 }), 'not_enough_evidence'],
  ['more than are counted one by one', wordOf([300_000, 3_000_000], [250_000, 3_000_000]), 'worse'],
])('%s', (_, word, expected) => {
  expect(word).toBe(expected);
});

test('each change is in the place of its pair, and pairs with an empty side are no reason to doubt others', () => {
  const empty = pair([3, 9], [0, 0]);

  const changes = fleetChanges([empty, pair([14, 120], [4, 118]), empty, pair([4, 118], [14, 120])]);

  expect(changes.map(({ word, later }) => [word, later.of])).toEqual([
    ['not_enough_evidence', 9],
    ['worse', 120],
    ['not_enough_evidence', 9],
    ['better', 118],
  ]);
});

test('among 300 agents that did not change, one in twenty fleets at most has one that is said to have', () => {
  const random = randomFrom(7);
  const failedOf = (count: number, share: number) =>
    Array.from({ length: count }, random).filter((one) => one < share).length;
  const fleets = Array.from({ length: 40 }, () =>
    fleetChanges(
      Array.from({ length: 300 }, () => {
        const share = 0.02 + 0.3 * random();
        return pair([failedOf(150, share), 150], [failedOf(150, share), 150]);
      }),
    ),
  );

  const wrong = fleets.filter((changes) => changes.some(({ word }) => word === 'worse' || word === 'better'));
  expect(wrong.length).toBeLessThanOrEqual(4);
});

test('one of 1,000 agents that fell far is found', () => {
  const others = Array.from({ length: 999 }, () => pair([6, 120], [5, 118]));

  const changes = fleetChanges([...others, pair([40, 120], [4, 118])]);

  expect(changes.filter(({ word }) => word === 'worse')).toEqual([changes[999]]);
});
