import { expect, test } from 'vitest';
import { Places } from '../../src/listen/places.ts';

/** Connections are named by their address and a number: a1, a2, b1. */
function placesOf(max: number) {
  const places = new Places<string>(max);
  return { places, take: (name: string) => places.take(name, name.slice(0, 1)) };
}

test('there is room up to the limit, and again when one leaves', () => {
  const { places, take } = placesOf(2);
  expect([take('a1'), take('b1')]).toEqual([undefined, undefined]);
  places.leave('a1');
  places.leave('a1');
  expect([take('c1'), take('d1')]).toEqual([undefined, 'b1']);
});

test('the address that has most gives way to others: the longest silent, then the longest idle, then the longest busy', () => {
  const { places, take } = placesOf(6);
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']) take(name);
  places.began('a1');
  places.began('a2');
  places.began('a3');
  places.began('a4');
  places.ended('a4');
  places.ended('a3');
  expect(take('b1')).toBe('a5');
  places.began('b1');
  expect(take('c1')).toBe('a6');
  places.began('c1');
  expect(take('d1')).toBe('a4');
  places.began('d1');
  expect(take('e1')).toBe('a3');
  places.began('e1');
  // Two busy ones are left of the first address, and one of each other.
  expect(take('f1')).toBe('a1');
  places.began('f1');
  expect(take('g1')).toBe('g1');
});

test('within the address that has most, newcomers take the place of the longest silent', () => {
  const { places, take } = placesOf(3);
  for (const name of ['a1', 'a2', 'b1']) take(name);
  places.began('a1');
  expect(take('a3')).toBe('a2');
  expect(take('a4')).toBe('a3');
  places.began('a4');
  // Nothing of its own address but busy ones: a silent one of another goes.
  expect(take('a5')).toBe('b1');
  places.began('a5');
  expect(take('a6')).toBe('a6');
});

test('a connection is idle only when all of its requests are over', () => {
  const { places, take } = placesOf(2);
  take('a1');
  take('a2');
  places.began('a1');
  places.began('a1');
  places.ended('a1');
  places.began('a2');
  expect(take('a3')).toBe('a3');
  places.ended('a1');
  expect(take('a4')).toBe('a1');
});

test('one address with thousands of connections keeps nobody out, however often it comes back', () => {
  const { places, take } = placesOf(100);
  for (let number = 0; number < 5000; number += 1) take(`a${number}`);
  expect(take('b1')).toMatch(/^a/);
  places.began('b1');
  places.ended('b1');
  for (let number = 5000; number < 10_000; number += 1) expect(take(`a${number}`)).toMatch(/^a/);
});

test('many addresses with a silent connection each give way to one that comes', () => {
  const places = new Places<number>(1000);
  for (let number = 0; number < 1000; number += 1) places.take(number, `address ${number}`);
  for (let number = 1000; number < 3000; number += 1) {
    expect(places.take(number, `address ${number}`)).toBe(number - 1000);
  }
});
