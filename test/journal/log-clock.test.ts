import { expect, test } from 'vitest';
import { LogClock } from '../../src/journal/log-clock.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WALL = Date.UTC(2026, 10, 26);

/** A clock whose start was this much behind the wall clock; negative where it was ahead. */
function clockBehind(ms: number) {
  let passed = 0;
  const clock = new LogClock({ logTime: WALL - ms, wall: WALL }, () => 1234.5 + passed);
  return {
    clock,
    /** Log time less the wall clock, this long after the start. */
    at(elapsed: number): number {
      passed = elapsed;
      return clock.now() - (WALL + elapsed);
    },
  };
}

test('a first start is at the wall clock', () => {
  const clock = new LogClock({ logTime: undefined, wall: WALL }, () => 5);
  expect(clock.now()).toBe(WALL);
  expect(clock.behindMs).toBe(0);
});

test('behind, it begins where it was and gains a tenth, until it is there', () => {
  const { at } = clockBehind(10 * MINUTE);
  expect(at(0)).toBe(-10 * MINUTE);
  expect(at(10 * MINUTE)).toBe(-9 * MINUTE);
  expect(at(100 * MINUTE)).toBe(0);
  expect(at(DAY)).toBe(0);
});

test('ahead, it never goes back and loses a tenth, until the wall clock is there', () => {
  const { at } = clockBehind(-10 * MINUTE);
  expect(at(0)).toBe(10 * MINUTE);
  expect(at(10 * MINUTE)).toBe(9 * MINUTE);
  expect(at(100 * MINUTE)).toBe(0);
  expect(at(DAY)).toBe(0);
});

test('where nothing is open it steps to the wall clock, from a minute on', () => {
  const far = clockBehind(3 * DAY);
  far.clock.catchUp();
  expect(far.at(0)).toBe(0);
  expect(far.at(HOUR)).toBe(0);

  const near = clockBehind(MINUTE - 1);
  near.clock.catchUp();
  expect(near.at(0)).toBe(1 - MINUTE);
});

test('a difference of more than a month is believed after a day', () => {
  const { clock, at } = clockBehind(100 * DAY);
  clock.catchUp();
  expect(at(0)).toBe(-100 * DAY);
  expect(at(DAY - 1)).toBeLessThan(-99 * DAY);
  clock.catchUp();
  expect(clock.behindMs).toBeGreaterThan(99 * DAY);
  at(DAY);
  clock.catchUp();
  expect(at(DAY)).toBe(0);
});

test('a step while it is ahead changes nothing', () => {
  const { clock, at } = clockBehind(-5 * MINUTE);
  clock.catchUp();
  expect(clock.behindMs).toBe(0);
  expect(at(0)).toBe(5 * MINUTE);
});
