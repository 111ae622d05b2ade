import { expect, test } from 'vitest';
import { ChangeEvidence, type Expectation, type Seen } from '../../../src/statistics/detect/change-evidence.ts';
import { NOTHING_GIVEN } from '../../../src/statistics/detect/cluster-memory.ts';
import { DEFAULT_DETECTION } from '../../../src/statistics/detect/settings.ts';
import {
  BAD,
  COUNT,
  countIn,
  expectationsOf,
  LEVEL_COLUMNS,
  slopesOf,
} from '../../../src/statistics/detect/expectations.ts';
import { stepUp } from '../../../src/statistics/detect/step-up.ts';
import { splitChange, SPLIT_FIRST } from '../../../src/model/tcr-split.ts';
import { TrailingBaseline } from '../../../src/statistics/detect/trailing-baseline.ts';
import { VersionRace } from '../../../src/statistics/detect/version-race.ts';
import { correctedForChoice, estimate } from '../../../src/statistics/detect/effect.ts';
import { Cap } from '../../../src/statistics/detect/cap.ts';
import { Names } from '../../../src/statistics/detect/names.ts';
import { RecentChunks } from '../../../src/statistics/detect/recent-chunks.ts';
import { HOUR_MS, Wobble } from '../../../src/statistics/detect/drift-variance.ts';
import type { Json } from '../../../src/model/json.ts';
import { randomFrom } from '../../random.ts';

const TCR = DEFAULT_DETECTION.levels.tcr;

function expectationOf(expected: number): Expectation {
  const variance = expected * (1 - expected);
  const slopes = slopesOf(expected, { variance, quantity: 1, level: TCR, allowance: 0 });
  return { expected, allowance: 0, variance, doubt: 0, slopes, penalties: new Float64Array(slopes.length) };
}

/** One of the expectation's kind, of which nothing was known before. */
function seen(expectation: Expectation, bad: number): Seen {
  const { expected } = expectation;
  return { bad, quantity: 1, expected, usual: expected, given: NOTHING_GIVEN };
}

test('a bet on a yes/no question is the likelihood ratio of the change that it is made for', () => {
  const { slopes } = expectationOf(0.1);

  for (const [index, size] of TCR.sizes.entries()) {
    const after = 0.9 * (1 - size);
    expect(1 + (slopes[index] as number) * (0 - 0.1)).toBeCloseTo(after / 0.9, 12);
    expect(1 + (slopes[index] as number) * (1 - 0.1)).toBeCloseTo((1 - after) / 0.1, 12);
  }
});

test('the evidence is the sum, over all beginnings, of the capital of bets begun there', () => {
  const random = randomFrom(3);
  const evidence = new ChangeEvidence(TCR.weights);
  const expectation = expectationOf(0.1);
  const bad = Array.from({ length: 60 }, () => (random() < 0.2 ? 1 : random() < 0.3 ? 0.4 : 0));
  for (const [at, value] of bad.entries()) evidence.add(expectation, seen(expectation, value), at);

  let byHand = 0;
  let largest = 1;
  for (const [bet, weight] of TCR.weights.entries())
    for (let begun = 0; begun < bad.length; begun += 1) {
      let capital = 1;
      for (const value of bad.slice(begun)) capital *= 1 + (expectation.slopes[bet] as number) * (value - 0.1);
      byHand += weight * capital;
      if (bet === 1) largest = Math.max(largest, capital);
    }

  expect(evidence.value).toBeCloseTo(byHand, 9);
  expect(evidence.capital(1)).toBeCloseTo(largest, 9);
});

test('the onset of a bet is where its capital was last at its least', () => {
  const evidence = new ChangeEvidence([1]);
  const expectation = { ...expectationOf(0.1), slopes: Float64Array.of(2) };
  for (let at = 0; at < 50; at += 1) evidence.add(expectation, seen(expectation, 0), at);
  for (let at = 50; at < 60; at += 1) evidence.add(expectation, seen(expectation, 1), at);

  expect(evidence.stretch(0)).toMatchObject({ since: 49, count: 10, bad: 10, quantity: 10 });
  expect(evidence.stretch(0).expected).toBeCloseTo(1, 9);
});

