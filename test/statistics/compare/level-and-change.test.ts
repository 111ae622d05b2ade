import { describe, expect, test } from 'vitest';
import { changeOf } from '../../../src/statistics/compare/change.ts';
import type { Estimated, EstimatedChange, NotEstimable } from '../../../src/model/estimated.ts';
import { levelOf } from '../../../src/statistics/compare/level.ts';
import type { Measure } from '../../../src/statistics/compare/measure.ts';
import { SuiteRuns } from '../../../src/statistics/compare/suite-runs.ts';
import { randomFrom } from '../../random.ts';
import { experimentOf, FAILURE, passing, type RunLine, SUCCESS, SUITE } from './experiments.ts';

function runsOf(lines: readonly RunLine[]): SuiteRuns {
  return new SuiteRuns(experimentOf('a', lines), SUITE);
}

function figure<T extends Estimated>(estimated: T | NotEstimable): T {
  if ('because' in estimated) throw new Error(estimated.because);
  return estimated;
}

function level(lines: readonly RunLine[], measure: Measure): Estimated {
  return figure(levelOf(runsOf(lines), measure));
}

function change(a: readonly RunLine[], b: readonly RunLine[], measure: Measure): EstimatedChange {
  return figure(changeOf(runsOf(a), runsOf(b), measure));
}

function times<T>(count: number, item: T): T[] {
  return Array.from({ length: count }, () => item);
}

describe('what a run says', () => {
  const success: Measure = { is: 'success' };

  test.each<{ readonly sentence: string; readonly line: Omit<RunLine, 'case'>; readonly value: number | undefined }>([
    {
      sentence: 'an agent that failed and left nothing has no success',
      line: { end: 'agent_failed', evaluations: [] },
      value: 0,
    },
    {
      sentence: 'one that was out of time and could not be scored has none',
      line: { end: 'timed_out', evaluations: [{}] },
      value: 0,
    },
    {
      sentence: 'one that ended and could not be scored is not counted',
      line: { evaluations: [{}] },
      value: undefined,
    },
    { sentence: 'one that the suite is not for is not counted', line: { evaluations: [] }, value: undefined },
    {
      sentence: 'what waits for a judge is not counted',
      line: { evaluations: [{ ...SUCCESS, waitsFor: ['polite'] }] },
      value: undefined,
    },
    {
      sentence: 'an agent that failed after it did all is as good as its evaluation',
      line: { end: 'agent_failed', evaluations: [SUCCESS] },
      value: 1,
    },
    { sentence: 'turns are averaged', line: { evaluations: [SUCCESS, FAILURE] }, value: 0.5 },
  ])('$sentence', ({ line, value }) => {
    const found = levelOf(runsOf([{ case: 'x', ...line }]), success);

    expect('because' in found ? undefined : found.value).toBe(value);
  });

  test('repeats are averaged before cases are, however many a case has', () => {
    const lines: RunLine[] = [
      { case: 'often', repeat: 1, evaluations: [SUCCESS] },
      { case: 'often', repeat: 2, evaluations: [SUCCESS] },
      { case: 'often', repeat: 3, evaluations: [SUCCESS] },
      { case: 'once', evaluations: [FAILURE] },
    ];

    expect(level(lines, success)).toMatchObject({ value: 0.5, cases: 2 });
    expect(level(lines, { is: 'score' }).value).toBe(0.625);
    expect(level(lines, { is: 'criterion', name: 'booked' }).value).toBe(0.5);
    expect(level(lines, { is: 'criterion', name: 'polite' }).value).toBe(1);
    expect(level(lines, { is: 'failed_runs' }).value).toBe(0);
  });

  test('a run that was made again replaces the one before', () => {
    const lines: RunLine[] = [
      { case: 'x', evaluations: [FAILURE] },
      { case: 'x', evaluations: [SUCCESS] },
    ];

    expect(level(lines, success)).toMatchObject({ value: 1, cases: 1 });
  });

  test('what a success takes counts what failures took', () => {
    const lines: RunLine[] = [
      { case: 'x', evaluations: [SUCCESS], effort: { costUsd: 1, steps: 3, inputTokens: 10, outputTokens: 5 } },
      { case: 'y', evaluations: [FAILURE], effort: { costUsd: 2, steps: 5, inputTokens: 20 } },
    ];

    expect(level(lines, { is: 'cost_per_success' }).value).toBe(3);
    expect(level(lines, { is: 'steps_per_success' }).value).toBe(8);
    expect(level(lines, { is: 'tokens_per_success' }).value).toBe(35);
  });

  test('there is no figure where nothing succeeded, or nothing is known', () => {
    expect(levelOf(runsOf(passing([0, 0])), { is: 'steps_per_success' })).toEqual({
      because: 'no run has a good outcome',
    });
    expect(levelOf(runsOf(passing([1, 1])), { is: 'cost_per_success' })).toEqual({
      because: 'no run says what it took',
    });
    expect(levelOf(runsOf(passing([1])), { is: 'criterion', name: 'unheard' })).toHaveProperty('because');
    expect(levelOf(runsOf(passing([1])), { is: 'pass_hat', k: 2 })).toHaveProperty('because');
  });
});

