import { expect, test } from 'vitest';
import { additiveLevel } from '../../../src/statistics/detect/additive.ts';
import { causesOf, type Sampled } from '../../../src/statistics/detect/causes.ts';
import { Detection } from '../../../src/statistics/detect/detection.ts';
import type { DetectionSettings } from '../../../src/statistics/detect/settings.ts';
import { DAY_MS } from '../../../src/statistics/detect/settings.ts';
import { Strata } from '../../../src/statistics/detect/strata.ts';
import { Names } from '../../../src/statistics/detect/names.ts';
import { randomFrom } from '../../random.ts';
import { BEGIN, HOUR_MS, QUICK } from './world.ts';

interface Kind {
  readonly success: number;
  readonly traits?: readonly string[];
  readonly hard?: number;
  readonly steps?: number;
}

/** Forty conversations an hour, each of a kind; metrics that regressed, by the day. */
function regressed(
  days: number,
  kindOf: (day: number, random: () => number) => Kind,
  settings: DetectionSettings = QUICK,
): readonly (readonly [metric: string, day: number])[] {
  const random = randomFrom(21);
  const detection = new Detection(settings);
  const found: (readonly [string, number])[] = [];
  for (let at = BEGIN; at < BEGIN + days * DAY_MS; at += HOUR_MS / 40) {
    const { success, traits = [], hard = 0.3, steps = 5 } = kindOf((at - BEGIN) / DAY_MS, random);
    const isGood = random() < success;
    const failed = random() < hard ? 'hard_failure' : 'partial_failure';
    detection.observe({
      ...{ suite: 'support', agent: 'helper', environment: 'production', version: '1', segment: '', user: '' },
      ...{ traits, judgedBy: '', judged: new Set(), at, score: isGood ? 1 : 0, verdicts: [], weights: new Map() },
      ...{ outcome: isGood ? 'successful_completion' : failed, costUsd: undefined },
      steps: steps + Math.floor(random() * 3),
    });
    for (const { metric, to } of detection.takeTransitions())
      if (to === 'regressed') found.push([metric, (at - BEGIN) / DAY_MS]);
  }
  return found;
}

test('harder requests are no regression if spans say what they are, and are one if no span does', () => {
  const harder = (isSaid: boolean) => (day: number, random: () => number) => {
    const isRefund = random() < (day < 8 ? 0.25 : 0.55);
    const traits = isSaid ? [`intent: ${isRefund ? 'refund' : 'travel'}`] : [];
    return { success: isRefund ? 0.75 : 0.95, traits };
  };

  expect(regressed(16, harder(true))).toEqual([]);
  expect(regressed(16, harder(false)).map(([metric]) => metric)).toContain('tcr');
});

test('an intent that is as frequent as before, and fails more often, is a regression', () => {
  const found = regressed(12, (day, random) => {
    const isRefund = random() < 0.3;
    return {
      success: isRefund ? (day < 8 ? 0.85 : 0.45) : 0.95,
      traits: [isRefund ? 'intent: refund' : 'intent: travel'],
    };
  });

  expect(found.length).toBeGreaterThan(0);
  for (const [, day] of found) expect(day).toBeGreaterThan(8);
});

test('a fall of success is one alarm; hard failures and steps that rise beyond it are their own', () => {
  const fall = regressed(12, (day) => ({ success: day < 8 ? 0.9 : 0.6 }));
  const hard = regressed(12, (day) => ({ success: 0.9, hard: day < 8 ? 0.2 : 0.8 }));
  const steps = regressed(12, (day) => ({ success: 0.9, steps: day < 8 ? 5 : 9 }));

  expect(fall.map(([metric]) => metric)).toEqual(['tcr']);
  expect(hard.map(([metric]) => metric)).toEqual(['hard_failure']);
  expect(steps.map(([metric]) => metric)).toEqual(['steps_per_success']);
});

test('a holiday may be a tenth worse and teaches nothing; a fall beyond that is found on it', () => {
  const day = Math.floor(BEGIN / DAY_MS) + 9;
  const settings = { ...QUICK, watch: { ...QUICK.watch, holidays: new Set([day]) } };
  const on = (success: number) => (now: number) => ({ success: Math.floor(now) === 9 ? success : 0.9 });

  expect(regressed(14, on(0.82), settings)).toEqual([]);
  expect(regressed(14, on(0.82)).map(([metric]) => metric)).toContain('tcr');
  expect(regressed(10, on(0.5), settings).map(([metric]) => metric)).toContain('tcr');
});

