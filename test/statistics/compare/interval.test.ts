/** Intervals that are shown end where the baseline leaves no room, and decisions do not depend on that. */
import { expect, test } from 'vitest';
import { compareExperiments } from '../../../src/statistics/compare/compare-experiments.ts';
import { decideGate } from '../../../src/statistics/compare/gate/decide-gate.ts';
import { readGate } from '../../../src/statistics/compare/gate/read-gate.ts';
import type { Compared } from '../../../src/model/comparison.ts';
import type { ExperimentResult } from '../../../src/model/experiment.ts';
import type { JudgedLimit } from '../../../src/model/gate.ts';
import { formatMistakes } from '../../../src/model/mistake.ts';
import { randomFrom } from '../../random.ts';
import { rounds } from '../../rounds.ts';
import { experimentOf, passing } from './experiments.ts';

const LIMITS = `rules:
  tcr: { max_drop: 5 points }
  success_rate: { max_drop: 5% of baseline, floor: 0.9 }
  criteria: { max_drop: 10 points }
  failed_runs: { max_rise: 5 points }`;

function figuresOf(
  candidate: ExperimentResult,
  baseline: ExperimentResult,
): readonly NonNullable<JudgedLimit['figures']>[] {
  const { gate, mistakes } = readGate(LIMITS, 'gate.yaml', candidate.experiment.suites);
  if (gate === undefined) throw new Error(formatMistakes(mistakes));
  const { rules } = decideGate({ candidate, baseline, gate, warnings: [] });
  return rules.flatMap((rule) => (rule.is === 'limit' && rule.figures !== undefined ? [rule.figures] : []));
}

function comparedOf(a: ExperimentResult, b: ExperimentResult): readonly Extract<Compared, { is: 'compared' }>[] {
  const [suite] = compareExperiments(a, b).suites;
  const all = suite === undefined ? [] : [suite.score, suite.success, suite.failedRuns];
  const criteria = suite?.criteria.map(({ compared }) => compared) ?? [];
  return [...all, ...criteria].filter((one) => one.is === 'compared');
}

test('a baseline of 1.000 has nothing above it', () => {
  const [before, now] = [experimentOf('a', passing(Array(6).fill(1))), experimentOf('b', passing([0, 0, 0, 0, 1, 1]))];
  const [tcr, , success] = figuresOf(now, before);
  const [score] = comparedOf(before, now);

  expect(tcr).toMatchObject({ baseline: 1, value: -0.5, upper: 0 });
  expect(success).toMatchObject({ isRelative: true, upper: 0 });
  expect(score).toMatchObject({ a: 1, upper: 0 });
});

test('no interval of a share leaves the room that the baseline has', () => {
  const random = randomFrom(5);
  for (let sample = 0; sample < rounds(6, 2); sample += 1) {
    const [rate, cases] = [random(), 1 + Math.floor(30 * random())];
    const tried = (name: string, prefix = '') =>
      experimentOf(
        name,
        passing(Array.from({ length: cases }, () => (random() < rate ? 1 : 0))).map((line) => ({
          ...line,
          case: `${prefix}${line.case}`,
        })),
      );
    const before = tried('a');
    for (const now of [tried('b'), tried('c', 'other-')]) {
      for (const { baseline: a, lower, upper, isRelative, candidate } of figuresOf(now, before)) {
        const ends =
          a === undefined ? [lower, upper] : isRelative ? [a * (1 + lower), a * (1 + upper)] : [a + lower, a + upper];
        expect(ends[0]).toBeGreaterThanOrEqual(-1e-9);
        expect(ends[1]).toBeLessThanOrEqual(1 + 1e-9);
        expect(candidate).toBeGreaterThanOrEqual((ends[0] ?? 0) - 1e-9);
        expect(candidate).toBeLessThanOrEqual((ends[1] ?? 0) + 1e-9);
      }
      for (const { a, lower, upper } of comparedOf(before, now)) {
        expect(a + lower).toBeGreaterThanOrEqual(-1e-9);
        expect(a + upper).toBeLessThanOrEqual(1 + 1e-9);
      }
    }
  }
});

test('a baseline that hardly ever succeeds leaves no room for a drop, which does not show that there was none', () => {
  const none = passing(Array(10).fill(0)).map((line) => ({
    ...line,
    evaluations: [{ score: 0, outcome: 'hard_failure' as const }],
  }));
  const [before, now] = [experimentOf('a', none), experimentOf('b', none)];
  const { gate } = readGate('rules: { tcr: { max_drop: 5 points } }', 'gate.yaml', now.experiment.suites);
  if (gate === undefined) throw new Error('the rules are right');
  const [rule] = decideGate({ candidate: now, baseline: before, gate, warnings: [] }).rules;

  expect(rule).toMatchObject({ decision: 'not_enough_evidence', figures: { lower: expect.closeTo(0, 12) } });
});
