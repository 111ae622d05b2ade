/** Damage that a reader of the API finds is counted and alerted on, like damage that scoring finds. */
import { closeSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { tempDirectory } from '../../temp-directory.ts';
import { metricsOf, runService, sendTurns } from '../running-service.ts';

const listSchema = z.object({ conversations: z.array(z.object({ conversation_id: z.string() })) });

/** Changes a byte of each span's name, in place, as a fault of the disk would. */
function damageContent(dataDir: string): void {
  const folder = path.join(dataDir, 'content');
  let damaged = 0;
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.content'))) {
    const bytes = readFileSync(path.join(folder, file));
    const opened = openSync(path.join(folder, file), 'r+');
    for (let at = bytes.indexOf('invoke_agent'); at !== -1; at = bytes.indexOf('invoke_agent', at + 1)) {
      writeSync(opened, 'X', at);
      damaged += 1;
    }
    closeSync(opened);
  }
  expect(damaged).toBeGreaterThan(0);
}

test('spans that a reader finds damaged are counted, logged and not given out', { timeout: 60_000 }, async () => {
  const dataDir = tempDirectory();
  const running = await runService({ suites: ['default'], dataDir });
  await sendTurns(running, { first: 1, turns: 1 });
  const listed = async () => listSchema.parse(await (await fetch(`${running.http}/api/conversations`)).json());
  await expect.poll(async () => (await listed()).conversations.length, { timeout: 20_000 }).toBe(1);
  const [{ conversation_id: id } = { conversation_id: '' }] = (await listed()).conversations;
  const spans = async () => (await fetch(`${running.http}/api/v1/spans/${encodeURIComponent(id)}`)).json();
  expect(await spans()).toMatchObject({ traces: [{}], traces_damaged: 0 });
  const counted = async () => {
    const metrics = await metricsOf(running);
    return metrics.get('assay_data_damage{kind="content-damaged"}');
  };
  expect(await counted()).toBe(0);

  damageContent(dataDir);

  expect(await spans()).toMatchObject({ traces: [], traces_damaged: 1 });
  expect(await counted()).toBe(1);
  expect(running.lines.filter((line) => line.includes('spans are damaged on disk'))).toMatchObject([
    expect.stringContaining(`conversation ${id}`),
  ]);
});