test('while nothing is wrong the alarm is no likelier than conversations over alarm level', () => {
  const expectation = expectationOf(0.1);
  let alarms = 0;
  const runs = 400;
  for (let run = 0; run < runs; run += 1) {
    const random = randomFrom(run);
    const evidence = new ChangeEvidence(TCR.weights);
    for (let at = 0; at < 1000 && evidence.value < 10_000; at += 1)
      evidence.add(expectation, seen(expectation, random() < 0.1 ? 1 : 0), at);
    if (evidence.value >= 10_000) alarms += 1;
  }

  // At most 10 %, plus three standard errors.
  expect(alarms / runs).toBeLessThan(0.145);
  expect(alarms).toBeGreaterThan(0);
});

test.each([
  ['a value that is too large for a number', 1e308],
  ['a long fall', 1],
])('%s leaves the evidence finite', (_, bad) => {
  const evidence = new ChangeEvidence(TCR.weights);
  for (let at = 0; at < 5000; at += 1) evidence.add(expectationOf(0.1), seen(expectationOf(0.1), bad), at);

  expect(Number.isFinite(evidence.value)).toBe(true);
  expect(Number.isFinite(evidence.capital(3))).toBe(true);
});

/** Adds conversations that all fail. */
function fill(baseline: TrailingBaseline, at: number, count: number): void {
  const cell = baseline.cell(0, at);
  for (let one = 0; one < count; one += 1) countIn(cell, 1, 1);
}

test('a baseline holds back what is younger than the gap, and fades', () => {
  const baseline = new TrailingBaseline({ memoryMs: 1000, gapMs: 100, bucketMs: 50 }, LEVEL_COLUMNS);
  fill(baseline, 1010, 100);
  fill(baseline, 1060, 100);

  expect(baseline.ripen(1149)).toBe(false);
  expect(baseline.ripen(1150)).toBe(true);
  expect(baseline.usual[0]?.[COUNT]).toBe(100);
  expect(baseline.ripen(1200)).toBe(true);
  expect(baseline.usual[0]?.[COUNT]).toBeCloseTo(100 + 100 * Math.exp(-0.05), 12);
  expect(baseline.usual[0]?.[1]).toBeCloseTo(100 + 100 * Math.exp(-0.1), 12);
});

test('a baseline keeps the last fifty conversations of a segment, however old', () => {
  const baseline = new TrailingBaseline({ memoryMs: 1000, gapMs: 100, bucketMs: 50 }, LEVEL_COLUMNS);
  fill(baseline, 1010, 200);
  fill(baseline, 90_010, 1);
  baseline.ripen(91_000);

  expect(baseline.usual[0]?.[COUNT]).toBeCloseTo(51, 9);
  expect(baseline.usual[0]?.[BAD]).toBeCloseTo(51, 9);
});

test('what has been learned is counted without fading, and traffic with it', () => {
  const baseline = new TrailingBaseline({ memoryMs: 1000, gapMs: 100, bucketMs: 50 }, LEVEL_COLUMNS);
  for (let at = 1010; at < 11_000; at += 100) fill(baseline, at, 2);
  baseline.ripen(20_000);

  expect(baseline.conversations).toBe(200);
  expect(baseline.historyMs(11_010)).toBe(10_000);
  expect(baseline.conversationsPerMs).toBeCloseTo(0.02, 2);
  const restored = new TrailingBaseline({ memoryMs: 1000, gapMs: 100, bucketMs: 50 }, LEVEL_COLUMNS);
  restored.restore(JSON.parse(JSON.stringify(baseline.snapshot())));
  expect(restored.snapshot()).toEqual(baseline.snapshot());
});

test('the state of 0.1.0 has no such counts: they follow from its fading sums', () => {
  const baseline = new TrailingBaseline({ memoryMs: 1000, gapMs: 100, bucketMs: 50 }, LEVEL_COLUMNS);
  for (let at = 1000; at < 4000; at += 10) {
    fill(baseline, at, 2);
    baseline.ripen(at);
  }
  baseline.ripen(4100);
  const { learned: _, ...kept } = baseline.snapshot() as Record<string, Json>;
  const restored = new TrailingBaseline({ memoryMs: 1000, gapMs: 100, bucketMs: 50 }, LEVEL_COLUMNS);
  restored.restore(kept);

  expect(restored.historyMs(4000)).toBeCloseTo(3000, 6);
  expect(restored.conversations).toBeGreaterThan(570);
  expect(restored.conversations).toBeLessThan(630);
  expect(restored.conversationsPerMs).toBeCloseTo(0.2, 2);
});

