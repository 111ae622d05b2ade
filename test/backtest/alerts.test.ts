import { expect, test } from 'vitest';
import { DEFAULT_DETECTION } from '../../src/statistics/detect/settings.ts';
import { AlertReplay, observedAs } from '../../src/backtest/alerts.ts';
import type { ComparedSide } from '../../src/backtest/comparison.ts';
import { randomFrom } from '../random.ts';
import { builtinSuites } from '../engine/log-driver.ts';

const WHOSE = { agent: 'helper', agent_version: '1', environment: 'test' };
const MINUTE = 60_000;
const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 1);

const GOOD: ComparedSide = {
  score: 1_000_000,
  outcome: 'successful_completion',
  verdicts: new Map([['answered', 'pass']]),
};
const BAD: ComparedSide = { score: 100_000, outcome: 'hard_failure', verdicts: new Map([['answered', 'fail']]) };

test('a regression that only the changed scores show begins and ends on its side alone', async () => {
  const [suite] = await builtinSuites(['default']);
  if (suite === undefined) throw new Error('no suite');
  const replay = new AlertReplay(DEFAULT_DETECTION);
  const random = randomFrom(7);
  const [from, to] = [START + 10 * DAY, START + 12 * DAY];
  for (let at = START; at < START + 16 * DAY; at += 3 * MINUTE) {
    const usual = random() < 0.95 ? GOOD : BAD;
    const isWorse = at >= from && at < to && random() < 0.5;
    replay.observe(
      {
        before: observedAs(usual, suite, '1', WHOSE),
        after: observedAs(isWorse ? BAD : usual, suite, '2', WHOSE),
      },
      { at, steps: 3, costUsd: undefined },
    );
    replay.advance();
  }

  const { before, after, withoutEffort } = replay.result();

  expect(withoutEffort).toBe(false);
  expect(before).toEqual([]);
  const tcr = after.filter(({ metric }) => metric === 'tcr');
  expect(tcr).toHaveLength(1);
  const [episode] = tcr;
  expect(episode?.beganAt).toBeGreaterThanOrEqual(from);
  expect(episode?.beganAt).toBeLessThan(to);
  expect(episode?.endedAt).toBeGreaterThan(to);
});

test('what another version of the suite said begins anew, and what the last one found is kept', async () => {
  const [suite] = await builtinSuites(['default']);
  if (suite === undefined) throw new Error('no suite');
  const replay = new AlertReplay(DEFAULT_DETECTION);
  const random = randomFrom(8);
  for (let at = START; at < START + 14 * DAY; at += 3 * MINUTE) {
    const isWorse = at >= START + 10 * DAY;
    const side = random() < (isWorse ? 0.4 : 0.95) ? GOOD : BAD;
    const version = at < START + 12 * DAY ? '1' : '2';
    const observed = observedAs(side, suite, version, WHOSE);
    replay.observe(
      { before: observed, after: observedAs(side, suite, '3', WHOSE) },
      { at, steps: undefined, costUsd: undefined },
    );
  }

  const { before, withoutEffort } = replay.result();

  expect(before.some(({ metric }) => metric === 'tcr')).toBe(true);
  expect(withoutEffort).toBe(true);
  expect(before.every(({ metric }) => metric !== 'steps_per_success')).toBe(true);
});
