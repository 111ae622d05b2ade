import { expect, test } from 'vitest';
import { Detection } from '../../../src/statistics/detect/detection.ts';
import type { Estimate } from '../../../src/statistics/detect/effect.ts';
import { Recovery, verdictOn } from '../../../src/statistics/detect/recovery.ts';
import { DAY_MS, DEFAULT_DETECTION } from '../../../src/statistics/detect/settings.ts';
import { randomFrom } from '../../random.ts';
import { BEGIN, conversation, HOUR_MS, QUICK } from './world.ts';

const { tcr } = DEFAULT_DETECTION.levels;

/** A rest of a change, with the error that it is known by. */
function rest(change: number, error: number): Estimate {
  const [changeLower, changeUpper] = [change - 1.96 * error, change + 1.96 * error];
  return { baseline: 0.9, observed: 0.9 * (1 + change), change, changeLower, changeUpper, conversations: 500 };
}

test.each([
  ['nothing that counts is left', -0.005, 0.01, 1, 'back'],
  ['a rest that is less than the error is not known yet', -0.02, 0.012, 1, undefined],
  ['after half a day a rest of less than 5 % counts as nothing', -0.02, 0.012, 13, 'back'],
  ['a rest that is evident is a part of the change', -0.07, 0.015, 1, 'partly back'],
  ['a rest of more than half was no recovery', -0.15, 0.015, 1, 'as bad'],
  ['a few conversations decide nothing, however good', 0.1, 0.08, 40, undefined],
  ['a few conversations decide nothing, however bad', -0.3, 0.08, 40, undefined],
])('%s', (_, change, error, hours, verdict) => {
  expect(verdictOn(rest(change, error), { found: 0.22, before: 0.22, forMs: hours * HOUR_MS, level: tcr })).toBe(
    verdict,
  );
});

test('for a rise, what is left is a rise', () => {
  const of = { found: 0.8, before: 0.8, forMs: HOUR_MS, level: DEFAULT_DETECTION.levels.cost_per_success };

  expect(verdictOn(rest(0.2, 0.03), of)).toBe('partly back');
  expect(verdictOn(rest(-0.2, 0.03), of)).toBe('back');
});

test('the state of 0.1.0, which had one bet, is read', () => {
  const recovery = new Recovery();
  recovery.restore([42, 0.2, 0.15, true]);
  const again = new Recovery();
  again.restore(JSON.parse(JSON.stringify(recovery.snapshot())));

  expect(recovery.capital).toBe(42);
  expect(again.snapshot()).toEqual(recovery.snapshot());
});

/** Changes of the score: five usual days, two of a fall, and then as `after` says, hundred an hour. */
function changesOf(after: readonly (readonly [hours: number, resolved: number])[], seed: number) {
  const random = randomFrom(seed);
  let detection = new Detection(QUICK);
  let at = BEGIN;
  const parts = [[120, 0.95], [48, 0.55], ...after] as const;
  for (const [hours, resolved] of parts)
    for (let index = 0; index < hours * 100; index += 1) {
      at += HOUR_MS / 100;
      detection.observe(conversation(random, at, { resolved }));
      if (index === 500) detection = Detection.restore(QUICK, JSON.parse(JSON.stringify(detection.snapshot())));
    }
  const seen = detection.takeTransitions().filter(({ metric, at }) => metric === 'tcr' && at > BEGIN + 5 * DAY_MS);
  const level = detection.readings().find((one) => one.of === 'level' && one.metric === 'tcr');
  if (level?.of !== 'level') throw new Error('TCR is watched');
  return { changes: seen.map(({ from, to }) => `${from} ${to}`), level: level.level };
}

test('a fall that heals partly is partly back, with what is left as its figure', () => {
  const { changes, level } = changesOf([[72, 0.83]], 21);

  expect(changes).toEqual(['ok suspected', 'suspected regressed', 'regressed partly_back']);
  expect(level.state).toBe('partly_back');
  // 0.5 × 0.12 of 0.966.
  expect(level.estimate?.change).toBeCloseTo(-0.062, 1);
  expect(level.onset).toBeLessThan(BEGIN + 5.2 * DAY_MS);
});

test('what was left may heal as well', () => {
  const { changes } = changesOf(
    [
      [48, 0.83],
      [48, 0.95],
    ],
    22,
  );

  expect(changes.slice(2)).toEqual(['regressed partly_back', 'partly_back recovered', 'recovered ok']);
});

test('what was left may get worse again, and is told as that', () => {
  const { changes, level } = changesOf(
    [
      [72, 0.83],
      [24, 0.4],
    ],
    23,
  );

  expect(changes.slice(2)).toEqual(['regressed partly_back', 'partly_back regressed']);
  expect(level.estimate?.change).toBeLessThan(-0.2);
});

test('a fall that lasts is neither back nor partly back', () => {
  for (const seed of [24, 25, 26]) expect(changesOf([[240, 0.55]], seed).changes).toHaveLength(2);
});
