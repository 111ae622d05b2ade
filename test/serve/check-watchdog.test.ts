import { expect, test } from 'vitest';
import { SharedCheckWatch } from '../../src/engine/check-watch.ts';
import { CheckWatchdog } from '../../src/serve/check-watchdog.ts';

const TARGET = { suite: 'pack', subject: 'turn 1', agent: 'a', logTime: 1000 };

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
  expect(dog.nextThread().stopped).toMatchObject([
    { suite: 'pack', criterion: '#3', stops: { for: 'subject', subject: 'turn 1' } },
  ]);
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

const MINUTE = 60_000;

/** Lets a check hang on that conversation, and gives the threads that come before and after. */
function stop(
  dog: CheckWatchdog,
  target: { readonly subject: string; readonly agent: string; readonly logTime: number },
) {
  const { watch, stopped } = dog.nextThread();
  new SharedCheckWatch(watch, stopped).started({ suite: 'pack', ...target }, 0);
  let found: ReturnType<CheckWatchdog['takeHanging']>;
  for (let now = 0; found === undefined && now < 2000; now += 50) found = dog.takeHanging(now);
  return found ?? expect.unreachable();
}

function isAsked(
  dog: CheckWatchdog,
  target: { readonly subject: string; readonly agent: string; readonly logTime: number },
) {
  const { watch, stopped } = dog.nextThread();
  return !new SharedCheckWatch(watch, stopped).stoppedFor({ suite: 'pack', ...target }).has('slow');
}

function dogOfSlow() {
  return new CheckWatchdog({
    suites: [{ name: 'pack', criteria: [{ name: 'slow' }] }],
    checks: { checkTimeoutMs: 1000 },
  });
}

test('a criterion that is stopped for three conversations of an agent is suspended for that agent, and comes back by itself', () => {
  const dog = dogOfSlow();
  const stops = ['c1', 'c2', 'c3'].map((subject, n) => stop(dog, { subject, agent: 'heavy', logTime: n * 1000 }));

  expect(stops.map(({ suspendedUntil }) => suspendedUntil)).toEqual([undefined, undefined, 2000 + MINUTE]);
  expect(isAsked(dog, { subject: 'c4', agent: 'heavy', logTime: 3000 })).toBe(false);
  expect(isAsked(dog, { subject: 'd1', agent: 'other', logTime: 3000 })).toBe(true);
  expect(isAsked(dog, { subject: 'c4', agent: 'heavy', logTime: 2000 + MINUTE })).toBe(true);
  // The conversation on which it hung is not asked again.
  expect(isAsked(dog, { subject: 'c3', agent: 'heavy', logTime: 2000 + MINUTE })).toBe(false);
});

test('pauses grow while the criterion is stopped again soon after each, and begin from the first after ten quiet minutes', () => {
  const dog = dogOfSlow();
  let logTime = 0;
  const stopAt = (subject: string) => stop(dog, { subject, agent: 'heavy', logTime }).suspendedUntil;
  for (const subject of ['c1', 'c2']) stopAt(subject);

  const pauses: number[] = [];
  for (let n = 3; n < 7; n += 1) {
    const until = stopAt(`c${n}`) ?? expect.unreachable();
    pauses.push((until - logTime) / MINUTE);
    logTime = until + MINUTE;
  }
  logTime += 20 * MINUTE;

  expect(pauses).toEqual([1, 5, 30, 30]);
  expect(stopAt('c8')).toBeUndefined();
});

test('agents that are invented to be stopped once each suspend the criterion for all', () => {
  const dog = dogOfSlow();
  const stops = Array.from({ length: 12 }, (_, n) => stop(dog, { subject: `c${n}`, agent: `agent ${n}`, logTime: n }));

  expect(stops.slice(0, 11).every(({ suspendedUntil }) => suspendedUntil === undefined)).toBe(true);
  expect(isAsked(dog, { subject: 'd', agent: 'never seen', logTime: 12 })).toBe(false);
  expect(isAsked(dog, { subject: 'd', agent: 'never seen', logTime: 11 + MINUTE })).toBe(true);
});

test('the note has room for names that are escaped as a whole', () => {
  const { dog, watch } = started();
  watch.started(
    { suite: '\u0000'.repeat(600), subject: '\u0000'.repeat(1200), agent: '\u0000'.repeat(300), logTime: 1 },
    0,
  );

  expect(() => dog.takeHanging(0)).not.toThrow();
});
