import { expect, test } from 'vitest';
import { SharedCheckWatch } from '../../src/engine/check-watch.ts';
import { CheckWatchdog } from '../../src/serve/threads/check-watchdog.ts';

const TARGET = { suite: 'pack', subject: 'turn 1', agent: 'a', logTime: 1000, weight: 100 };

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

interface Asked {
  readonly subject: string;
  readonly agent: string;
  readonly logTime: number;
  readonly weight?: number;
}

/** Lets a check hang on that conversation, and gives the threads that come before and after. */
function stop(dog: CheckWatchdog, target: Asked) {
  const { watch, stopped } = dog.nextThread();
  new SharedCheckWatch(watch, stopped).started({ suite: 'pack', weight: 100, ...target }, 0);
  let found: ReturnType<CheckWatchdog['takeHanging']>;
  for (let now = 0; found === undefined && now < 2000; now += 50) found = dog.takeHanging(now);
  return found ?? expect.unreachable();
}

function isAsked(dog: CheckWatchdog, target: Asked) {
  const { watch, stopped } = dog.nextThread();
  return !new SharedCheckWatch(watch, stopped).stoppedFor({ suite: 'pack', weight: 100, ...target }).has('slow');
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

test('heavy conversations suspend a criterion for those that are as heavy, and for no lighter one', () => {
  const dog = dogOfSlow();
  const weights = [9_000, 5_000, 7_000];
  for (const [n, weight] of weights.entries()) stop(dog, { subject: `c${n}`, agent: 'heavy', logTime: n, weight });
  const asked = (weight: number) => isAsked(dog, { subject: 'd', agent: 'heavy', logTime: 100, weight });

  expect([4_999, 5_000, 100_000].map(asked)).toEqual([true, false, false]);
});

test('conversations that get a little lighter each time are a few stops, and not one for each', () => {
  const dog = dogOfSlow();
  const hangsFrom = 1_000;
  let stops = 0;
  for (let weight = 100_000; weight >= hangsFrom; weight -= 10) {
    const target = { subject: `c${weight}`, agent: 'heavy', logTime: 1, weight };
    if (!isAsked(dog, target)) continue;
    stop(dog, target);
    stops += 1;
  }

  // Three, then one for each halving.
  expect(stops).toBe(3 + 7);
  expect(isAsked(dog, { subject: 'd', agent: 'heavy', logTime: 2, weight: hangsFrom / 2 - 1 })).toBe(true);
});

test('invented agents with heavy conversations suspend a criterion for heavy conversations of all', () => {
  const dog = dogOfSlow();
  for (let n = 0; n < 12; n += 1) stop(dog, { subject: `c${n}`, agent: `agent ${n}`, logTime: n, weight: 5_000 + n });
  const asked = (weight: number) => isAsked(dog, { subject: 'd', agent: 'never seen', logTime: 12, weight });

  expect([4_999, 5_000].map(asked)).toEqual([true, false]);
});

test('a stop on trial of a conversation as heavy as before lowers nothing, and after quiet minutes weights are forgotten', () => {
  const dog = dogOfSlow();
  const stopAt = (subject: string, logTime: number, weight: number) =>
    stop(dog, { subject, agent: 'heavy', logTime, weight }).suspendedUntil;
  for (const subject of ['c1', 'c2', 'c3']) stopAt(subject, 0, 5_000);
  const until = stopAt('c4', 2 * MINUTE, 6_000) ?? expect.unreachable();
  const asked = (weight: number, logTime: number) => isAsked(dog, { subject: 'd', agent: 'heavy', logTime, weight });

  expect([4_999, 5_000].map((weight) => asked(weight, until - 1))).toEqual([true, false]);
  const later = until + 20 * MINUTE;
  for (const subject of ['c5', 'c6', 'c7']) stopAt(subject, later, 8_000);
  expect([7_999, 8_000].map((weight) => asked(weight, later + 1))).toEqual([true, false]);
});

test('the note has room for names that are escaped as a whole', () => {
  const { dog, watch } = started();
  watch.started(
    { suite: '\u0000'.repeat(600), subject: '\u0000'.repeat(1200), agent: '\u0000'.repeat(300), logTime: 1, weight: 1 },
    0,
  );

  expect(() => dog.takeHanging(0)).not.toThrow();
});
