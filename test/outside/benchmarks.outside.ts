/** The benchmarks, small: that each runs and gives its rows. They need no service, but a minute and a half. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isInShare } from './share-of-round.ts';

const MAIN = path.resolve(import.meta.dirname, '../../bench/main.ts');

const BENCHMARKS: readonly (readonly [name: string, rows: number])[] = [
  ['pipeline', 2],
  ['memory', 4],
  ['store', 1],
  ['backtest', 4],
  ['redaction', 3],
  ['dialects', 2],
  ['scrape', 8],
  ['start', 2],
  ['read', 33],
  ['page', 22],
  ['readers', 2],
  ['words', 1],
  ['export', 2],
  ['detect', 45],
  ['online', 15],
  ['learned', 11],
  ['estimate', 378],
];

test.each(BENCHMARKS.filter((_, number) => isInShare(number, 4)))(
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
