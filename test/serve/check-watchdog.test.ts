import { expect, test } from 'vitest';
import { SharedCheckWatch } from '../../src/engine/check-watch.ts';
import { CheckWatchdog } from '../../src/serve/check-watchdog.ts';

const TARGET = { suite: 'pack', subject: 'turn 1' };

function started() {
  const dog = new CheckWatchdog({ suites: [], checks: { checkTimeoutMs: 1000 } });
  const { watch, stopped } = dog.nextThread();
  return { dog, watch: new SharedCheckWatch(watch, stopped) };
}

test('a check that runs on, look after look, is found once it is past its limit', () => {
  const { dog, watch } = started();
  watch.started(TARGET, 3);

  const found: number[] = [];
  for (let now = 0; now <= 1200; now += 50) if (dog.takeHanging(now) !== undefined) found.push(now);

  expect(found).toHaveLength(1);
  // Time before the first check counts as well, by the real clock, but at most 100 ms of it.
  expect(found[0]).toBeGreaterThan(1000 - 100);
  expect(found[0]).toBeLessThanOrEqual(1050);
  expect(dog.nextThread().stopped).toMatchObject([{ suite: 'pack', subject: 'turn 1', criterion: '#3' }]);
});

test('a check is not to blame for a sleep of the whole process', () => {
  const { dog, watch } = started();
  watch.started(TARGET, 3);
  dog.takeHanging(0);

  expect(dog.takeHanging(60_000)).toBeUndefined();
  watch.finished();
  expect(dog.takeHanging(120_000)).toBeUndefined();
});

test('checks that are short by themselves are never found, however many there are', () => {
  const { dog, watch } = started();
  for (let now = 0; now < 10_000; now += 50) {
    watch.started(TARGET, now % 7);
    expect(dog.takeHanging(now)).toBeUndefined();
    watch.finished();
  }
});
