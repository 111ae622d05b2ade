/** Cases from the shared store: the same as from the store of one machine. */
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FAILED_OUTCOMES } from '../../../src/model/severity.ts';
import { caseLine } from '../../../src/engine/recorded-case.ts';
import type { Selection } from '../../../src/offline/datasets/from-store.ts';
import type { ConversationReader } from '../../../src/store/conversation-reader.ts';
import { copyStore } from '../../../src/store/copy-store.ts';
import { PostgresReader } from '../../../src/store/postgres/postgres-reader.ts';
import { StoreReader } from '../../../src/store/sqlite/store-reader.ts';
import { casesOf } from '../../offline/datasets/stored-cases.ts';
import { builtinSuites, LogDriver } from '../../engine/log-driver.ts';
import { exportRequest, traffic } from '../../simulation/traffic.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { freshDatabase } from './shared-postgres.ts';

async function linesFrom(reader: ConversationReader, selection: Partial<Selection>) {
  const { cases, leftOut } = await casesOf(reader, selection);
  return { lines: cases.map(caseLine), leftOut };
}

test('both stores give the same cases, with the truth that was put in', async () => {
  const directory = tempDirectory();
  const driver = new LogDriver({ directory, suites: await builtinSuites(['default', 'error-recovery']) });
  const conversations = [...traffic({ seed: 9, conversations: 300, endMarks: 'all' })];
  for (const { turns, agentVersion } of conversations)
    for (const turn of turns) driver.take({ at: 1000, request: exportRequest(turn, agentVersion) });
  driver.between((store) => store.truths.put(conversations[0]?.id ?? '', { participants: ['Ana'] }));
  driver.finish();
  const from = path.join(directory, 'store.db');
  const url = await freshDatabase();
  await copyStore({ from, to: { url }, as: 'copied', intoExisting: false, onProgress: () => {} });
  const own = StoreReader.open(from);
  const shared = await PostgresReader.open({ url });
  onTestFinished(async () => {
    own.close();
    await shared.close();
  });

  for (const selection of [
    {},
    { outcomes: FAILED_OUTCOMES },
    { outcomes: FAILED_OUTCOMES, suite: 'default', limit: 7 },
  ]) {
    const expected = await linesFrom(own, selection);
    expect(expected.lines.length).toBeGreaterThan(5);
    expect(await linesFrom(shared, selection)).toEqual(expected);
  }
  expect(
    (await linesFrom(shared, {})).lines.filter((line) => line.includes('"truth":{"participants":["Ana"]}')),
  ).toHaveLength(1);
});
