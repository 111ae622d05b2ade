/** Builds before the baseline say which cases are flaky, and how alike the runs of a case are in one build. */
import { expect, test } from 'vitest';
import type { ExperimentResult } from '../../../../src/model/experiment.ts';
import { randomFrom } from '../../../../src/model/random.ts';
import { correlationOf } from '../../../../src/statistics/compare/correlation.ts';
import { decideGate } from '../../../../src/statistics/compare/gate/decide-gate.ts';
import { readGate } from '../../../../src/statistics/compare/gate/read-gate.ts';
import { experimentOf, FAILURE, SUCCESS } from '../experiments.ts';

type Cases = Readonly<Record<string, string>>;

/** Runs of each case, as `110`: 1 for a success. */
function build(name: string, cases: Cases, fingerprints: Cases = {}): ExperimentResult {
  return experimentOf(
    name,
    Object.entries(cases).flatMap(([id, runs]) =>
      [...runs].map((run, at) => ({
        ...{ case: id, repeat: at + 1, fingerprint: fingerprints[id] ?? id },
        evaluations: [run === '1' ? SUCCESS : FAILURE],
      })),
    ),
  );
}

function decided(
  rule: string,
  candidate: ExperimentResult,
  baseline: ExperimentResult,
  earlier: ExperimentResult[] = [],
) {
  const { gate, mistakes } = readGate(`rules: { ${rule} }`, 'gate.yaml', candidate.experiment.suites);
  if (gate === undefined) throw new Error(JSON.stringify(mistakes));
  return decideGate({ candidate, baseline, earlier, gate, warnings: [] });
}

function testOf(candidate: ExperimentResult, baseline: ExperimentResult, earlier: ExperimentResult[] = []) {
  const [rule] = decided('cases_worse: by chance', candidate, baseline, earlier).rules;
  const found = rule?.is === 'by_chance' ? rule.tests.find(({ criterion }) => criterion === undefined) : undefined;
  return found ?? expect.unreachable();
}

const BEFORE: Cases = { a: '111', b: '111', c: '101', d: '011', e: '111' };
const NOW: Cases = { a: '000', b: '100', c: '010', d: '101', e: '111' };
const steady = Array.from({ length: 12 }, (_, at) =>
  build(`m${at}`, { a: '111', b: '111', c: '100', d: '010', e: '111' }),
);

test('cases that never failed before count more than flaky ones', () => {
  const [now, before] = [build('now', NOW), build('before', BEFORE)];

  const alone = testOf(now, before);
  const known = testOf(now, before, steady);

  expect(known.p).toBeLessThan(alone.p);
  expect(known.evidence).toBeGreaterThan(alone.evidence);
  expect(alone).toMatchObject({ correlation: undefined });
});

test('a case that was changed is new, and so is a suite', () => {
  const [now, before] = [build('now', NOW), build('before', BEFORE)];
  const changed = Object.fromEntries(Object.keys(NOW).map((id) => [id, `old ${id}`]));
  const others = steady.map(({ experiment, runs }) => ({
    experiment: { ...experiment, suites: experiment.suites.map((suite) => ({ ...suite, fingerprint: 'other' })) },
    runs,
  }));

  const alone = testOf(now, before);

  expect(
    testOf(
      now,
      before,
      Array.from({ length: 12 }, () => build('m', NOW, changed)),
    ).p,
  ).toBe(alone.p);
  expect(testOf(now, before, others).p).toBe(alone.p);
});

test('where a build answers a case in the same way each time, several runs of it tell less', () => {
  const cases = Object.keys(BEFORE);
  const alike = Array.from({ length: 12 }, (_, at) =>
    build(`m${at}`, Object.fromEntries(cases.map((id, of) => [id, (at + of) % 3 === 0 ? '000' : '111']))),
  );
  const [now, before] = [build('now', NOW), build('before', BEFORE)];

  const known = testOf(now, before, alike);

  expect(known.correlation).toBe(1);
  expect(known.p).toBeGreaterThan(testOf(now, before).p);
  expect(testOf(now, before, alike.slice(3)).correlation).toBeUndefined();
});

test('the correlation is that with which the runs were drawn', () => {
  const random = randomFrom(4);
  for (const share of [0, 0.2, 0.5]) {
    // With the chance √share a run says what its build says of the case, so that two have this correlation.
    const cases = Array.from({ length: 400 }, () =>
      Array.from({ length: 12 }, () => {
        const own = random() < 0.7;
        const runs = Array.from({ length: 3 }, () => (random() < Math.sqrt(share) ? own : random() < 0.7));
        return { passes: runs.filter(Boolean).length, of: 3 };
      }),
    );
    expect(correlationOf(cases)).toBeCloseTo(share, 1);
  }
});

test('a limit on these cases is decided on their runs, whatever order these came in', () => {
  const ids = Array.from({ length: 20 }, (_, at) => `case-${at}`);
  const all = (runs: string) => Object.fromEntries(ids.map((id) => [id, runs]));
  const [before, now] = [build('before', { ...all('11111'), 'case-0': '10101' }), build('now', all('11111'))];
  const turned = build('before', { ...all('11111'), 'case-0': '11100' });
  const rule = 'success_rate: { max_drop: 5 points on these cases }';

  const here = decided(rule, now, before).rules[0];
  const likeThese = decided('success_rate: { max_drop: 5 points }', now, before).rules[0];

  expect(here).toMatchObject({ decision: 'pass', shown: { allowed: 'at most 5 points down on these cases' } });
  expect(likeThese).toMatchObject({ decision: 'not_enough_evidence', runsNeeded: undefined });
  expect(decided(rule, now, turned).rules).toEqual(decided(rule, now, before).rules);
});

test('a baseline with more runs makes the runs of the candidate no surer', () => {
  const all = (runs: string) => Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`case-${at}`, runs]));
  const rule = 'success_rate: { max_drop: 10 points on these cases }';
  const lowerOf = (runs: string) => {
    const [limit] = decided(rule, build('now', all('1')), build('before', all(runs))).rules;
    return limit?.is === 'limit' ? limit.figures?.lower : undefined;
  };

  // Twenty runs all pass in .9^20 = 12 % of samples, if each case loses 10 points.
  expect(lowerOf('111')).toBeCloseTo(lowerOf('1') ?? 0, 9);
  expect(lowerOf('1')).toBeLessThan(-0.1);
});

test('an open limit on these cases says how many runs of each would tell', () => {
  const ids = Array.from({ length: 12 }, (_, at) => `case-${at}`);
  const all = (runs: string) => Object.fromEntries(ids.map((id) => [id, runs]));
  const rule = 'success_rate: { max_drop: 10 points on these cases }';

  const [few] = decided(rule, build('now', all('11')), build('before', all('11'))).rules;
  const needed = few?.is === 'limit' ? (few.runsNeeded ?? 0) : 0;
  const enough = '1'.repeat(needed);
  const [many] = decided(rule, build('now', all(enough)), build('before', all(enough))).rules;

  expect(few).toMatchObject({ decision: 'not_enough_evidence', casesNeeded: expect.any(Number) });
  expect(few?.because).toContain(`about ${needed} runs of each case, or`);
  expect(many?.decision).toBe('pass');
});
