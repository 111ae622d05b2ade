import { expect, test } from 'vitest';
import { inSlices } from '../../src/model/in-slices.ts';

function busy(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('others run between the slices of long work, and all of it is done', async () => {
  let steps = 0;
  let others = 0;
  function* work() {
    for (; steps < 60; steps += 1) {
      busy(1);
      yield;
    }
  }
  const other = setInterval(() => {
    others += 1;
  }, 1);
  await inSlices(work());
  clearInterval(other);
  expect(steps).toBe(60);
  expect(others).toBeGreaterThanOrEqual(5);
});

test('a failing step fails the whole', async () => {
  function* work() {
    yield;
    throw new Error('in the second step');
  }
  await expect(inSlices(work())).rejects.toThrow('in the second step');
});