test('what waits since the onset of a regression never becomes usual, and what waits from before does', () => {
  const baseline = new TrailingBaseline({ memoryMs: 1e9, gapMs: 1000, bucketMs: 100 }, LEVEL_COLUMNS);
  for (let at = 0; at < 1000; at += 10) {
    const cell = baseline.cell(0, at);
    cell[COUNT] = (cell[COUNT] as number) + 1;
  }
  baseline.cut(650);
  baseline.ripen(1e6);

  expect(baseline.usual[0]?.[COUNT]).toBeCloseTo(60, 3);
});

test('many buckets that wait are joined, and nothing is lost', () => {
  const baseline = new TrailingBaseline({ memoryMs: 1e12, gapMs: 1e6, bucketMs: 10 }, LEVEL_COLUMNS);
  for (let at = 0; at < 10_000; at += 1) {
    const cell = baseline.cell(at % 3, at);
    cell[COUNT] = (cell[COUNT] as number) + 1;
  }

  const counts = baseline.recent().map((cell) => cell?.[COUNT] ?? 0);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(10_000);
  expect(JSON.stringify(baseline.snapshot()).length).toBeLessThan(10_000);
});

test('a small segment is drawn towards the others, a new one is not judged', () => {
  const cell = (count: number, bad: number) => Float64Array.of(count, count, bad, count, bad, bad);
  const { segments, pooled } = expectationsOf([cell(10_000, 1000), cell(40, 16), cell(29, 20)], TCR) ?? {};

  expect(pooled?.expected).toBeCloseTo(1036.5 / 10_070, 6);
  expect(segments?.[0]?.expected).toBeCloseTo(0.1, 2);
  expect(segments?.[1]?.expected).toBeGreaterThan(0.2);
  expect(segments?.[1]?.expected).toBeLessThan(0.4);
  expect(segments?.[2]).toBeUndefined();
});

test('a level that has never failed varies as much as the failures that are expected of it', () => {
  const never = Float64Array.of(5000, 5000, 0, 5000, 0, 0);
  const { pooled } = expectationsOf([never], TCR) ?? {};

  expect(pooled?.expected).toBe(0.002);
  expect(pooled?.variance).toBeCloseTo(0.002 * 0.998, 9);
});

const ESTIMATE = {
  baseline: 0.9,
  conversations: 100,
  changeLower: -0.3,
  changeUpper: -0.1,
  observed: 0.72,
  change: -0.2,
};

test('the worst of many stretches shows too large a change: 3 / z² of it is taken off, and the interval is wider', () => {
  const z = (0.2 * 1.959964) / 0.1;
  const corrected = correctedForChoice(ESTIMATE);

  expect(corrected.change).toBeCloseTo(-0.2 * (1 - 3 / z ** 2), 12);
  expect(corrected.changeUpper - corrected.change).toBeCloseTo(0.1 * (1 + 1 / z), 12);
  expect(corrected.observed).toBeCloseTo(0.9 * (1 + corrected.change), 12);
  const sure = { ...ESTIMATE, changeLower: -0.201, changeUpper: -0.199 };
  expect(correctedForChoice(sure).change).toBeCloseTo(-0.2, 3);
  expect(correctedForChoice({ ...ESTIMATE, changeLower: 0, changeUpper: 0, change: 0 }).change).toBe(0);
});

test('an estimate varies as the level that is observed does', () => {
  const sums = { since: 0, count: 100, quantity: 100, per: 100, expected: 10, variance: 9, doubt: 0 };
  const varies = { wobble: 0, sumEffect: 1 };
  const widthOf = (bad: number) => {
    const { changeLower = 0, changeUpper = 0 } = estimate({ ...sums, bad }, TCR, varies) ?? {};
    return changeUpper - changeLower;
  };

  expect(widthOf(30) / widthOf(10)).toBeCloseTo(Math.sqrt(0.21 / 0.09), 9);
  expect(widthOf(5)).toBe(widthOf(10));
});

test('no bet can lose more than it has, whatever the level', () => {
  for (const expected of [0.002, 0.1, 0.5, 0.9, 0.998])
    for (const level of [TCR, DEFAULT_DETECTION.levels.hard_failure])
      for (const allowance of [0, 0.001, 0.02]) {
        const slopes = slopesOf(expected, {
          variance: expected * (1 - expected) * 0.05,
          quantity: 1,
          level,
          allowance,
        });
        for (const slope of slopes) expect(1 - slope * (expected + allowance)).toBeGreaterThan(0.2);
      }
});

test.each([
  [[5, 0, 0, 0], 4],
  [[3.9, 0, 0, 0], Number.POSITIVE_INFINITY],
  [[2, 2, 0, 0], 2],
  [[1, 1, 1, 1], 1],
  [[4, 1.9, 1.2, 0], 4],
])('of criteria with evidence %j those with at least %d are found', (standings, needed) => {
  expect(stepUp(standings, 4)).toBe(needed);
});