describe('bounds', () => {
  test('of a share they are those of Clopper and Pearson, for what is unscored as well', () => {
    // scipy.stats.binomtest(8, 10).proportion_ci(0.95, 'exact')
    const eight = level(passing([1, 1, 1, 1, 1, 1, 1, 1, 0, 0]), { is: 'success' });

    expect(eight.lower(0.025)).toBeCloseTo(0.4439045, 6);
    expect(eight.upper(0.025)).toBeCloseTo(0.9747893, 6);
  });

  test('a change is as sure as the exact test of McNemar: five lost of twenty, and none won', () => {
    const five = change(passing(times(20, 1)), passing([...times(5, 0 as const), ...times(15, 1 as const)]), {
      is: 'success',
    });

    expect(five).toMatchObject({ value: -0.25, a: 1, b: 0.75, cases: 20, isPaired: true, isRelative: false });
    // One-sided p is 1/32.
    expect(five.upper(1 / 32 - 1e-6)).toBeGreaterThan(0);
    expect(five.upper(1 / 32 + 1e-6)).toBeLessThanOrEqual(1e-9);
  });

  test.each<Measure>([
    { is: 'score' },
    { is: 'success' },
    { is: 'criterion', name: 'booked' },
    { is: 'steps_per_success' },
  ])('where all pairs are equal there is room for a case that is not: $is', (measure) => {
    const same = change(passing(times(20, 1)), passing(times(20, 1)), measure);

    expect(same.value).toBe(0);
    expect(same.lower(0.05)).toBeLessThan(-0.1);
    expect(same.upper(0.05)).toBeGreaterThan(0.1);
  });

  test('widen as the tail shrinks, and hold the value between them', () => {
    const random = randomFrom(7);
    const lines = (): RunLine[] =>
      Array.from({ length: 15 }, (_, index) => ({
        case: `case-${index}`,
        evaluations: [random() < 0.7 ? SUCCESS : { ...FAILURE, score: Math.floor(random() * 6) / 5 }],
        effort: { costUsd: 0.01 + random(), steps: 1 + Math.floor(random() * 9) },
      }));
    const [a, b] = [lines(), lines()];
    const apart = b.map((line) => ({ ...line, case: `other-${line.case}` }));
    const measures: Measure[] = [
      { is: 'score' },
      { is: 'success' },
      { is: 'cost_per_success' },
      { is: 'pass_hat', k: 1 },
    ];
    for (const measure of measures)
      for (const figure of [level(a, measure), change(a, b, measure), change(a, apart, measure)]) {
        const tails = [0.5, 0.2, 0.05, 0.01, 0.0005];
        const [lower, upper] = [tails.map((tail) => figure.lower(tail)), tails.map((tail) => figure.upper(tail))];

        expect(lower).toEqual([...lower].sort((x, y) => y - x));
        expect(upper).toEqual([...upper].sort((x, y) => x - y));
        expect(lower[0]).toBeLessThanOrEqual(figure.value);
        expect(upper[0]).toBeGreaterThanOrEqual(figure.value);
        expect(new Set([...lower, ...upper]).size).toBeGreaterThan(6);
      }
  });
});

describe('which cases are held beside which', () => {
  test('those that both ran as they are; the others are left out', () => {
    const a = passing([1, 1, 1, 0]);
    const b = passing([1, 0, 1, 1, 1]).map((line) =>
      line.case === 'case-3' ? { ...line, fingerprint: 'e'.repeat(64) } : line,
    );

    expect(change(a, b, { is: 'success' })).toMatchObject({ cases: 3, isPaired: true, a: 1, b: 2 / 3 });
  });

  test('where they share none, all of both', () => {
    const other = passing([1, 0, 0, 0]).map((line) => ({ ...line, case: `other-${line.case}` }));

    expect(change(passing([1, 1]), other, { is: 'success' })).toMatchObject({
      cases: 6,
      isPaired: false,
      a: 1,
      b: 0.25,
    });
  });
});
