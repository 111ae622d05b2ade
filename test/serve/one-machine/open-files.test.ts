import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tempDirectory } from '../../temp-directory.ts';
import { metricsOf, runService, sendTurns, sumOf } from '../running-service.ts';

const OPEN_FILES = '/proc/self/fd';

function openIn(directory: string): readonly string[] {
  return readdirSync(OPEN_FILES).flatMap((name) => {
    try {
      const file = readlinkSync(`${OPEN_FILES}/${name}`);
      return file.startsWith(directory) ? [file] : [];
    } catch {
      // It was closed after it was listed.
      return [];
    }
  });
}

test.runIf(existsSync(OPEN_FILES))('a service that has stopped has no file of its data folder open', async () => {
  const dataDir = tempDirectory();
  for (const first of [1, 100]) {
    const running = await runService({ suites: ['default'], dataDir });
    await sendTurns(running, { first, turns: 20 });
    while (sumOf(await metricsOf(running), 'assay_turns_scored_total') < 20)
      await new Promise((next) => setTimeout(next, 50));
    expect(openIn(dataDir)).not.toEqual([]);

    await running.service.stop();

    expect(openIn(dataDir)).toEqual([]);
  }
});
