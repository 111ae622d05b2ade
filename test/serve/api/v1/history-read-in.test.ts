/** A history that is read in today is shown on its own days; `test/outside/postgres/history-read-in.outside.ts` is its twin. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempDirectory } from '../../../temp-directory.ts';
import { metricsOf, runService, sumOf } from '../../running-service.ts';
import { get } from './filled-service.ts';
import { holdToNineDays, SUITES } from './nine-days.ts';

test('nine days that are read in now are nine days in lists and figures', { timeout: 120_000 }, async () => {
  const dataDir = tempDirectory();
  const files = SUITES.map((text, index) => {
    writeFileSync(path.join(dataDir, `${index}.yaml`), text);
    return `./${index}.yaml`;
  });
  const running = await runService({ suites: files, dataDir });
  let taken = 0;

  await holdToNineDays({
    take: async (requests) => {
      const headers = { 'content-type': 'application/json' };
      for (const body of requests)
        expect((await fetch(`${running.otlp}/v1/traces`, { method: 'POST', headers, body })).status).toBe(200);
      taken += requests.length;
      await expect
        .poll(async () => sumOf(await metricsOf(running), 'assay_evaluations_total'), { timeout: 60_000 })
        .toBe(taken * SUITES.length);
    },
    ask: async (place, query) => {
      const { status, body } = await get(running, `${place}?${query}`);
      expect([place, query, status]).toEqual([place, query, 200]);
      return body;
    },
  });
  expect(sumOf(await metricsOf(running), 'assay_turns_clock_wrong_total')).toBe(2);
});
