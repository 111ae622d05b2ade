/** Prometheus's own tools read what the service exposes, and the queries of docs/reference/METRICS.md. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { metricsOf, runService, sumOf } from '../../serve/running-service.ts';
import { exportRequest, traffic } from '../../simulation/traffic.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { LINES, prometheusBinaries } from './prometheus-binaries.ts';

const PAGE = path.resolve(import.meta.dirname, '../../../docs/reference/METRICS.md');

test.each(LINES)('promtool %s has nothing to say against what is exposed', async (line) => {
  const { promtool } = await prometheusBinaries(line);
  const running = await runService({ suites: ['default'] });
  const [first] = [...traffic({ seed: 1, conversations: 1, turnsMax: 1, endMarks: 'all' })];
  const body = exportRequest(first?.turns[0] ?? [], 'v"1\\\n');
  const headers = { 'content-type': 'application/json' };
  expect((await fetch(`${running.otlp}/v1/traces`, { method: 'POST', headers, body })).status).toBe(200);
  while (sumOf(await metricsOf(running), 'assay_evaluations_total') === 0)
    await new Promise((resolve) => setTimeout(resolve, 100));

  const text = await (await fetch(`${running.http}/metrics`, { headers: { accept: 'text/plain' } })).text();
  const { status, stdout, stderr } = spawnSync(promtool, ['check', 'metrics'], { input: text, encoding: 'utf8' });

  expect(`${stdout}${stderr}`).toBe('');
  expect(status).toBe(0);
});

test.each(LINES)('promtool %s understands every query of docs/reference/METRICS.md', async (line) => {
  const { promtool } = await prometheusBinaries(line);
  const blocks = [...readFileSync(PAGE, 'utf8').matchAll(/```promql\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  const queries = blocks.flatMap((block) => block.split('\n\n').map((query) => query.replace(/^#.*\n/, '').trim()));
  const rules = queries.map((expr, index) => ({ record: `query:${index}`, expr }));
  const file = path.join(tempDirectory(), 'queries.yml');
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'queries', rules }] }));

  const { status, stdout, stderr } = spawnSync(promtool, ['check', 'rules', file], { encoding: 'utf8' });

  expect(queries.length).toBeGreaterThan(10);
  expect(stderr).toBe('');
  expect(stdout).toContain(`SUCCESS: ${queries.length} rules found`);
  expect(status).toBe(0);
});
