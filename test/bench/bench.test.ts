import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';

const MAIN = path.resolve(import.meta.dirname, '../../bench/main.ts');

test.each([
  ['pipeline', 2],
  ['store', 1],
  ['backtest', 3],
  ['redaction', 3],
  ['dialects', 2],
  ['scrape', 4],
  ['detect', 13],
])(
  'the benchmark %s runs small and gives its rows',
  (name, count) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, name, '--small', '--json'], {
      encoding: 'utf8',
    });

    expect(stderr).toBe('');
    expect(status).toBe(0);
    // The cast holds for what is asserted.
    const rows = JSON.parse(stdout) as readonly Record<string, unknown>[];
    expect(rows).toHaveLength(count);
    for (const row of rows) {
      expect(row).toEqual({
        name: expect.any(String),
        ours: expect.any(Number),
        reference: expect.any(Number),
        ratio: expect.any(Number),
      });
    }
  },
  60_000,
);
