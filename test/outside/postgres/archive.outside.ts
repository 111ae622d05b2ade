/** The archive of instances that share a store: one writes at a time, and rows that commit late are not passed over. */
import path from 'node:path';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { FolderStore } from '../../../src/archive/folder-store.ts';
import type { ArchiveEvent } from '../../../src/model/events/archive-events.ts';
import { ArchiveRelay } from '../../../src/serve/archiving/archive-relay.ts';
import { ArchiveWork } from '../../../src/serve/archiving/archive-work.ts';
import { PostgresReader } from '../../../src/store/postgres/postgres-reader.ts';
import type { PostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { allRows } from '../../serve/archiving/archived-rows.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { arrivalOf, openStore, ownLane, scoreSimply, SOME } from './scoring.ts';
import { freshDatabase } from './shared-postgres.ts';

const CONVERSATIONS = 60;

async function instanceOf(url: string, instance: string, folder: string) {
  const store = await openStore(url, { instance });
  const reader = await PostgresReader.open({ url });
  const objects = new FolderStore(folder);
  const events: ArchiveEvent[] = [];
  let writes = 0;
  const work = new ArchiveWork({
    reader,
    objects: {
      get: (key) => objects.get(key),
      delete: (key) => objects.delete(key),
      list: (prefix) => objects.list(prefix),
      put: async (key, bytes) => {
        writes += 1;
        await objects.put(key, bytes);
      },
    },
    idKeys: [],
  });
  const calls = ['build', 'put', 'places', 'keysOf', 'forget', 'search'] as const;
  const side = Object.assign(Object.fromEntries(calls.map((name) => [name, work[name].bind(work)])), { end: () => {} });
  const relay = new ArchiveRelay({
    store: store.archive,
    // The cast holds because these are all calls.
    side: side as never,
    holder: instance,
    everyMs: 0,
    onEvent: (event) => events.push(event),
    idleMs: 10,
    pauseMs: 10,
    batchMax: 7,
  });
  onTestFinished(async () => {
    await relay.stop();
    await reader.close();
    await store.close();
  });
  return { store, relay, events, writes: () => writes };
}

async function evaluate(store: PostgresStore, first: number, many: number): Promise<void> {
  const lane = await ownLane(store);
  const at = first * 1_000;
  const arrivals = Array.from({ length: many }, (_, index) => arrivalOf(first + index, `c${first + index}`, at));
  await store.filing.file([{ lane, time: at + 500, positions: { spans: first }, arrivals }]);
  await store.time.move();
  for (let left = true; left; ) {
    left = false;
    await store.scoring.scoreDue(SOME, (set) => {
      left = true;
      scoreSimply(store.engineStore, set);
      for (const { content } of set.arrivals)
        store.engineStore.archive.add(JSON.parse(Buffer.from(content.traces).toString()).id);
    });
  }
}

async function idsIn(folder: string): Promise<readonly string[]> {
  return (await allRows(folder, 'conversations')).map((row) => String(row.conversation_id)).toSorted();
}

test('of two instances one writes, and when it is cut off the other goes on: each conversation is there once', async () => {
  const folder = path.join(tempDirectory(), 'archive');
  const url = await freshDatabase();
  const one = await instanceOf(url, 'a', folder);
  const two = await instanceOf(url, 'b', folder);
  await evaluate(one.store, 1, CONVERSATIONS / 2);
  one.relay.start();
  await expect.poll(one.writes).toBeGreaterThan(3);
  two.relay.start();
  await evaluate(two.store, 101, CONVERSATIONS / 2);
  await one.relay.stop();
  await expect.poll(async () => (await idsIn(folder)).length).toBe(CONVERSATIONS);
  expect(new Set(await idsIn(folder)).size).toBe(CONVERSATIONS);
  expect(two.writes()).toBeGreaterThan(0);
  expect([...one.events, ...two.events].filter(({ type }) => type === 'archive-failed')).toEqual([]);
});

test('a row with a smaller number that commits after larger ones were archived is archived as well', async () => {
  const folder = path.join(tempDirectory(), 'archive');
  const url = await freshDatabase();
  const { store, relay } = await instanceOf(url, 'a', folder);
  await evaluate(store, 1, 3);
  const late = new Client({ connectionString: url });
  await late.connect();
  onTestFinished(() => late.end());
  await late.query('BEGIN');
  await late.query("INSERT INTO archive_queue (at, conversation_id) VALUES ($1, 'c2')", [Date.now()]);
  await evaluate(store, 10, 2);
  relay.start();
  await expect.poll(() => idsIn(folder)).toEqual(['c1', 'c10', 'c11', 'c2', 'c3']);
  await late.query('COMMIT');
  await expect.poll(() => idsIn(folder)).toEqual(['c1', 'c10', 'c11', 'c2', 'c2', 'c3']);
});
