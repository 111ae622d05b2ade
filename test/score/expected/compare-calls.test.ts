/** Calls as multisets: which is missing, which is too much, which has other arguments. */
import { expect, test } from 'vitest';
import type { Json } from '../../../src/model/json.ts';
import { compareCalls, describeDifferences, isSame } from '../../../src/score/expected/compare-calls.ts';
import { chainOrder } from '../../../src/score/alignment/partial-order.ts';

const call = (name: string, args?: Json) => ({ name, args });

function told(expected: readonly ReturnType<typeof call>[], made: readonly ReturnType<typeof call>[]): string {
  return describeDifferences(compareCalls(expected, made), made);
}

test('the same calls in any order are the same', () => {
  const expected = [call('a', { x: 1 }), call('b', {}), call('a', { x: 2 })];

  expect(isSame(compareCalls(expected, expected.toReversed()))).toBe(true);
  expect(isSame(compareCalls([], []))).toBe(true);
});

test('each call stands for one: the general one does not take what only the special one fits', () => {
  const expected = [call('a', { x: 1 }), call('a', { x: 1, y: 2 })];

  expect(isSame(compareCalls(expected, [call('a', { x: 1, y: 2 }), call('a', { x: 1 })]))).toBe(true);
  expect(isSame(compareCalls(expected, [call('a', { x: 1 }), call('a', { x: 1 })]))).toBe(false);
});

test.each<[string, readonly ReturnType<typeof call>[], readonly ReturnType<typeof call>[], string]>([
  ['a call is missing', [call('pay', { to: 'ana' })], [], 'pay({"to":"ana"}) was not called'],
  ['a call is too much', [], [call('pay', { to: 'ana' })], 'pay({"to":"ana"}) was not expected'],
  [
    'an argument differs',
    [call('pay', { to: 'ana', amount: 3 })],
    [call('pay', { to: 'ana', amount: 30 })],
    'pay was called with other arguments: amount is 30, expected 3',
  ],
  [
    'the nearest call is the one that differs',
    [call('pay', { to: 'ana', amount: 3, from: 'x' })],
    [call('pay', { to: 'bob', amount: 4, from: 'y' }), call('pay', { to: 'ana', amount: 4, from: 'x' })],
    'pay was called with other arguments: amount is 4, expected 3; pay({"to":"bob","amount":4,"from":"y"}) was not expected',
  ],
  [
    'once too often',
    [call('pay', { to: 'ana' })],
    [call('pay', { to: 'ana' }), call('pay', { to: 'ana' })],
    'pay({"to":"ana"}) was not expected',
  ],
  [
    'more than can be told',
    ['a', 'b', 'c', 'd', 'e'].map((name) => call(name, {})),
    [],
    'a({}) was not called; b({}) was not called; c({}) was not called; and 2 more differences',
  ],
  ['whatever the arguments are', [call('pay')], [], 'pay(…) was not called'],
])('%s', (_what, expected, made, reason) => {
  expect(told(expected, made)).toBe(reason);
});

test('arguments that are not known are taken to be right, and no arguments are no arguments', () => {
  expect(isSame(compareCalls([call('a', { x: 1 })], [call('a')]))).toBe(true);
  expect(isSame(compareCalls([call('a')], [call('a', { x: 1 })]))).toBe(true);
  expect(isSame(compareCalls([call('a', {})], [call('a', '')]))).toBe(true);
  expect(isSame(compareCalls([call('a', { x: 1 })], [call('a', '')]))).toBe(false);
});

test('where order counts, the calls come one after another', () => {
  const expected = [call('a', {}), call('b', {}), call('a', {})];
  const inOrder = (names: string) =>
    isSame(
      compareCalls(
        expected,
        [...names].map((name) => call(name, {})),
        chainOrder(3),
      ),
    );

  expect(['aba', 'aab', 'baa'].map(inOrder)).toEqual([true, false, false]);
});

test('a call that may be there without having been expected makes no difference', () => {
  const made = [{ name: 'a', args: {}, mayBeExtra: true }];

  expect(isSame(compareCalls([], made))).toBe(true);
});

test('hundreds of calls are compared, thousands are refused', () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => call('a', { at }));

  expect(isSame(compareCalls(many(300), many(300).toReversed()))).toBe(true);
  expect(() => compareCalls(many(501), [])).toThrow('at most 500');
});
