import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { calibrate } from '../../../src/statistics/calibrate/calibration.ts';
import type { LabelledVerdict, YesOrNo } from '../../../src/statistics/calibrate/confusion.ts';
import { shareOf } from '../../../src/statistics/calibrate/estimate.ts';
import { kappaOf } from '../../../src/statistics/calibrate/kappa.ts';
import { nextToLabel } from '../../../src/statistics/calibrate/weighed-by-verdict.ts';
import type { Estimate } from '../../../src/model/estimate.ts';
import { randomFrom } from '../../random.ts';
import { rounds } from '../../rounds.ts';

interface Figures {
  readonly rows: readonly {
    readonly confusion: Counts;
    readonly sensitivity: Estimate;
    readonly specificity: Estimate;
    readonly kappa: Estimate;
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

test.each(FIGURES.rows)('shares and kappa are what other software gives: $confusion', (row) => {
  const { passOfPass, failOfPass, passOfFail, failOfFail } = row.confusion;

  expectClose(shareOf(passOfPass, passOfPass + failOfPass), row.sensitivity);
  expectClose(shareOf(failOfFail, passOfFail + failOfFail), row.specificity);
  expectClose(kappaOf(row.confusion), row.kappa);
});

test('labels of a verdict weigh as much as the judge gave it, whatever share of the labels came from it', () => {
  // It passed 900 of 1000. People pass 45 of 50 of those, and 10 of 50 of the others.
  const confusion = { passOfPass: 45, passOfFail: 5, failOfPass: 10, failOfFail: 40 };
  const figures = calibrate(pairsOf(confusion), { passed: 900, of: 1000 });
  const { passRate, agreed, sensitivity, specificity, kappa } = figures;

  expect(figures.confusion).toEqual(confusion);
  expect(passRate.is === 'estimate' && passRate.rate.value).toBeCloseTo(0.9 * 0.9 + 0.1 * 0.2, 12);
  expect(agreed?.value).toBeCloseTo(0.81 + 0.08, 12);
  expect(sensitivity?.value).toBeCloseTo(0.81 / 0.83, 12);
  expect(specificity?.value).toBeCloseTo(0.08 / 0.17, 12);
  const chance = 0.9 * 0.83 + 0.1 * 0.17;
  expect(kappa?.value).toBeCloseTo((0.89 - chance) / (1 - chance), 12);

  // The same labels as a sample of all: what is plain there.
  const plain = calibrate(pairsOf(confusion), { passed: 500, of: 1000 });
  expectValues(plain, [45 / 55, 40 / 45, 0.7]);
  // It is not counted how often code gave each verdict.
  const ofCode = calibrate(pairsOf(confusion), { passed: 0, of: 0 });
  expectValues(ofCode, [45 / 55, 40 / 45, 0.7]);
  expect(ofCode.passRate).toEqual({ is: 'not-identifiable', because: 'nothing-judged' });
});

function expectValues(
  { sensitivity, specificity, kappa }: ReturnType<typeof calibrate>,
  expected: readonly [sensitivity: number, specificity: number, kappa: number],
): void {
  expect(sensitivity?.value).toBeCloseTo(expected[0], 12);
  expect(specificity?.value).toBeCloseTo(expected[1], 12);
  expect(kappa?.value).toBeCloseTo(expected[2], 12);
}

test.each([
  ['nothing was judged', [3, 0, 0, 3], { passed: 0, of: 0 }, 'nothing-judged'],
  ['there are no labels', [0, 0, 0, 0], { passed: 5, of: 10 }, 'none-of-passed'],
  ['nothing that it passes is labelled', [0, 3, 0, 3], { passed: 5, of: 10 }, 'none-of-passed'],
  ['nothing that it fails is labelled', [9, 0, 1, 0], { passed: 5, of: 10 }, 'none-of-failed'],
] as const)('gives no rate where %s', (_, [passOfPass, failOfPass, passOfFail, failOfFail], judgings, because) => {
  const { passRate } = calibrate(pairsOf({ passOfPass, failOfPass, passOfFail, failOfFail }), judgings);

  expect(passRate).toEqual({ is: 'not-identifiable', because });
});

test('a judge that passes everything, or whose yes says no more than its no, has a rate all the same', () => {
  const onlyPasses = calibrate(pairsOf({ passOfPass: 30, failOfPass: 0, passOfFail: 10, failOfFail: 0 }), {
    passed: 80,
    of: 80,
  });
  const chance = calibrate(pairsOf({ passOfPass: 6, failOfPass: 4, passOfFail: 6, failOfFail: 4 }), {
    passed: 60,
    of: 100,
  });

  expect(onlyPasses.passRate.is === 'estimate' && onlyPasses.passRate.rate.value).toBe(0.75);
  expect([onlyPasses.sensitivity?.value, onlyPasses.specificity?.value, onlyPasses.kappa?.value]).toEqual([1, 0, 0]);
  expect(chance.passRate.is === 'estimate' && chance.passRate.rate.value).toBeCloseTo(0.5, 12);
  expect(chance.kappa?.value).toBeCloseTo(0, 12);
});

test('gives no share of nothing, and no kappa where there is one answer only', () => {
  const none = calibrate([], { passed: 1, of: 2 });
  const onlyPasses = calibrate(pairsOf({ passOfPass: 9, failOfPass: 0, passOfFail: 0, failOfFail: 0 }), {
    passed: 9,
    of: 9,
  });

  expect([none.agreed, none.sensitivity, none.specificity, none.kappa]).toEqual(Array(4).fill(undefined));
  expect(onlyPasses.sensitivity?.value).toBe(1);
  expect([onlyPasses.specificity, onlyPasses.kappa]).toEqual([undefined, undefined]);
});

test('intervals hold their value, lie within what can be, and are never a point', () => {
  const random = randomFrom(7);
  const pick = (most: number) => Math.floor(random() * (most + 1));
  for (let round = 0; round < 300; round += 1) {
    const confusion = { passOfPass: pick(30), failOfPass: pick(5), passOfFail: pick(5), failOfFail: pick(30) };
    const passed = pick(400);
    const { passRate, ...figures } = calibrate(pairsOf(confusion), { passed, of: 400 });
    const { agreed, sensitivity, specificity, kappa } = figures;
    const rate = passRate.is === 'estimate' ? passRate.rate : undefined;
    for (const estimate of [agreed, sensitivity, specificity, kappa, rate]) {
      if (estimate === undefined) continue;
      expect(estimate.lower).toBeLessThanOrEqual(estimate.value);
      expect(estimate.upper).toBeGreaterThanOrEqual(estimate.value);
      expect(estimate.lower).toBeGreaterThanOrEqual(estimate === kappa ? -1 : 0);
      expect(estimate.upper).toBeLessThanOrEqual(1);
      expect(estimate.upper - estimate.lower, JSON.stringify({ confusion, passed, estimate })).toBeGreaterThan(0);
    }
  }
});

test('the next label is of the verdict that still says least', () => {
  const counts = { passOfPass: 40, passOfFail: 10, failOfPass: 5, failOfFail: 45 };
  expect(nextToLabel(counts, { passed: 900, of: 1000 })).toBe('passed');
  expect(nextToLabel(counts, { passed: 100, of: 1000 })).toBe('failed');
  expect(nextToLabel({ ...counts, failOfPass: 0, failOfFail: 1 }, { passed: 700, of: 1000 })).toBe('failed');
});

const WORLDS = [
  { design: 'a sample', labels: 30, judged: 300, rate: 0.5, sensitivity: 0.95, specificity: 0.9 },
  { design: 'a sample', labels: 50, judged: 1000, rate: 0.8, sensitivity: 0.9, specificity: 0.8 },
  { design: 'a sample', labels: 200, judged: 5000, rate: 0.7, sensitivity: 0.8, specificity: 0.7 },
  { design: 'half from fails', labels: 30, judged: 300, rate: 0.8, sensitivity: 0.9, specificity: 0.8 },
  { design: 'half from fails', labels: 100, judged: 1000, rate: 0.9, sensitivity: 0.95, specificity: 0.9 },
  { design: 'half from fails', labels: 100, judged: 1000, rate: 0.8, sensitivity: 0.9, specificity: 0.8 },
  { design: 'nine of ten from fails', labels: 100, judged: 1000, rate: 0.8, sensitivity: 0.9, specificity: 0.8 },
] as const;
const OF_FAILED = { 'a sample': undefined, 'half from fails': 0.5, 'nine of ten from fails': 0.9 };
const SAMPLES = rounds(500, 100);

test.each(WORLDS)(
  'no bias, and intervals that hold the truth in about 95 of 100: $labels labels, $design, $rate pass',
  (world) => {
    const random = randomFrom(20261121);
    const { rate, sensitivity, specificity } = world;
    const q = rate * sensitivity + (1 - rate) * (1 - specificity);
    const passing = { pass: (rate * sensitivity) / q, fail: (rate * (1 - sensitivity)) / (1 - q) };
    const ofFailed = OF_FAILED[world.design] ?? 1 - q;
    const draw = (): LabelledVerdict => {
      const verdict = random() < ofFailed ? 'fail' : 'pass';
      return { verdict, label: random() < passing[verdict] ? 'pass' : 'fail' };
    };
    const agreed = rate * sensitivity + (1 - rate) * specificity;
    const chance = rate * q + (1 - rate) * (1 - q);
    const truth = { agreed, sensitivity, specificity, kappa: (agreed - chance) / (1 - chance), rate };
    const names = ['agreed', 'sensitivity', 'specificity', 'kappa', 'rate'] as const;
    const seen = new Map(names.map((name) => [name, { given: 0, held: 0, off: 0 }]));

    for (let sample = 0; sample < SAMPLES; sample += 1) {
      const passed = Array.from({ length: world.judged }, random).filter((chanced) => chanced < q).length;
      const calibration = calibrate(Array.from({ length: world.labels }, draw), { passed, of: world.judged });
      const { passRate } = calibration;
      const estimates = { ...calibration, rate: passRate.is === 'estimate' ? passRate.rate : undefined };
      for (const [name, sums] of seen) {
        const estimate = estimates[name];
        if (estimate === undefined) continue;
        sums.given += 1;
        sums.off += estimate.value - truth[name];
        if (estimate.lower <= truth[name] && truth[name] <= estimate.upper) sums.held += 1;
      }
    }

    for (const [name, { given, held, off }] of seen) {
      expect(given, name).toBeGreaterThan(0.95 * SAMPLES);
      // As far from 0.95 as chance takes it.
      expect(held / given, name).toBeGreaterThan(0.95 - 3.6 * Math.sqrt((0.95 * 0.05) / given));
      if (name === 'rate') expect(Math.abs(off / given)).toBeLessThan(0.01 * Math.sqrt(500 / SAMPLES));
    }
  },
);
