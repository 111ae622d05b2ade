/** Real exports of many frameworks, compared with the scripts that drove the agents. */
import { describe, expect, test } from 'vitest';
import { differencesOf, recordedRuns } from './compare.ts';
import { EXCEPTIONS, type Exception } from './exceptions.ts';

const used = new Set<Exception>();

describe.each(recordedRuns())('%s', (run) => {
  test('is understood as it happened', async () => {
    const differences = await differencesOf(run);
    const unexcused = differences.filter(({ field }) => {
      const rows = EXCEPTIONS.filter((row) => row.runs.test(run) && row.fields.test(field));
      for (const row of rows) used.add(row);
      return rows.length === 0;
    });

    expect(unexcused).toEqual([]);
  });
});

test('every exception excuses something', () => {
  expect(EXCEPTIONS.filter((row) => !used.has(row))).toEqual([]);
});
