import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { ConversationId } from '../../src/model/ids.ts';
import { prune } from '../../src/store/sqlite/retention.ts';
import { Store } from '../../src/store/sqlite/store.ts';
import { builtinSuites, LogDriver } from '../engine/log-driver.ts';
import { randomFrom } from '../random.ts';
import { exportRequest } from '../simulation/traffic.ts';
import { filesWith, spansOf, traceOf } from '../serve/forgetting/folder.ts';
import { tempDirectory } from '../temp-directory.ts';

const HOUR = 3_600_000;
const NEVER = Number.MAX_SAFE_INTEGER;
const SECRET = 'heron-quartz';
const OTHER = 'willow-basalt';

/** Conversations by turns, so that their pieces and rows lie between each other. */
async function filled(directory: string, random: () => number): Promise<LogDriver> {
  const driver = new LogDriver({ directory, suites: await builtinSuites(['default']) });
  for (let index = 0; index < 60; index += 1) {
    const isMeant = index % 3 === 0;
    const text = `${isMeant ? SECRET : OTHER} ${'and so on '.repeat(Math.floor(random() * 400))}`;
    const conversation = `${isMeant ? 'meant' : 'other'}-${index % 12}`;
    const turn = { conversation, user: undefined, trace: traceOf(index), text };
    driver.take({ at: index * 30_000, request: exportRequest(spansOf(turn) as never, 'v1') });
    // Revised by a late span: the first version of the piece is nobody's.
    if (random() < 0.4) {
      driver.advance(index * 30_000 + 20_000);
      const late = spansOf({ ...turn, calls: 4 }).slice(2, 4);
      driver.take({ at: index * 30_000 + 21_000, request: exportRequest(late as never, 'v1') });
    }
  }
  driver.advance(2 * HOUR);
  driver.commit();
  return driver;
}

test('what retention deletes is in no file of the store once it has been tidied, and the rest can be read', async () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  const directory = tempDirectory();
  const driver = await filled(directory, randomFrom(seed));
  expect(filesWith(directory, [SECRET]).length, `seed ${seed}`).toBeGreaterThan(0);

  driver.between((store) => {
    // As a year later for those that are meant.
    store.run(`UPDATE conversations SET updated_at = 1 WHERE conversation_id LIKE 'meant-%'`);
    store.begin();
    const reach = { reopenMs: HOUR, maxBytes: NEVER, keepMs: HOUR, keepFailedMs: HOUR };
    expect(prune(store, reach, Date.now()).conversations).toBe(4);
    store.commit();
    store.traces.removeEmptyFiles();
    while (store.traces.wipeFreed(7) > 0);
    store.truncateWal();
  });

  expect(filesWith(directory, [SECRET]), `seed ${seed}`).toEqual([]);
  const { conversations } = driver.finish();
  expect(conversations.map(({ conversationId }) => conversationId).every((id) => id.startsWith('other-'))).toBe(true);
  expect(filesWith(directory, [SECRET]), `seed ${seed}`).toEqual([]);
  const store = Store.open(path.join(directory, 'store.db'));
  const read = [...store.traces.allContent(10)].flat();
  store.close();
  expect(read).toHaveLength(40);
  expect(read.every(({ content }) => Buffer.from(content.traces).includes(OTHER))).toBe(true);
});

