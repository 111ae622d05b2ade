import { expect, test } from 'vitest';
import { Detection } from '../../../src/statistics/detect/detection.ts';
import { DAY_MS, DEFAULT_DETECTION, type DetectionSettings } from '../../../src/statistics/detect/settings.ts';
import { randomFrom } from '../../random.ts';
import { BEGIN, conversation, HOUR_MS } from './world.ts';

interface Agent {
  readonly seed: number;
  readonly perDay: number;
  readonly days: number;
  readonly fallsOn?: number;
  readonly settings?: DetectionSettings;
  /** Share of the traffic that falls, as a part of it; the whole agent if absent. */
  readonly part?: number;
}

/** Days at which a level learned what is usual, and at which it was found to have regressed. */
function daysOf(metric: 'tcr' | 'segment', agent: Agent): { readonly learned?: number; readonly found?: number } {
  const { seed, perDay, days, fallsOn = days, settings = DEFAULT_DETECTION, part } = agent;
  const random = randomFrom(seed);
  const detection = new Detection(settings);
  const seen: { learned?: number; found?: number } = {};
  for (let at = 0; at < days * DAY_MS; at += (-Math.log(1 - random()) * DAY_MS) / perDay) {
    const isPart = part === undefined || random() < part;
    const resolved = isPart && at >= fallsOn * DAY_MS ? 0.3 : 0.9;
    const traits = part === undefined ? [] : [isPart ? 'tenant: small' : `tenant: ${Math.floor(random() * 5)}`];
    const observed = conversation(random, BEGIN + at, { resolved, polite: 1, safe: 1 }, { traits });
    detection.observe({ ...observed, score: observed.outcome === 'successful_completion' ? 1 : 0 });
    for (const change of detection.takeTransitions()) {
      if (change.metric !== metric) continue;
      const day = (change.at - BEGIN) / DAY_MS;
      if (change.from === 'learning' && change.to === 'ok') seen.learned ??= day;
      if (change.to === 'regressed' && change.from === 'suspected') seen.found ??= day;
    }
  }
  return seen;
}

function learningFor(days: number): DetectionSettings {
  const { watch } = DEFAULT_DETECTION;
  return { ...DEFAULT_DETECTION, watch: { ...watch, learn: { ...watch.learn, historyMs: days * DAY_MS } } };
}

test.each([2, 7, 14, 21])('learning takes %d days if the setting says so', (days) => {
  const { learned = 0 } = daysOf('tcr', { seed: 1, perDay: 200, days: days + 2, settings: learningFor(days) });

  expect(learned).toBeGreaterThanOrEqual(days);
  expect(learned).toBeLessThan(days + 2 * (HOUR_MS / DAY_MS));
});

test('learning waits for its conversations where a day has few', () => {
  const { learned = 0 } = daysOf('tcr', { seed: 2, perDay: 2, days: 60 });

  // Fifty that are older than a day.
  expect(learned).toBeGreaterThan(18);
  expect(learned).toBeLessThan(40);
});

test.each([10, 40, 90])(
  'an agent with eight conversations a day that breaks on day %d is told within five days',
  (day) => {
    const found = [1, 2, 3, 4, 5, 6].map(
      (seed) => daysOf('tcr', { seed, perDay: 8, days: day + 10, fallsOn: day }).found ?? Number.POSITIVE_INFINITY,
    );

    expect(found.filter((one) => one >= day && one <= day + 5).length).toBeGreaterThanOrEqual(5);
  },
);

test('a segment of 2 % at twenty conversations an hour that breaks is told within five days', () => {
  const found = [1, 2, 3].map(
    (seed) =>
      daysOf('segment', { seed, perDay: 480, days: 26, fallsOn: 20, part: 0.02 }).found ?? Number.POSITIVE_INFINITY,
  );

  expect(found.filter((one) => one >= 20 && one <= 25).length).toBeGreaterThanOrEqual(2);
});
