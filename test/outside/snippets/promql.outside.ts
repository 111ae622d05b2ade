/** Every query of README.md and docs is one that Prometheus understands. The queries of docs/reference/METRICS.md are tried with both lines of Prometheus elsewhere. */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { allBlocks, placeOf } from '../../snippets/blocks.ts';
import { prometheusBinaries } from '../prometheus/prometheus-binaries.ts';

/** A query begins at the margin, once the brackets of the one before are closed. */
function queriesOf(text: string): readonly string[] {
  const queries: string[] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('#') || line.trim() === '') continue;
    const last = queries.at(-1);
    if (last !== undefined && (/^[\s)]/.test(line) || isOpen(last))) queries[queries.length - 1] = `${last}\n${line}`;
    else queries.push(line);
  }
  return queries;
}

function isOpen(query: string): boolean {
  return (query.match(/[([{]/g)?.length ?? 0) > (query.match(/[)\]}]/g)?.length ?? 0);
}

test('promtool understands every query', async () => {
  const { promtool } = await prometheusBinaries('2.x');
  const file = path.join(tmpdir(), `assay-queries-${process.pid}.yml`);
  onTestFinished(() => rmSync(file, { force: true }));
  const blocks = allBlocks().filter(({ language, notRun }) => language === 'promql' && notRun === undefined);
  const queries = blocks
    .flatMap((block) => queriesOf(block.text).map((expr) => ({ expr, place: placeOf(block) })))
    .map((query, index) => ({ ...query, record: `query:${index}` }));
  // promtool names the group of a mistake.
  const groups = Object.entries(Object.groupBy(queries, ({ place }) => place)).map(([name, some = []]) => ({
    name,
    rules: some.map(({ record, expr }) => ({ record, expr })),
  }));
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ groups }));

  const { status, stdout, stderr } = spawnSync(promtool, ['check', 'rules', file], { encoding: 'utf8' });

  expect(queries.length).toBeGreaterThan(80);
  expect(stderr).toBe('');
  expect(stdout).toContain(`SUCCESS: ${queries.length} rules found`);
  expect(status).toBe(0);
});