test('answers of judges that quote a conversation go with it, and those that others wait for stay', () => {
  const directory = tempDirectory();
  const file = path.join(directory, 'assay.db');
  const store = Store.open(file);
  const ids = ['meant', 'other'] as ConversationId[];
  store.begin();
  const labels = { agent: 'a', agentVersion: 'v', environment: 'e' };
  const rows = ids.map((id) => store.conversations.make({ id, labels, firstClosedAt: 1 } as never).row);
  const request = (key: string, material: string) =>
    ({ key, judge: 'j', priority: 1, criteria: [], material, suite: 's', suiteVersion: '1' }) as never;
  const wait = (row: number, explanation: string, requests: readonly never[]) =>
    store.waiting.put({
      evaluation: {
        suite: 's',
        suiteVersion: '1',
        scope: 'conversation',
        revision: 1,
        outcome: 'unscored',
        explanation,
        verdicts: new Map(),
        findings: [],
        waitsFor: ['c'],
      } as never,
      place: { conversation: row, trace: 0, labels: {} },
      counted: [],
      requests,
    });
  wait(rows[0] ?? 0, SECRET, [request('00', SECRET), request('01', 'both')]);
  wait(rows[1] ?? 0, OTHER, [request('01', 'both'), request('02', OTHER)]);
  store.commit();
  store.questions.end([{ key: '00', outcome: { is: 'answered', said: `quotes ${SECRET}` } as never }], 1);

  store.forgotten.forget({
    conversations: ['meant' as ConversationId],
    users: [],
    traces: [],
    place: { position: 1, logTime: 1 },
  });
  expect(store.forgotten.settle()).toBe(true);

  expect(filesWith(directory, [SECRET])).toEqual([]);
  store.close();
  const database = new DatabaseSync(file, { readOnly: true });
  const keys = database.prepare('SELECT hex(key) AS key FROM questions ORDER BY key').all();
  database.close();
  expect(keys.map(({ key }) => key)).toEqual(['01', '02']);
});

test('a store of an earlier version is rewritten once, because it did not overwrite what it deleted', () => {
  const directory = tempDirectory();
  const file = path.join(directory, 'assay.db');
  Store.open(file).close();
  const before = new DatabaseSync(file);
  before.exec(`PRAGMA secure_delete = OFF; DELETE FROM meta WHERE key = 'overwrites_deleted'`);
  const insert = before.prepare(`INSERT INTO truths (conversation_id, truth, put_at) VALUES (?, ?, 1)`);
  for (let index = 0; index < 200; index += 1) insert.run(`c${index}`, `${SECRET} ${'x'.repeat(500)}`);
  before.exec('DELETE FROM truths; PRAGMA wal_checkpoint(TRUNCATE)');
  before.close();
  expect(filesWith(directory, [SECRET])).toEqual(['assay.db']);

  const store = Store.open(file);
  store.forgotten.forget({
    conversations: ['c0' as ConversationId],
    users: [],
    traces: [],
    place: { position: 1, logTime: 1 },
  });
  expect(store.forgotten.settle()).toBe(true);

  expect(filesWith(directory, [SECRET])).toEqual([]);
  expect(store.noted('overwrites_deleted')).toBe(1);
  store.close();
});

test('a reader that keeps the WAL is said, and the next try succeeds', () => {
  const directory = tempDirectory();
  const file = path.join(directory, 'assay.db');
  const store = Store.open(file);
  store.run('PRAGMA busy_timeout = 10');
  store.truths.put('meant', SECRET);
  const reader = new DatabaseSync(file, { readOnly: true });
  reader.exec('BEGIN; SELECT count(*) FROM truths');
  store.forgotten.forget({
    conversations: ['meant' as ConversationId],
    users: [],
    traces: [],
    place: { position: 1, logTime: 1 },
  });

  expect(store.forgotten.settle()).toBe(false);
  reader.exec('COMMIT');
  reader.close();
  expect(store.forgotten.settle()).toBe(true);

  expect(filesWith(directory, [SECRET])).toEqual([]);
  store.close();
});

test('pieces that are overwritten twice, or whose file is gone or shorter, do no harm', async () => {
  const directory = tempDirectory();
  const driver = await filled(directory, randomFrom(1));
  const before = readdirSync(path.join(directory, 'content')).map(
    (name) => readFileSync(path.join(directory, 'content', name)).length,
  );
  driver.between((store) => {
    for (const [file, offset] of [
      [1, 2 ** 30],
      [99, 0],
      [1, 2 ** 30],
    ] as const)
      store.run('INSERT INTO content_wipes (file, offset, length) VALUES (?, ?, 100)', file, offset);
    while (store.traces.wipeFreed(1) > 0);
  });
  const after = readdirSync(path.join(directory, 'content')).map(
    (name) => readFileSync(path.join(directory, 'content', name)).length,
  );
  driver.finish();
  expect(after).toEqual(before);
});
