import { expect, test } from 'vitest';
import { agentOf, type Seen } from './seen-agent.ts';
import { assumedAgent } from '../../../../src/statistics/compare/gate/assumed-agent.ts';
import { agreementOf, tryAgent } from '../../../../src/statistics/compare/gate/agent-model.ts';
import { planGate } from '../../../../src/statistics/compare/gate/plan-gate.ts';
import { readGate } from '../../../../src/statistics/compare/gate/read-gate.ts';
import type { ExperimentResult } from '../../../../src/model/experiment.ts';
import { formatMistakes } from '../../../../src/model/mistake.ts';
import { randomFrom } from '../../../random.ts';
import { rounds } from '../../../rounds.ts';

function gateOf(text: string, { experiment }: ExperimentResult) {
  const { gate, mistakes } = readGate(text, 'gate.yaml', experiment.suites);
  if (gate === undefined) throw new Error(formatMistakes(mistakes));
  return gate;
}

interface Planned {
  readonly cases: number;
  readonly repeats?: number;
  readonly searched?: readonly number[];
  readonly trials?: number;
}

function planned(seen: ExperimentResult, wanted: Planned) {
  return planGate({
    seen,
    gate: gateOf('rules: { tcr: { max_drop: 5 points } }', seen),
    repeats: 1,
    loss: 0.05,
    trials: rounds(40, 20),
    searched: [],
    seed: 1,
    ...wanted,
  });
}

test.for([
  { says: 'whose runs agree by 0', sure: 0, expected: 0 },
  { says: 'half of whose cases are decided by the case', sure: 0.5, expected: 0.5 },
  { says: 'whose cases decide everything', sure: 1, expected: 1 },
])('an agent $says is found to be so from its repeats', ({ sure, expected }) => {
  const found = agreementOf(agentOf({ cases: 300, repeats: 4, rate: 0.7, sure } satisfies Seen), randomFrom(1));

  expect(found?.from).toBe('repeats');
  expect(Math.abs((found?.likely ?? 9) - expected)).toBeLessThan(0.08);
  expect(found?.low).toBeLessThanOrEqual(expected + 0.08);
  expect(found?.high).toBeGreaterThanOrEqual(expected - 0.08);
});

test('with one run of each case nothing is known of their agreement, and a range is assumed', () => {
  const seen = agentOf({ cases: 40, repeats: 1, rate: 0.9, sure: 0.5 });

  expect(agreementOf(seen, randomFrom(1))).toBeUndefined();
  expect(planned(seen, { cases: 5, trials: 1 }).agreement).toEqual({
    low: 0.3,
    likely: 0.6,
    high: 0.9,
    from: 'assumption',
  });
});

test('simulated experiments agree as much as they are told to, and keep the mean', () => {
  const seen = agentOf({ cases: 200, repeats: 2, rate: 0.8, sure: 0.5 });
  const trial = { cases: 800, repeats: 3, agreement: 0.6, lost: 0 };
  const { baseline, candidate } = tryAgent(seen, trial, randomFrom(3));

  expect(baseline.runs).toHaveLength(2400);
  expect(candidate.runs.map(({ case: id, repeat }) => [id, repeat])).toEqual(
    baseline.runs.map(({ case: id, repeat }) => [id, repeat]),
  );
  expect(Math.abs((agreementOf(baseline, randomFrom(1))?.likely ?? 9) - 0.6)).toBeLessThan(0.08);
});

test('an agent that never fails passes from 59 cases on, as the table for such agents says', () => {
  const sure = agentOf({ cases: 10, repeats: 2, rate: 1, sure: 1 });

  expect(planned(sure, { cases: 58 }).whole.passesIfNoWorse).toBe(0);
  expect(planned(sure, { cases: 59 }).whole.passesIfNoWorse).toBe(1);
});

test('a release that lost the margin hardly passes, and twice the margin is found with enough cases', () => {
  const plan = planned(agentOf({ cases: 100, repeats: 2, rate: 0.95, sure: 0.9 }), { cases: 200, repeats: 3 });

  expect(plan.whole.passesIfLost).toBeLessThanOrEqual(0.1);
  expect(plan.whole.regressionIfNoWorse).toBeLessThanOrEqual(0.1);
  expect(plan.whole.passesIfNoWorse).toBeGreaterThan(0.8);
  expect(plan.rules).toEqual([expect.objectContaining({ rule: 'tcr max_drop', ...plan.whole })]);
});

test('a sequential gate of an agent that never fails ends at the first look whose share shows it', () => {
  const { sequential } = planned(agentOf({ cases: 10, repeats: 2, rate: 1, sure: 1 }), { cases: 200, trials: 20 });

  // 0.95^68 is more than the share of the look at 68 cases, 0.0043; 0.95^102 is less than that of the next, 0.0064.
  expect(sequential.looks).toEqual([30, 45, 68, 102, 153, 200]);
  expect(sequential.noWorse).toEqual({ passes: 1, regression: 0, meanCases: 102 });
  expect(sequential.lost.meanCases).toBeGreaterThan(180);
});

test('more repeats need fewer cases where runs of a case differ', () => {
  const { needed } = planned(assumedAgent(agentOf({ cases: 1, repeats: 1, rate: 1, sure: 1 }).experiment.suites), {
    cases: 5,
    trials: 20,
    searched: [1, 5],
  });
  const [once = 601, five = 601] = needed.map(({ limits }) => limits);

  expect(needed.map(({ repeats }) => repeats)).toEqual([1, 5]);
  expect(five).toBeLessThan(once);
});
