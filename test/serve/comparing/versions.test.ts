/** Two versions online: what two experiments are that share no case and went the same way. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { compareExperiments } from '../../../src/compare/compare-experiments.ts';
import type { ComparedJson } from '../../../src/model/api/comparison.ts';
import { type VersionsCompared, versionsCompared } from '../../../src/model/api/versions.ts';
import { comparisonJson } from '../../../src/report/documents/comparison-json.ts';
import { experimentOf, type RunLine } from '../../compare/experiments.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { get, post, SUITE } from '../api/v1/filled-service.ts';
import { metricsOf, type RunningService, runService, sumOf } from '../running-service.ts';

/** Tool calls of each conversation: none fails `looked`, two fail `few`. */
const CALLS = {
  v1: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0],
  v2: [1, 1, 1, 1, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0],
} as const;
const TOKENS = 110;

async function started(): Promise<RunningService> {
  const dataDir = tempDirectory();
  writeFileSync(path.join(dataDir, 'live.yaml'), SUITE);
  const running = await runService({ suites: ['./live.yaml'], dataDir });
  const sent = (['v1', 'v2'] as const).flatMap((version) => CALLS[version].map((calls) => ({ version, calls })));
  await Promise.all(
    sent.map(({ version, calls }, index) => {
      const results = Array.from({ length: calls }, () => '{}');
      return post(running, { id: `c-${index}`, question: 'Where?', answer: 'There.', results, version }, index + 1);
    }),
  );
  await expect
    .poll(async () => sumOf(await metricsOf(running), 'assay_evaluations_total'), { timeout: 20_000 })
    .toBe(sent.length);
  return running;
}

async function compared(running: RunningService, query: string): Promise<VersionsCompared> {
  const { status, body } = await get(running, `/api/v1/versions/compare?agent=helper&${query}`);
  expect([query, status]).toEqual([query, 200]);
  return versionsCompared.parse(body);
}

/** The same results as runs of cases that the other experiment does not have. */
function asExperiment(version: keyof typeof CALLS) {
  const lines = CALLS[version].map((calls, index): RunLine => {
    const passes = { looked: calls > 0, few: calls < 2 };
    // `few` is critical: the score is 0 where it fails.
    const score = (passes.looked ? 0.6 : 0) + (passes.few ? 0.4 : 0);
    return {
      case: `${version}-${index}`,
      effort: { steps: calls + 1, inputTokens: TOKENS },
      evaluations: [
        {
          score,
          outcome: score === 1 ? 'successful_completion' : 'partial_failure',
          verdicts: { looked: passes.looked ? 'pass' : 'fail', few: passes.few ? 'pass' : 'fail' },
        },
      ],
    };
  });
  const [suite] = experimentOf(version, lines).experiment.suites;
  if (suite === undefined) throw new Error('it has one');
  const criteria = ['looked', 'few'].map((name) => ({ ...suite.criteria[0], name, weight: 500_000 }));
  const { experiment, runs } = experimentOf(version, lines, {
    suites: [{ ...suite, criteria: criteria as typeof suite.criteria }],
  });
  // The criteria of the suite read form alone, so that faults are counted in both.
  const ofForm = runs.map((run) => ({
    ...run,
    evaluations: run.evaluations.map((one) => ({ ...one, about: 'form' as const })),
  }));
  return { experiment, runs: ofForm };
}

/** Bounds that are drawn depend on the order of the cases, a little; everything else does not. */
function expectSame(found: ComparedJson, expected: ComparedJson): void {
  if ('because' in expected || 'because' in found) {
    expect(found).toEqual(expected);
    return;
  }
  const { word, test: by, cases, relative, paired } = expected;
  expect(found).toMatchObject({ word, test: by, cases, relative, paired });
  for (const name of ['a', 'b', 'change'] as const) expect(found[name]).toBeCloseTo(expected[name], 12);
  for (const name of ['lower', 'upper'] as const) {
    const bound = expected[name] ?? 0;
    expect(Math.abs((found[name] ?? 0) - bound)).toBeLessThan(0.05 * (1 + Math.abs(bound)));
  }
  for (const name of ['p', 'adjusted_p'] as const)
    expect(found[name]).toBeCloseTo(expected[name], by === 'fisher' ? 12 : 2);
}

test('rates, scores, criteria and effort have the intervals, the chances and the words of a comparison', {
  timeout: 60_000,
}, async () => {
  const running = await started();

  const found = await compared(running, 'a=v1&b=v2');

  const { suites } = comparisonJson(compareExperiments(asExperiment('v1'), asExperiment('v2')));
  const [whole] = suites;
  if (whole === undefined) throw new Error('the suite scored both');
  expectSame(found.score, whole.score);
  expectSame(found.success, whole.success);
  for (const { criterion, compared: of } of found.criteria) {
    const same = whole.criteria.find((one) => one.criterion === criterion);
    expectSame(of, same ?? { word: null, because: 'it is not there' });
  }
  expectSame(found.steps_per_success, whole.steps_per_success);
  expectSame(found.tokens_per_success, whole.tokens_per_success);
  expect(found.cost_per_success).toMatchObject({ word: null });
  expect(found.success).toMatchObject({ word: 'more_faults', paired: false, cases: 30, test: 'fisher' });
  expect(found.a).toMatchObject({ conversations: 15, evaluations: 15, cut: false, other_versions: 0 });
  expect(found.criteria.map(({ criterion, failed }) => [criterion, failed])).toEqual([
    ['looked', { a: 1, b: 9 }],
    ['few', { a: 0, b: 1 }],
  ]);
  // The list of conversations finds as many.
  const { body } = await get(running, '/api/v1/conversations?suite=calls&criterion=looked&agent_version=v2&limit=50');
  expect((body as { conversations: unknown[] }).conversations).toHaveLength(9);
});

test('a version that nobody saw has no figures, and too short a time is a mistake', { timeout: 60_000 }, async () => {
  const running = await started();

  const nobody = await compared(running, 'a=v1&b=v9');

  expect(nobody.b).toEqual({
    agent_version: 'v9',
    conversations: 0,
    evaluations: 0,
    outcomes: {},
    other_versions: 0,
    cut: false,
  });
  expect(nobody.score).toEqual({ word: null, because: 'no conversation of v9 says anything of it' });
  expect(nobody.steps_per_success).toMatchObject({ because: 'no conversations of one of them report what they used' });
  expect((await compared(running, 'a=v1&b=v2&since=2001-01-01&until=2001-01-02')).a.evaluations).toBe(0);
  expect((await compared(running, 'a=v1&b=v2&environment=nowhere')).a.evaluations).toBe(0);
  const refusedOf = async (query: string) => (await get(running, `/api/v1/versions/compare?${query}`)).status;
  expect(await refusedOf('agent=helper&a=v1')).toBe(400);
  expect(await refusedOf('a=v1&b=v2')).toBe(400);
  expect(await refusedOf('agent=helper&a=v1&b=v2&since=1h&until=2h')).toBe(400);
  expect(await refusedOf('agent=helper&a=v1&b=v2&suite=nobody')).toBe(404);
});