/** Σ mean of P × ΔV, cell by cell, as in the identity: the code computes it as a difference. */
function mixByHand(before: readonly Float64Array[], after: readonly Float64Array[], criteria: number): number {
  const count = (cells: readonly Float64Array[]) => cells.reduce((sum, cell) => sum + (cell[0] as number), 0);
  let mix = 0;
  for (const [segment, cell] of before.entries())
    for (let index = 0; index < criteria; index += 1) {
      const at = SPLIT_FIRST + 2 * index;
      const other = after[segment] as Float64Array;
      const share0 = (cell[at] as number) / count(before);
      const share1 = (other[at] as number) / count(after);
      const rate0 = (cell[at + 1] as number) / (cell[at] as number);
      const rate1 = (other[at + 1] as number) / (other[at] as number);
      mix += ((rate0 + rate1) / 2) * (share1 - share0);
    }
  return mix;
}

test('the split of ΔTCR is exact: criteria and mix, each by its formula, sum to the difference of the means', () => {
  const random = randomFrom(11);
  const weights = [0.5, 0.3, 0.2];
  const period = (rates: readonly number[], applies: number) =>
    [0, 1].map((segment) => {
      const cell = new Float64Array(SPLIT_FIRST + 6);
      for (let run = 0; run < 300; run += 1) {
        const decided = weights.map((_, index) => index === 0 || random() < applies);
        const passed = rates.map((rate) => random() < rate - 0.1 * segment);
        const whole = weights.reduce((sum, weight, index) => sum + (decided[index] ? weight : 0), 0);
        cell[0] = (cell[0] as number) + 1;
        for (const [index, weight] of weights.entries()) {
          if (!decided[index]) continue;
          const column = SPLIT_FIRST + 2 * index;
          cell[column] = (cell[column] as number) + weight / whole;
          if (!passed[index]) continue;
          cell[column + 1] = (cell[column + 1] as number) + weight / whole;
          cell[2] = (cell[2] as number) + weight / whole;
        }
      }
      return cell;
    });
  const before = period([0.9, 0.95, 0.97], 0.9);
  const after = period([0.7, 0.95, 0.97], 0.5);
  const split = splitChange(before, after, ['resolved', 'polite', 'safe']);
  const parts = [...(split?.criteria.values() ?? [])].reduce((sum, part) => sum + part, 0);
  const change = (split?.observed ?? 0) - (split?.baseline ?? 0);

  expect(parts + (split?.mix ?? 0)).toBeCloseTo(change, 14);
  expect(split?.mix).toBeCloseTo(mixByHand(before, after, 3), 12);
  expect(split?.criteria.get('resolved')).toBeLessThan(-0.08);
  expect(Math.abs(split?.criteria.get('polite') ?? 1)).toBeLessThan(0.03);
});

test('a pure change of mix is all mix, and a criterion that is new is mix, too', () => {
  const cell = (count: number, rate: number) => Float64Array.of(count, count, count * rate, count, count * rate);
  const moved = splitChange([cell(90, 0.9), cell(10, 0.5)], [cell(10, 0.9), cell(90, 0.5)], ['only']);
  const added = splitChange([cell(100, 0.9)], [Float64Array.of(100, 100, 70, 50, 45, 50, 25)], ['old', 'new']);

  expect(moved?.criteria.get('only')).toBeCloseTo(0, 14);
  expect(moved?.mix).toBeCloseTo(-0.32, 12);
  expect(added?.criteria.get('new')).toBe(0);
  expect(added?.criteria.get('old')).toBeCloseTo(0, 14);
  expect(added?.mix).toBeCloseTo(-0.2, 12);
});

test('by segment, each adds what it changed times what it is of the conversations now; one that is new adds nothing', () => {
  const cell = (count: number, rate: number) => Float64Array.of(count, count, count * rate, count, count * rate);
  const segments = (before: Float64Array[], after: Float64Array[]) => splitChange(before, after, ['only'])?.segments;

  expect(segments([cell(90, 0.9), cell(10, 0.5)], [cell(10, 0.9), cell(90, 0.5)])).toEqual([
    expect.closeTo(0, 14),
    expect.closeTo(0, 14),
  ]);
  expect(segments([cell(90, 0.9), cell(10, 0.5)], [cell(50, 0.8), cell(50, 0.5)])).toEqual([
    expect.closeTo(-0.05, 14),
    expect.closeTo(0, 14),
  ]);
  expect(segments([cell(100, 0.9)], [cell(50, 0.7), cell(50, 0.1)])).toEqual([expect.closeTo(-0.1, 14), undefined]);
});