test('levels are sums of effects, also of combinations that were rarely seen', () => {
  const group = (values: readonly number[], rate: number, quantity: number) => ({
    values,
    bad: rate * quantity,
    quantity,
  });
  const levelOf = additiveLevel([
    group([1, 3], 0.1, 10_000),
    group([1, 4], 0.2, 10_000),
    group([2, 3], 0.3, 10_000),
    group([2, 4], 0.4, 10),
  ]);

  expect(levelOf([2, 4])).toBeCloseTo(0.4, 2);
  expect(levelOf([1, 3])).toBeCloseTo(0.1, 2);
});

test('kinds of requests are segment, language and intent, not what the agent did; too many count to their segment', () => {
  const strata = new Strata(3);
  const plain = strata.numberOf('gold', ['tool: search', 'model: large', 'error: timeout', 'prompt: 2']);
  const german = strata.numberOf('gold', ['language: de']);

  expect(plain).not.toBe(german);
  expect(strata.numberOf('gold', [])).toBe(plain);
  expect(strata.valuesOf(german)).toEqual([...strata.valuesOf(plain), expect.any(Number)]);
  strata.numberOf('gold', ['language: fr']);
  expect(strata.numberOf('gold', ['language: it'])).toBe(plain);

  const again = new Strata(3);
  again.restore(JSON.parse(JSON.stringify(strata.snapshot())), new Names(3));
  expect(again.numberOf('gold', ['language: de'])).toBe(german);
  expect(again.valuesOf(german)).toEqual(strata.valuesOf(german));
});

test('probabilities of causes add up to at most 1, and a fall that no value shows is everywhere', () => {
  const random = randomFrom(5);
  const sample = (count: number, hidden: number): Sampled[] =>
    Array.from({ length: count }, () => ({
      bad: random() < (random() < 0.15 ? hidden : 0.1) ? 1 : 0,
      segments: [1 + Math.floor(random() * 3), 4 + Math.floor(random() * 5)],
    }));

  const hidden = causesOf(sample(2000, 0.1), sample(300, 0.7));
  expect(hidden[0]?.segments).toEqual([]);
  expect(hidden.reduce((sum, { probability }) => sum + probability, 0)).toBeLessThanOrEqual(1 + 1e-9);
  const one = causesOf(
    sample(2000, 0.1),
    sample(300, 0.1).map((was) => ({ ...was, bad: was.segments.includes(7) ? 1 : was.bad })),
  );
  expect(one[0]?.segments).toEqual([7]);
  expect(one[0]?.probability).toBeGreaterThan(0.95);
});

test('where spans name no users an alarm takes more evidence, until it is known how much outcomes vary', () => {
  const thresholdOf = (isNamed: boolean, days: number) => {
    // A seed whose evidence never climbs high by chance: that would raise both.
    const random = randomFrom(1);
    const detection = new Detection(QUICK);
    let user = 0;
    for (let at = BEGIN; at < BEGIN + days * DAY_MS; at += HOUR_MS / 20) {
      const success = random() < 0.9;
      user += 1;
      detection.observe({
        ...{ suite: 'support', agent: 'helper', environment: 'production', version: '1', segment: '' },
        ...{
          traits: [],
          judgedBy: '',
          judged: new Set(),
          at,
          score: success ? 1 : 0,
          verdicts: [],
          weights: new Map(),
        },
        ...{ outcome: success ? 'successful_completion' : 'partial_failure', costUsd: undefined, steps: 5 },
        user: isNamed ? `user ${user}` : '',
      });
    }
    const tcr = detection.readings().find((one) => one.of === 'level' && one.metric === 'tcr');
    if (tcr?.of !== 'level') throw new Error('TCR is watched');
    return tcr.level.logThreshold;
  };

  expect(thresholdOf(false, 10) / thresholdOf(true, 10)).toBeCloseTo(1 + 0.25 * (1 - 10 / 40), 1);
  expect(thresholdOf(false, 42) / thresholdOf(true, 42)).toBeCloseTo(1, 2);
});
