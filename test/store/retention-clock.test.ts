import { expect, test } from 'vitest';
import { type ClockState, readClock } from '../../src/store/retention-clock.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 10, 24);

/** Readings every minute, of a clock that is wrong by `offset`. */
function run(state: ClockState | undefined, from: number, minutes: number, offset: number) {
  let reading = readClock(state, { wall: from + offset, elapsedMs: 0 });
  const nows = [reading.now];
  for (let minute = 1; minute <= minutes; minute += 1) {
    reading = readClock(reading.state, { wall: from + minute * MINUTE + offset, elapsedMs: MINUTE });
    nows.push(reading.now);
  }
  return { ...reading, nows };
}

test('while the clock agrees with the time that has passed, it is the time', () => {
  const { now, jumpMs } = run(undefined, START, 600, 0);

  expect(now).toBe(START + 600 * MINUTE);
  expect(jumpMs).toBeUndefined();
});

test('100 days forward move the time on by no more than what has passed, for a day, and then to the new time', () => {
  const { state } = run(undefined, START, 60, 0);
  const almostADay = run(state, START + 60 * MINUTE, 1439, 100 * DAY);
  const afterADay = run(almostADay.state, START + 1500 * MINUTE, 2, 100 * DAY);

  expect(Math.max(...almostADay.nows)).toBe(START + 1499 * MINUTE);
  expect(almostADay.jumpMs).toBe(100 * DAY);
  expect(afterADay.now).toBeGreaterThan(START + 100 * DAY);
  expect(afterADay.jumpMs).toBeUndefined();
});

test('a clock that is set right again within the day is trusted at once', () => {
  const { state } = run(undefined, START, 60, 0);
  const wrong = run(state, START + HOUR, 30, 100 * DAY);

  const right = run(wrong.state, START + 90 * MINUTE, 1, 0);

  expect(right.jumpMs).toBeUndefined();
  expect(right.now).toBe(START + 91 * MINUTE);
});

test('a clock that goes back is followed at once, because that deletes less, and its way forward is no jump', () => {
  const { state } = run(undefined, START, 60, 0);
  const back = run(state, START + HOUR, 30, -100 * DAY);
  const forward = run(back.state, START + 90 * MINUTE, 1, 0);

  expect(Math.max(...back.nows)).toBeLessThan(START - 99 * DAY);
  expect(back.jumpMs).toBe(-100 * DAY);
  expect(forward.jumpMs).toBeUndefined();
});

test('a month of down time is believed after a day of running, however many restarts it takes', () => {
  let { state } = run(undefined, START, 60, 0);
  const begin = START + 30 * DAY;
  let ran = 0;
  for (let start = 0; start < 8; start += 1) {
    // Half a day of running, and an hour down.
    const reading = run(state, begin + start * 13 * HOUR, 4 * 60, 0);
    state = reading.state;
    if (reading.jumpMs !== undefined) ran += 4;
  }

  expect(ran).toBeLessThan(24);
  expect(ran).toBeGreaterThanOrEqual(20);
  expect(state.held).toBeUndefined();
});

test('an hour of down time is no jump', () => {
  const { state } = run(undefined, START, 60, 0);

  expect(run(state, START + 2 * HOUR, 1, 0).jumpMs).toBeUndefined();
});