test('a block of two versions is worth its likelihood ratio', () => {
  const race = new VersionRace(DEFAULT_DETECTION.versions, [[98, 88.2]]);
  race.observe(0, 'baseline', { success: true, vote: 1, at: 0 });
  race.observe(0, 'baseline', { success: false, vote: 1, at: 0 });
  race.observe(0, 'candidate', { success: false, vote: 1, at: 60_000 });

  const a = 90 / 100;
  const terms = [1.25, 1.5, 2, 3, 5].map((odds) => {
    const b = 1 / (1 + (odds * (1 - a)) / a);
    const q = (2 * a + b) / 3;
    return (a * (1 - a) * (1 - b)) / (q * (1 - q) ** 2);
  });
  expect(race.reading().logEvidence.worse).toBeCloseTo(Math.log(terms.reduce((sum, term) => sum + term) / 5), 12);
});

test('before a block is known, its worth is expected to be at most 1, whatever the common rate', () => {
  for (const rate of [0.2, 0.6, 0.9, 0.99]) {
    let expected = 0;
    for (let outcome = 0; outcome < 8; outcome += 1) {
      const yes = [0, 1, 2].map((bit) => ((outcome >> bit) & 1) === 1);
      const race = new VersionRace(DEFAULT_DETECTION.versions, [[98, 88.2]]);
      race.observe(0, 'baseline', { success: yes[0] === true, vote: 1, at: 0 });
      race.observe(0, 'baseline', { success: yes[1] === true, vote: 1, at: 0 });
      race.observe(0, 'candidate', { success: yes[2] === true, vote: 1, at: 60_000 });
      expect(race.reading().conversations).toBe(3);
      const chance = yes.reduce((product, isYes) => product * (isYes ? rate : 1 - rate), 1);
      expected += chance * Math.exp(race.reading().logEvidence.worse);
    }
    expect(expected).toBeLessThanOrEqual(1 + 1e-12);
  }
});

test('one enormous cost is cut, and what is no amount is refused', () => {
  const cap = new Cap();
  for (let index = 0; index < 100; index += 1) cap.take(0.02);

  expect(cap.take(1e300)).toBeCloseTo(0.4, 9);
  expect(cap.capped).toBe(1);
  expect([Number.NaN, -1, Number.POSITIVE_INFINITY].map((value) => cap.take(value))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('names beyond the limit are one, and __proto__ is a name like any other', () => {
  const names = new Names(2);

  expect(['a', '__proto__', 'c', 'a', 'd'].map((name) => names.numberOf(name))).toEqual([1, 2, 0, 1, 0]);
  expect(names.all).toEqual(['other', 'a', '__proto__']);
  expect(names.folded).toBe(2);
});

test('a wobble is seen for what it is, and chance alone for none', () => {
  const learnt = [0, 0.02].map((wobble) => {
    const random = randomFrom(21);
    const measured = new Wobble({ memoryMs: 30 * 24 * HOUR_MS, evidentErrors: 2.5 });
    let level = 0;
    for (let hour = 1; hour <= 600; hour += 1) {
      if (hour % 8 === 0) level = wobble * (random() < 0.5 ? -1 : 1);
      let bad = 0;
      for (let index = 0; index < 200; index += 1) if (random() < 0.1 + level) bad += 1;
      measured.count(bad - 20, 200 * 0.09, 200);
    }
    return Math.sqrt(measured.variance);
  });

  expect(learnt[0]).toBe(0);
  expect(learnt[1]).toBeGreaterThan(0.014);
  expect(learnt[1]).toBeLessThan(0.024);
});

test('sums since a moment are those of what came after it, to within a part of its age', () => {
  const chunks = new RecentChunks();
  for (let at = 0; at < 20_000; at += 1) {
    const cell = chunks.cell(0, at, 1);
    cell[0] = (cell[0] as number) + 1;
  }

  for (const age of [15_000, 3000, 400, 60]) {
    const sum = chunks.since(20_000 - age, 1)[0]?.[0] ?? 0;
    expect(sum).toBeGreaterThan(0.6 * age);
    expect(sum).toBeLessThan(1.6 * age);
  }
  expect(chunks.since(0, 1)[0]?.[0]).toBe(20_000);
  expect(JSON.stringify(chunks.snapshot()).length).toBeLessThan(1000);
});
