/** Reports of the store and the gauge on uninformative criteria, from a service that has scored some traffic. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { CriterionVariation } from '../../src/serve/criteria/criterion-variation.ts';
import { storeFileIn } from '../../src/serve/store-place/data-directory.ts';
import { reviewSuites } from '../../src/offline/suite-review.ts';
import { GoldenLibrary } from '../../src/score/trajectory/golden-library.ts';
import { readGolden } from '../../src/score/trajectory/read-golden.ts';
import { loadSuites } from '../../src/score/load-suites.ts';
import { StoreReader } from '../../src/store/sqlite/store-reader.ts';
import { exportRequest, traffic } from '../simulation/traffic.ts';
import { tempDirectory } from '../temp-directory.ts';
import { BUILTIN } from '../engine/log-driver.ts';
import { metricsOf, runService, sumOf } from '../serve/running-service.ts';

const SUITE = `suite: review
scope: turn
normalize: true
criteria:
  - { name: always, question: Always?, weight: 1, check: size(steps) > 0 }
  - { name: never, question: Never asked?, weight: 1, check: truth.known == true }
  - { name: few, question: Few calls?, weight: 1, check: size(tool_calls) < 2 }
  - { name: few_again, question: Not many calls?, weight: 1, check: "!(size(tool_calls) >= 2)" }
  - { name: many, question: Many calls?, weight: 1, check: size(tool_calls) > 1 }
  - { name: long, question: Is it long?, weight: 1, check: size(final_answer) > 100 }
`;

test('the store tells which criteria always say the same, which are never decided, and which are the same as another', async () => {
  const dataDir = tempDirectory();
  writeFileSync(path.join(dataDir, 'review.yaml'), SUITE);
  const running = await runService({ suites: ['./review.yaml'], dataDir });
  const conversations = [...traffic({ seed: 11, conversations: 150, turnsMax: 1, endMarks: 'all' })];
  for (const { turns, agentVersion } of conversations) {
    const body = exportRequest(turns.flat(), agentVersion);
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(`${running.otlp}/v1/traces`, { method: 'POST', headers, body })).status).toBe(200);
  }
  await expect
    .poll(async () => sumOf(await metricsOf(running), 'assay_evaluations_total'), { timeout: 20_000 })
    .toBe(conversations.length);
  const { suites } = await loadSuites(['./review.yaml'], { baseDir: dataDir, builtinDir: BUILTIN });
  const reader = StoreReader.open(storeFileIn(dataDir));

  const review = await reviewSuites(reader, suites);
  const golden = new GoldenLibrary(readGolden('id: gt_001\ninput: Never asked\nsteps: [{ tool: t }]', 'g.yaml').traces);
  const withTrace = await reviewSuites(
    reader,
    suites.map((suite) => ({ ...suite, golden })),
  );
  const someOnly = await reviewSuites(reader, suites, 99);
  const metrics = await metricsOf(running);
  reader.close();

  expect(review.unusedTraces).toEqual([]);
  expect(withTrace.unusedTraces).toEqual([
    expect.stringContaining(
      `golden trace gt_001 of review was compared with 0 of ${conversations.length} conversations`,
    ),
  ]);
  expect(review.conversations).toBe(150);
  expect(review.remarks).toMatchObject([
    { suite: 'review', criterion: 'always', is: 'always', verdict: 'pass', decided: 150, rarer: 0 },
    { suite: 'review', criterion: 'never', is: 'never-decided', asked: 150 },
  ]);
  expect(review.alike.map(({ criterion, other, phi }) => [criterion, other, phi])).toEqual([
    ['few', 'few_again', 1],
    ['few', 'many', -1],
    ['few_again', 'many', -1],
  ]);
  // Fewer than a hundred say little of likeness; the totals go by all there were.
  expect(someOnly).toMatchObject({ conversations: 99, alike: [], remarks: review.remarks });
  const z2 = 1.959963984540054 ** 2;
  const gauge = (criterion: string) =>
    metrics.get(`assay_criterion_variation_ratio{suite="review",criterion="${criterion}"}`);
  expect(gauge('always')).toBeCloseTo(z2 / (150 + z2), 12);
  expect(gauge('never')).toBeUndefined();
  expect(gauge('few')).toBeGreaterThan(0.2);
});

test('totals are told as they are: what comes again is not added', () => {
  const variation = new CriterionVariation();
  const total = (verdict: string, value: number, version: string) => ({
    metric: 'assay_verdicts_total',
    labels: { suite: 's', criterion: 'c', verdict, agent_version: version },
    value,
  });

  variation.update([total('pass', 60, 'v1'), total('fail', 0, 'v1'), total('error', 7, 'v1')]);
  variation.update([total('pass', 100, 'v1'), total('pass', 100, 'v2')]);
  const [before] = variation.all();
  variation.update([total('fail', 100, 'v2')]);
  const [after] = variation.all();

  const z2 = 1.959963984540054 ** 2;
  expect(before?.ratio).toBeCloseTo(z2 / (200 + z2), 12);
  expect(after?.ratio).toBeGreaterThan(1 / 3);
});
