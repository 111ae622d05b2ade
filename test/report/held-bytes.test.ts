import { expect, test } from 'vitest';
import { HeldBytes } from '../../src/report/http/held-bytes.ts';

function answered(held: HeldBytes, address: string, bytes: number) {
  const request = held.hold(address);
  const answer = { isGivenUp: false, request };
  request.answered(bytes, () => {
    answer.isGivenUp = true;
  });
  return answer;
}

function withBudget(max: number, ofOneMax: number): HeldBytes {
  return new HeldBytes({ bodies: { max, ofOneMax }, answers: { max, ofOneMax } });
}

const stays = () => {
  throw new Error('it was given up');
};

test('bodies grow up to the share of an address, and are given back once', () => {
  const held = withBudget(10, 6);
  const [one, other] = [held.hold('a'), held.hold('a')];
  expect([one.tryGrow(4, stays), other.tryGrow(3, stays), other.tryGrow(2, stays)]).toEqual([true, false, true]);
  expect(held.used).toEqual({ bodies: 6, answers: 0 });
  one.release();
  one.release();
  expect([held.used.bodies, other.tryGrow(4, stays)]).toEqual([2, true]);
});

test('an answer takes the place of the body, in a budget of its own', () => {
  const held = withBudget(10, 6);
  const request = held.hold('a');
  request.tryGrow(5, stays);
  request.answered(2, stays);
  expect(held.used).toEqual({ bodies: 0, answers: 2 });
});

test('a client that takes nothing loses the answers that wait longest, and nobody else loses any', () => {
  const held = withBudget(100, 6);
  const other = answered(held, 'b', 6);
  const mine = [3, 3, 3, 3].map((bytes) => answered(held, 'a', bytes));
  expect(mine.map(({ isGivenUp }) => isGivenUp)).toEqual([true, true, false, false]);
  expect([other.isGivenUp, held.used.answers]).toEqual([false, 12]);
});

test('where all is full, the address that holds most gives up the answer that waits longest', () => {
  const held = withBudget(10, 8);
  const [most, more] = [answered(held, 'a', 4), answered(held, 'a', 3)];
  const less = [answered(held, 'b', 3), answered(held, 'c', 1)];
  expect([most.isGivenUp, more.isGivenUp, ...less.map(({ isGivenUp }) => isGivenUp)]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

test('an answer that was just made is never given up, whatever others hold', () => {
  const held = withBudget(10, 8);
  const large = answered(held, 'a', 20);
  expect([large.isGivenUp, answered(held, 'b', 8).isGivenUp, large.isGivenUp]).toEqual([false, false, true]);
});

test('bodies that never end make room for a body of an address that holds less, and answers do not notice', () => {
  const held = withBudget(10, 4);
  const ended: string[] = [];
  for (const name of ['a', 'b'])
    for (let n = 0; n < 4; n += 1) held.hold(name).tryGrow(1, () => ended.push(`${name}${n}`));
  held.hold('c').tryGrow(2, () => ended.push('c'));
  const answer = answered(held, 'd', 4);
  expect(held.hold('d').tryGrow(1, stays)).toBe(true);
  expect([ended, answer.isGivenUp]).toEqual([['a0'], false]);
});

test('a body finds no room where others hold no more than its own address', () => {
  const held = withBudget(10, 8);
  expect([
    held.hold('a').tryGrow(5, stays),
    held.hold('b').tryGrow(5, stays),
    held.hold('b').tryGrow(1, stays),
  ]).toEqual([true, true, false]);
});

test('what was given up is no longer counted when its request ends', () => {
  const held = withBudget(100, 6);
  const [old] = [answered(held, 'a', 4), answered(held, 'a', 4)];
  old?.request.release();
  expect([old?.isGivenUp, held.used.answers]).toEqual([true, 4]);
});
