/**
 * Exports opened by those for whom they are: pandas (pyarrow) and DuckDB read the types, the nulls and the figures that
 * the service has, and the Python of docs/reference/export.md runs. Needs a registry of Python packages.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillStore } from '../../bench/filled-store.ts';
import { assay } from '../assay-command.ts';
import { allBlocks } from '../snippets/blocks.ts';

const PACKAGES = ['pandas==3.1.1', 'pyarrow==26.0.1', 'duckdb==2.0.1'];
const CONVERSATIONS = 3_000;
const folder = mkdtempSync(path.join(tmpdir(), 'assay-dataframes-'));
const python = path.join(folder, 'venv/bin/python');

beforeAll(() => {
  execFileSync('python3', ['-m', 'venv', path.join(folder, 'venv')]);
  execFileSync(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PACKAGES]);
  fillStore(path.join(folder, 'assay.db'), CONVERSATIONS);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(script: string): string {
  writeFileSync(path.join(folder, 'script.py'), script);
  return execFileSync(python, ['script.py'], { cwd: folder, encoding: 'utf8' });
}

test('pandas and DuckDB read the same types and figures, and the Python of the page prints them', () => {
  for (const table of ['conversations', 'evaluations', 'verdicts']) {
    const out = path.join(folder, `${table}.parquet`);
    expect(assay(['export', '--table', table, '--out', out, '--data-dir', folder])).toMatchObject({ status: 0 });
  }
  // The cast holds for what the script prints.
  const read = JSON.parse(
    run(`
import json, duckdb, pandas
frames = {table: pandas.read_parquet(table + ".parquet") for table in ["conversations", "evaluations", "verdicts"]}
evaluations = frames["evaluations"]
described = duckdb.sql("DESCRIBE SELECT * FROM 'evaluations.parquet'").fetchall()
print(json.dumps({
    "rows": {table: len(frame) for table, frame in frames.items()},
    "types": {name: str(type) for name, type in evaluations.dtypes.items()},
    "duckdb": {row[0]: row[1] for row in described},
    "tcr": round(float(evaluations["score"].mean()), 9),
    "success": float(evaluations["success"].mean()),
    "nulls": int(evaluations["segment"].isna().sum()),
    "first": evaluations["evaluated_at"].max().isoformat()[:4],
    "sums": [float(one) for one in duckdb.sql(
        "SELECT count(*), avg(passed::int) FROM 'verdicts.parquet' WHERE criterion = 'criterion_0'").fetchall()[0]],
    "asked": frames["conversations"]["asked"].iloc[0],
}))`),
  ) as Record<string, unknown>;

  expect(read).toMatchObject({
    rows: { conversations: CONVERSATIONS, evaluations: CONVERSATIONS, verdicts: 8 * CONVERSATIONS },
    types: {
      evaluated_at: 'datetime64[ms, UTC]',
      success: 'bool',
      score: 'float64',
      cost_usd: 'float64',
      tokens: 'int64',
      revision: 'int32',
    },
    duckdb: {
      conversation_id: 'VARCHAR',
      evaluated_at: 'TIMESTAMP WITH TIME ZONE',
      success: 'BOOLEAN',
      score: 'DOUBLE',
      tokens: 'BIGINT',
      revision: 'INTEGER',
    },
    tcr: 0.98,
    success: 0.9,
    nulls: CONVERSATIONS,
    first: String(new Date().getUTCFullYear()),
    sums: [CONVERSATIONS, 0.9],
    asked: `Please move my call number ${CONVERSATIONS - 1} to Thursday ${(CONVERSATIONS - 1) % 24}:00.`,
  });

  const blocks = allBlocks().filter(
    ({ page, language }) => page === 'docs/reference/export.md' && language === 'python',
  );
  expect(blocks).toHaveLength(2);
  const printed = run(blocks.map(({ text }) => text).join('\n'));
  expect(printed).toMatch(/v6 +0\.9\d+ +0\.\d+/);
  expect(printed).toMatch(/criterion_0 +│ +0\.9/);
});
