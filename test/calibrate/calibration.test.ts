import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { calibrate } from '../../src/calibrate/calibration.ts';
import type { LabelledVerdict, YesOrNo } from '../../src/calibrate/confusion.ts';
import type { Judgings } from '../../src/calibrate/corrected-rate.ts';
import type { Estimate } from '../../src/model/estimate.ts';
import { randomFrom } from '../random.ts';

interface Figures {
  readonly rows: readonly {
    readonly confusion: Counts;
    readonly judgings: Judgings;
    readonly sensitivity: Estimate;
    readonly specificity: Estimate;
    readonly kappa: Estimate;
    readonly rate: Estimate;
  }[];
}
type Counts = ReturnType<typeof calibrate>['confusion'];

const FIGURES = JSON.parse(readFileSync(path.join(import.meta.dirname, 'figures.json'), 'utf8')) as Figures;

function pairsOf({ passOfPass, failOfPass, passOfFail, failOfFail }: Counts): readonly LabelledVerdict[] {
  const many = (count: number, verdict: YesOrNo, label: YesOrNo) =>
    Array.from({ length: count }, (): LabelledVerdict => ({ verdict, label }));
  return [
    ...many(passOfPass, 'pass', 'pass'),
    ...many(failOfPass, 'fail', 'pass'),
    ...many(passOfFail, 'pass', 'fail'),
    ...many(failOfFail, 'fail', 'fail'),
  ];
}

function expectClose(actual: Estimate | undefined, expected: Estimate): void {
  expect(actual?.value).toBeCloseTo(expected.value, 10);
  expect(actual?.lower).toBeCloseTo(expected.lower, 10);
  expect(actual?.upper).toBeCloseTo(expected.upper, 10);
}

test.each(FIGURES.rows)('gives what other software gives: $confusion of $judgings', (row) => {
  const { confusion, sensitivity, specificity, kappa, passRate } = calibrate(pairsOf(row.confusion), row.judgings);

  expect(confusion).toEqual(row.confusion);
  expectClose(sensitivity, row.sensitivity);
  expectClose(specificity, row.specificity);
  expectClose(kappa, row.kappa);
  expectClose(passRate.is === 'estimate' ? passRate.rate : undefined, row.rate);
});

test.each([
  ['nothing was judged', [3, 0, 0, 3], { passed: 0, of: 0 }, 'nothing-judged'],
  ['nobody passed anything', [0, 0, 1, 9], { passed: 5, of: 10 }, 'no-passes'],
  ['nobody failed anything', [9, 1, 0, 0], { passed: 5, of: 10 }, 'no-fails'],
  ['there are no labels', [0, 0, 0, 0], { passed: 5, of: 10 }, 'no-passes'],
  ['the judge says yes to all', [10, 0, 10, 0], { passed: 10, of: 10 }, 'judge-tells-nothing'],
  ['its yes is as likely where it is wrong', [6, 4, 6, 4], { passed: 6, of: 10 }, 'judge-tells-nothing'],
  ['it says the opposite', [1, 9, 9, 1], { passed: 5, of: 10 }, 'judge-tells-nothing'],
] as const)('gives no rate where %s', (_, [passOfPass, failOfPass, passOfFail, failOfFail], judgings, because) => {
  const { passRate } = calibrate(pairsOf({ passOfPass, failOfPass, passOfFail, failOfFail }), judgings);

  expect(passRate).toEqual({ is: 'not-identifiable', because });
});

test('gives no share of nothing, and no kappa where there is one answer only', () => {
  const none = calibrate([], { passed: 1, of: 2 });
  const onlyPasses = calibrate(pairsOf({ passOfPass: 9, failOfPass: 0, passOfFail: 0, failOfFail: 0 }), {
    passed: 9,
    of: 9,
  });

  expect([none.sensitivity, none.specificity, none.kappa]).toEqual([undefined, undefined, undefined]);
  expect(onlyPasses.sensitivity?.value).toBe(1);
  expect([onlyPasses.specificity, onlyPasses.kappa]).toEqual([undefined, undefined]);
});

test('a corrected rate beyond what can be is cut, and its interval holds it', () => {
  const judge = pairsOf({ passOfPass: 9, failOfPass: 1, passOfFail: 2, failOfFail: 8 });
  const low = calibrate(judge, { passed: 0, of: 100 }).passRate;
  const high = calibrate(judge, { passed: 100, of: 100 }).passRate;

  expect(low.is === 'estimate' && [low.rate.value, low.rate.lower]).toEqual([0, 0]);
  expect(high.is === 'estimate' && [high.rate.value, high.rate.upper]).toEqual([1, 1]);
  expect(low.is === 'estimate' && low.rate.upper).toBeGreaterThan(0.1);
  expect(high.is === 'estimate' && high.rate.lower).toBeLessThan(0.9);
});

const WORLDS = [
  { labels: 30, judged: 300, rate: 0.5, sensitivity: 0.95, specificity: 0.9 },
  { labels: 50, judged: 1000, rate: 0.8, sensitivity: 0.9, specificity: 0.8 },
  { labels: 100, judged: 1000, rate: 0.9, sensitivity: 0.99, specificity: 0.85 },
  { labels: 200, judged: 5000, rate: 0.7, sensitivity: 0.8, specificity: 0.7 },
];
const SAMPLES = 2000;

test.each(WORLDS)('intervals hold the truth in about 95 of 100 samples: $labels labels, $rate pass', (world) => {
  const random = randomFrom(20261121);
  const { rate, sensitivity, specificity } = world;
  const draw = (): LabelledVerdict => {
    const label = random() < rate ? 'pass' : 'fail';
    const isRight = random() < (label === 'pass' ? sensitivity : specificity);
    return { label, verdict: isRight ? label : label === 'pass' ? 'fail' : 'pass' };
  };
  const judgedPass = rate * sensitivity + (1 - rate) * (1 - specificity);
  const agreed = rate * sensitivity + (1 - rate) * specificity;
  const chance = rate * judgedPass + (1 - rate) * (1 - judgedPass);
  const truth = { sensitivity, specificity, kappa: (agreed - chance) / (1 - chance), rate };
  const held = { sensitivity: 0, specificity: 0, kappa: 0, rate: 0 };
  const given = { sensitivity: 0, specificity: 0, kappa: 0, rate: 0 };

  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const passed = Array.from({ length: world.judged }, random).filter((chanced) => chanced < judgedPass).length;
    const calibration = calibrate(Array.from({ length: world.labels }, draw), { passed, of: world.judged });
    const { passRate } = calibration;
    const estimates = { ...calibration, rate: passRate.is === 'estimate' ? passRate.rate : undefined };
    for (const what of ['sensitivity', 'specificity', 'kappa', 'rate'] as const) {
      const estimate = estimates[what];
      if (estimate === undefined) continue;
      given[what] += 1;
      if (estimate.lower <= truth[what] && truth[what] <= estimate.upper) held[what] += 1;
    }
  }

  for (const what of ['sensitivity', 'specificity', 'kappa', 'rate'] as const) {
    expect(given[what], what).toBeGreaterThan(0.95 * SAMPLES);
    expect(held[what] / given[what], what).toBeGreaterThan(0.92);
  }
});
