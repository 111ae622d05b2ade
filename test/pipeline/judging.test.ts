/** Judges in the running service: what waits in the store is asked from the scoring thread, and the metrics and the log tell it. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Store } from '../../src/store/sqlite/store.ts';
import { startProvider, YES } from '../ask/provider.ts';
import { judgeRequest } from '../ask/requests.ts';
import { exposedIn } from '../report/exposed.ts';
import { JUDGE_METRICS } from '../../src/report/judge-metrics.ts';
import { tempDirectory } from '../temp-directory.ts';
import { metricsOf, type RunningService, runService, sumOf } from './running-service.ts';

const JUDGES = (url: string) => `
judges:
  default:
    provider: openai
    model: played
    base_url: ${url}
    prices: { input_per_million: 2, output_per_million: 8 }
judging: { budget: { per_hour: 1, per_day: 5 } }
`;

/** As an evaluation that waits leaves it: here the service finds it when it starts. */
function storeWith(dataDir: string, name: string, config: string): void {
  writeFileSync(path.join(dataDir, 'assay.yaml'), config);
  const store = Store.open(path.join(dataDir, 'assay.db'));
  store.begin();
  store.questions.waitFor(1, [judgeRequest(name)], Date.now());
  store.commit();
  store.close();
}

async function until(claim: () => Promise<boolean>): Promise<void> {
  while (!(await claim())) await new Promise((resolve) => setTimeout(resolve, 50));
}

const total = async (running: RunningService, name: string, ...labels: readonly string[]) =>
  sumOf(await metricsOf(running), name, ...labels);

test('what waited is asked after a start, and counted', async () => {
  const provider = await startProvider(() => ({ say: YES }));
  const dataDir = tempDirectory();
  storeWith(dataDir, 'a', JUDGES(provider.url));

  const running = await runService({ suites: ['default'], dataDir });
  await until(async () => (await total(running, 'assay_judge_questions_total', 'end="answered"')) === 1);

  const metrics = await metricsOf(running);
  expect(sumOf(metrics, 'assay_judge_calls_total', 'result="said"')).toBe(1);
  expect(sumOf(metrics, 'assay_judge_call_seconds_count')).toBe(1);
  expect(sumOf(metrics, 'assay_judge_tokens_total', 'direction="input"')).toBe(100);
  expect(sumOf(metrics, 'assay_judge_cost_total')).toBeCloseTo((100 * 2 + 20 * 8) / 1e6, 12);
  await until(async () => (await total(running, 'assay_judge_budget_spent_ratio', 'window="hour"')) === 360e-6);
  expect(await total(running, 'assay_judge_waiting_questions')).toBe(0);
  const text = await (await fetch(`${running.http}/metrics`)).text();
  const names = new Set([...exposedIn(text)].map(([name]) => name));
  expect(Object.values(JUDGE_METRICS).filter(({ name }) => !names.has(name))).toEqual([]);
});

test('a judge that is stopped is seen in the metrics and in the log, without the key', async () => {
  const provider = await startProvider(() => ({ status: 401, error: { message: 'no such key: none' } }));
  const dataDir = tempDirectory();
  storeWith(dataDir, 'a', JUDGES(provider.url));

  const running = await runService({ suites: ['default'], dataDir });
  await until(async () => (await total(running, 'assay_judge_stopped')) === 1);

  const [line = ''] = running.lines.filter((text) => text.includes('a judge is stopped'));
  expect(JSON.parse(line)).toMatchObject({ level: 'error', judge: 'default', failure: 'authentication' });
  await until(async () => (await total(running, 'assay_judge_waiting_questions')) === 1);
});
