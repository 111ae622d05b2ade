/** Reading over its own thread: a store that is there, and threads that hang and die. */
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import type { DamageEvent } from '../../../src/model/events/damage-events.ts';
import type { ReadingEvent } from '../../../src/model/events/reading-events.ts';
import { WAITING_MAX } from '../../../src/serve/reading/read-limits.ts';
import type { RouteJob } from '../../../src/serve/reading/reading-protocol.ts';
import { StoreReading } from '../../../src/serve/reading/store-reading.ts';
import { Store } from '../../../src/store/sqlite/store.ts';
import { tempDirectory } from '../../temp-directory.ts';

const STATE = { suites: [], detection: { isActive: false, report: undefined } };
const LIST: RouteJob = { what: 'route', path: '/api/conversations', query: 'limit=10', parameters: [] };
const SHADOW: RouteJob = { what: 'route', path: '/api/v1/shadow', query: '', parameters: [] };
/** A view in place of a table, which takes longer than the deadline. */
const SLOW = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000000) SELECT i AS id, i AS began_at, i AS first_closed_at FROM n`;

async function started({ view, ...limits }: { view?: string; deadlineMs?: number } = {}) {
  const file = path.join(tempDirectory(), 'assay.db');
  Store.open(file).close();
  if (view !== undefined) {
    const database = new DatabaseSync(file);
    database.exec(`DROP TABLE conversations; CREATE VIEW conversations AS ${view}`);
    database.close();
  }
  const events: (ReadingEvent | DamageEvent)[] = [];
  const reading = new StoreReading();
  onTestFinished(() => reading.stop());
  await reading.start(
    { kind: 'sqlite', file },
    { state: () => STATE, onEvent: (event) => events.push(event), ...limits },
  );
  const ask = (job: RouteJob = LIST, { from = 'a', signal = new AbortController().signal } = {}) =>
    reading.answer({ job, from, signal });
  return { reading, events, ask, file };
}

function textOf(body: string | Uint8Array): string {
  return Buffer.from(body).toString();
}

test('answers as the handler does, in bytes, with its status', async () => {
  const { ask, events } = await started();

  const listed = await ask();
  const mistaken = await ask({ ...LIST, query: 'limit=many' });
  const missing = await ask({
    what: 'route',
    path: '/api/conversations/{conversation...}',
    query: '',
    parameters: [['conversation', 'ü/1']],
  });

  expect([listed.status, JSON.parse(textOf(listed.body))]).toEqual([200, { conversations: [], next: null }]);
  expect([mistaken.status, textOf(mistaken.body)]).toEqual([400, expect.stringContaining('limit: ')]);
  expect([missing.status, textOf(missing.body)]).toEqual([404, expect.stringContaining('ü/1')]);
  expect(events.map((event) => ('status' in event ? event.status : event.type))).toEqual([200, 400, 404]);
});

test('beyond its places it refuses, each at once and with a time to come back; those that wait are answered', async () => {
  const { ask, events, reading } = await started();

  const asked = Array.from({ length: WAITING_MAX + 5 }, () => ask());
  expect(reading.waiting).toBe(WAITING_MAX);
  const answers = await Promise.all(asked);

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(WAITING_MAX + 1);
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(4);
  expect(refused[0]?.headers).toEqual({ 'retry-after': '1' });
  expect(events.filter(({ type }) => type === 'read-refused')).toHaveLength(4);
});

test('an address with all places makes room for another one', async () => {
  const { ask } = await started();

  const greedy = Array.from({ length: WAITING_MAX + 1 }, () => ask());
  const other = await ask(LIST, { from: 'b' });
  const answers = await Promise.all(greedy);

  expect(other.status).toBe(200);
  expect(answers.map(({ status }) => status).filter((status) => status === 429)).toHaveLength(1);
  expect(answers.at(-1)?.status).toBe(429);
});

test('a client that goes away leaves the queue', async () => {
  const { ask, reading, events } = await started();
  const first = ask();
  const gone = new AbortController();

  const second = ask(LIST, { signal: gone.signal });
  gone.abort();

  expect(reading.waiting).toBe(0);
  expect((await first).status).toBe(200);
  await second;
  expect(events).toContainEqual({ type: 'read-refused', because: 'client_gone' });
});

test('a client that goes away while its read runs leaves the thread to the others', async () => {
  const { ask, events } = await started();
  const gone = new AbortController();
  const running = ask(LIST, { signal: gone.signal });

  const others = [ask(LIST, { from: 'b' }), ask(LIST, { from: 'c' })];
  gone.abort();

  expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200]);
  await running;
  expect((await ask()).status).toBe(200);
  expect(events.filter(({ type }) => type === 'reading-restarted')).toEqual([]);
});

test('a read past its deadline is given up; the thread is replaced, and the next is answered', async () => {
  // Long enough for the next one on a busy machine.
  const { ask, events } = await started({ deadlineMs: 1_000, view: SLOW });

  const given = await ask();
  const next = await ask(SHADOW);

  expect([given.status, given.headers]).toEqual([503, { 'retry-after': '1' }]);
  expect(textOf(given.body)).toContain('ask for less');
  expect([next.status, textOf(next.body)]).toEqual([200, '{"shadows":[]}\n']);
  expect(events.slice(0, 2)).toEqual([
    { type: 'reading-restarted', because: 'deadline', error: '/api/conversations ran past its deadline' },
    { type: 'read-refused', because: 'took_too_long' },
  ]);
}, 60_000);

test('a stop refuses those that wait, and may come twice', async () => {
  const { ask, reading } = await started();

  const asked = Array.from({ length: 3 }, () => ask());
  await Promise.all([reading.stop(), reading.stop()]);
  const statuses = (await Promise.all(asked)).map(({ status }) => status);

  expect(statuses.slice(1)).toEqual([503, 503]);
  expect((await ask()).status).toBe(503);
  await expect(reading.own({ what: 'calibration' })).rejects.toThrow('stopping');
});

test('a store that cannot be opened is told to who starts', async () => {
  const reading = new StoreReading();
  const place = { kind: 'sqlite', file: path.join(tempDirectory(), 'missing.db') } as const;

  await expect(reading.start(place, { state: () => STATE, onEvent: () => undefined })).rejects.toThrow(
    /unable to open/,
  );
});

test('the reads of the service itself go through the same thread', async () => {
  const { reading } = await started();

  expect(await reading.own({ what: 'calibration' })).toEqual([]);
});
