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

test('bodies grow up to the share of an address, and are given back once', () => {
  const held = new HeldBytes({ max: 10, ofOneMax: 6 });
  const [one, other] = [held.hold('a'), held.hold('a')];
  expect([one.tryGrow(4), other.tryGrow(3), other.tryGrow(2), held.used]).toEqual([true, false, true, 6]);
  one.release();
  one.release();
  expect([held.used, other.tryGrow(4)]).toEqual([2, true]);
});

test('an answer takes the place of the body', () => {
  const held = new HeldBytes({ max: 10, ofOneMax: 6 });
  const request = held.hold('a');
  request.tryGrow(5);
  request.answered(2, () => undefined);
  expect(held.used).toBe(2);
});

test('a client that takes nothing loses the answers that wait longest, and nobody else loses any', () => {
  const held = new HeldBytes({ max: 100, ofOneMax: 6 });
  const other = answered(held, 'b', 6);
  const mine = [3, 3, 3, 3].map((bytes) => answered(held, 'a', bytes));
  expect(mine.map(({ isGivenUp }) => isGivenUp)).toEqual([true, true, false, false]);
  expect([other.isGivenUp, held.used]).toEqual([false, 12]);
});

test('where all is full, the address that holds most gives up an answer for one that holds less', () => {
  const held = new HeldBytes({ max: 10, ofOneMax: 8 });
  const [most, more] = [answered(held, 'a', 4), answered(held, 'a', 3)];
  const less = answered(held, 'b', 3);
  const body = held.hold('c');
  expect(body.tryGrow(1)).toBe(true);
  expect([most.isGivenUp, more.isGivenUp, less.isGivenUp, held.used]).toEqual([true, false, false, 7]);
});

test('a body finds no room while others arrive, because there is no answer to give up', () => {
  const held = new HeldBytes({ max: 10, ofOneMax: 8 });
  expect([held.hold('a').tryGrow(8), held.hold('b').tryGrow(3), held.hold('b').tryGrow(2)]).toEqual([
    true,
    false,
    true,
  ]);
});

test('a single answer may be larger than the share of its address', () => {
  const held = new HeldBytes({ max: 100, ofOneMax: 6 });
  expect(answered(held, 'a', 20).isGivenUp).toBe(false);
});

test('what was given up is no longer counted when its request ends', () => {
  const held = new HeldBytes({ max: 100, ofOneMax: 6 });
  const [old] = [answered(held, 'a', 4), answered(held, 'a', 4)];
  old?.request.release();
  expect([old?.isGivenUp, held.used]).toEqual([true, 4]);
});
