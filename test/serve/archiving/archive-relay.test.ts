/**
 * The archive's relay on a store of one machine, with object storage that fails at any moment: who lists the files finds
 * each conversation as often as it was evaluated between two batches, and never twice for one.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fillStore, KNOWN } from '../../../bench/filled-store.ts';
import { FolderStore } from '../../../src/archive/folder-store.ts';
import type { ObjectStore } from '../../../src/archive/object-store.ts';
import { rowsIn } from '../../../src/archive/parquet-rows.ts';
import type { ArchiveEvent } from '../../../src/model/events/archive-events.ts';
import type { ConversationId } from '../../../src/model/ids.ts';
import { ArchiveRelay } from '../../../src/serve/archiving/archive-relay.ts';
import { ArchiveWork } from '../../../src/serve/archiving/archive-work.ts';
import type { ArchiveStore } from '../../../src/store/archive-store.ts';
import { Store } from '../../../src/store/sqlite/store.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { allRows, parquetFiles } from './archived-rows.ts';

const CONVERSATIONS = 12;
const DAY_MS = 86_400_000;

type Fault = 'refused' | 'answer lost';

/** Fails requests that change something, from the one of this number on, until it is healed. */
class FaultyStore implements ObjectStore {
  readonly #inner: ObjectStore;
  readonly #fault: Fault;
  failsAt: number;
  changes = 0;

  constructor(inner: ObjectStore, { failsAt, fault }: { readonly failsAt: number; readonly fault: Fault }) {
    this.#inner = inner;
    this.failsAt = failsAt;
    this.#fault = fault;
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    await this.#maybe(() => this.#inner.put(key, bytes));
  }

  get(key: string) {
    return this.#inner.get(key);
  }

  async delete(key: string): Promise<void> {
    await this.#maybe(() => this.#inner.delete(key));
  }

  list(prefix: string) {
    return this.#inner.list(prefix);
  }

  async #maybe(change: () => Promise<void>): Promise<void> {
    this.changes += 1;
    const fails = this.changes >= this.failsAt;
    if (!fails || this.#fault === 'answer lost') await change();
    if (fails) throw new Error(`the object store: ${this.#fault}`);
  }
}

interface Held {
  readonly store: Store;
  readonly directory: string;
  readonly folder: string;
  readonly objects: FaultyStore;
}

function held({ failsAt = Number.POSITIVE_INFINITY, fault = 'refused' as Fault } = {}): Held {
  const directory = tempDirectory();
  const file = path.join(directory, 'assay.db');
  fillStore(file, CONVERSATIONS);
  const store = Store.open(file, { durable: false });
  onTestFinished(() => store.close());
  const folder = path.join(directory, 'archive');
  return { store, directory, folder, objects: new FaultyStore(new FolderStore(folder), { failsAt, fault }) };
}

function evaluated(store: Store, numbers: readonly number[]): void {
  store.begin();
  for (const number of numbers) store.archive.add(KNOWN(number) as ConversationId);
  store.commit();
}

const EACH = Array.from({ length: CONVERSATIONS }, (_, number) => number);
const NAMES = EACH.map(KNOWN).toSorted();

interface Run {
  readonly batchMax?: number;
  readonly contentBytesMax?: number;
  readonly store?: Partial<ArchiveStore>;
}

/** A relay as a process has it; each has a thread of its own that remembers nothing. */
function relayOn({ store, objects }: Held, { batchMax = 5, contentBytesMax, store: other = {} }: Run = {}) {
  const events: ArchiveEvent[] = [];
  const work = new ArchiveWork({
    reader: store.reader(),
    objects,
    idKeys: [],
    ...(contentBytesMax === undefined ? {} : { contentBytesMax }),
  });
  const calls = ['build', 'put', 'places', 'keysOf', 'forget', 'search'] as const;
  const side = Object.assign(Object.fromEntries(calls.map((name) => [name, work[name].bind(work)])), { end: () => {} });
  const relay = new ArchiveRelay({
    store: { ...store.archive, ...other },
    // The cast holds because these are all calls.
    side: side as never,
    holder: 'one',
    everyMs: 0,
    onEvent: (event) => events.push(event),
    idleMs: 5,
    pauseMs: 5,
    batchMax,
  });
  return { relay, events };
}

type IsDone = (events: readonly ArchiveEvent[]) => boolean | Promise<boolean>;

async function until(held: Held, isDone: IsDone, run?: Run) {
  const { relay, events } = relayOn(held, run);
  relay.start();
  await expect.poll(() => isDone(events), { interval: 5 }).toBe(true);
  await relay.stop();
  return events;
}

const waiting = ({ store }: Held) =>
  store.archive.plan({ name: 'none', limit: 1_000, now: 0, everyMs: Number.MAX_SAFE_INTEGER }).oldestAt !== undefined;
const allKept = (one: Held) => async () => !waiting(one);

async function idsIn(folder: string): Promise<readonly string[]> {
  return (await allRows(folder, 'conversations')).map((row) => String(row.conversation_id)).toSorted();
}

async function evaluationIds(folder: string): Promise<readonly string[]> {
  return (await allRows(folder, 'evaluations')).map((row) => String(row.evaluation_id));
}

test('conversations that wait are in files of full batches, each once, with its verdicts and its content', async () => {
  const one = held();
  evaluated(one.store, EACH);
  await until(one, allKept(one));

  expect(await idsIn(one.folder)).toEqual(NAMES);
  expect(new Set(await evaluationIds(one.folder)).size).toBe(CONVERSATIONS);
  expect(await allRows(one.folder, 'verdicts')).toHaveLength(8 * CONVERSATIONS);
  const content = await allRows(one.folder, 'content');
  expect(content).toHaveLength(CONVERSATIONS);
  expect(Buffer.from(content[0]?.spans as Uint8Array).toString()).toContain('spans of a turn');
  expect(parquetFiles(one.folder).filter((file) => file.startsWith('table=content'))).toHaveLength(3);
});

test('a batch that is not full waits for its time', async () => {
  const { store } = held();
  evaluated(store, EACH);
  const plan = { name: 'a', limit: CONVERSATIONS + 1, now: Date.now(), everyMs: DAY_MS };
  expect(store.archive.plan(plan).batch).toBeUndefined();
  expect(store.archive.plan({ ...plan, now: Date.now() + DAY_MS }).batch?.conversations).toEqual(NAMES);
});

test('a batch has conversations of one day, and rows that appear later with a smaller number are in a later one', () => {
  const { store } = held();
  const wait = (id: number, day: number) =>
    store.run(
      'INSERT INTO archive_queue (id, at, conversation_id) VALUES (?, ?, ?)',
      id,
      day * DAY_MS + 5,
      `of day ${day} as ${id}`,
    );
  const next = (name: string) => {
    const { batch } = store.archive.plan({ name, limit: 10, now: 100 * DAY_MS, everyMs: 0 });
    store.archive.lease('one', 1_000);
    if (batch !== undefined) store.archive.keep('one', { name: batch.name, day: batch.day, keys: Buffer.alloc(8) });
    return batch && [batch.day, batch.conversations];
  };
  for (const [id, day] of [
    [10, 20],
    [11, 21],
    [12, 20],
  ] as const)
    wait(id, day);
  expect(next('a')).toEqual([20, ['of day 20 as 10', 'of day 20 as 12']]);
  wait(3, 20);
  expect(next('b')).toEqual([20, ['of day 20 as 3']]);
  expect(next('c')).toEqual([21, ['of day 21 as 11']]);
  expect(next('d')).toBeUndefined();
});

/** Four objects a batch, and three batches. */
const CHANGES = Array.from({ length: 13 }, (_, at) => at + 1);

test.each(['refused', 'answer lost'] as const)(
  'each evaluation is in one file, whichever write is the first that fails before a kill: %s',
  { timeout: 60_000 },
  async (fault) => {
    for (const failsAt of CHANGES) {
      const one = held({ failsAt, fault });
      evaluated(one.store, EACH);
      const { relay, events } = relayOn(one);
      relay.start();
      await expect.poll(() => events.some(({ type }) => type === 'archive-failed') || !waiting(one)).toBe(true);
      await relay.stop();
      one.objects.failsAt = Number.POSITIVE_INFINITY;
      await until(one, allKept(one));
      expect([failsAt, await idsIn(one.folder)]).toEqual([failsAt, NAMES]);
      const ids = await evaluationIds(one.folder);
      expect([failsAt, ids.length]).toEqual([failsAt, new Set(ids).size]);
    }
  },
);

test('files that were written and not noted are written again under the same names', async () => {
  const one = held();
  evaluated(one.store, EACH);
  const killed = () => {
    throw new Error('killed before it was noted');
  };
  await until(one, () => parquetFiles(one.folder).length === 4, { store: { keep: killed } });
  const before = parquetFiles(one.folder);
  // A conversation that is evaluated meanwhile is in another batch.
  evaluated(one.store, [0]);
  await until(one, allKept(one));
  expect(parquetFiles(one.folder)).toEqual(expect.arrayContaining([...before]));
  expect(await idsIn(one.folder)).toEqual([...NAMES, KNOWN(0)].toSorted());
});

test('one failure is reported, and that it is over; conversations wait meanwhile and their age is known', async () => {
  const one = held({ failsAt: 1 });
  evaluated(one.store, EACH);
  const { relay, events } = relayOn(one);
  relay.start();
  await expect.poll(() => events.filter(({ type }) => type === 'archive-failed').length).toBeGreaterThan(1);
  expect(events.some((event) => event.type === 'archive-lag' && event.ms > 0)).toBe(true);
  one.objects.failsAt = Number.POSITIVE_INFINITY;
  await expect.poll(allKept(one)).toBe(true);
  await expect.poll(() => events.filter(({ type }) => type === 'archive-recovered').length).toBe(1);
  await relay.stop();
  expect(events.at(-1)).toEqual({ type: 'archive-lag', ms: 0 });
});

test('a batch ends where its content is large, and the rest is in the next one', async () => {
  const one = held();
  evaluated(one.store, EACH);
  await until(one, allKept(one), { batchMax: 100, contentBytesMax: 1_000 });
  expect(await idsIn(one.folder)).toEqual(NAMES);
  // Pieces of 400 bytes: three reach the bound.
  expect(parquetFiles(one.folder).filter((file) => file.startsWith('table=content'))).toHaveLength(4);
});

test('conversations that retention deleted before they were archived are reported and hold nothing up', async () => {
  const one = held();
  evaluated(one.store, EACH);
  one.store.begin();
  one.store.archive.add('never seen' as ConversationId);
  one.store.commit();
  const events = await until(one, allKept(one));
  expect(events.filter(({ type }) => type === 'archive-missed')).toEqual([
    { type: 'archive-missed', conversations: 1 },
  ]);
  expect(await idsIn(one.folder)).toEqual(NAMES);
});

test('one holder has the lease: another one writes once it has ended or run out', async () => {
  const one = held();
  const { archive } = one.store;
  evaluated(one.store, EACH);
  expect([archive.lease('other', 60_000), archive.lease('other', 60_000), archive.lease('one', 1)]).toEqual([
    true,
    true,
    false,
  ]);
  const { relay } = relayOn(one);
  relay.start();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(parquetFiles(one.folder)).toEqual([]);
  expect(archive.keep('one', { name: 'x', day: 1, keys: Buffer.alloc(8) })).toBe(false);
  archive.endLease('other');
  await expect.poll(allKept(one)).toBe(true);
  await relay.stop();
  expect(archive.lease('third', 0)).toBe(true);
});

function forget({ store }: Held, numbers: readonly number[]): void {
  store.forgotten.forget({
    conversations: numbers.map((number) => KNOWN(number) as ConversationId),
    users: [],
    traces: [],
    place: { position: 0, logTime: 0 },
  });
}

test('a forgotten conversation goes from each batch that has it, and is not finished while a write fails', async () => {
  const one = held();
  evaluated(one.store, EACH);
  await until(one, allKept(one));
  evaluated(one.store, [3, 4]);
  await until(one, allKept(one));
  evaluated(one.store, [3]);
  one.objects.changes = 0;
  // The second file that is rewritten.
  one.objects.failsAt = 2;
  forget(one, [3]);
  await until(one, () => one.objects.changes >= 3);
  expect(one.store.archive.toForget()).toBe(1);

  one.objects.failsAt = Number.POSITIVE_INFINITY;
  await until(one, () => one.store.archive.toForget() === 0);
  expect(waiting(one)).toBe(false);
  for (const table of ['conversations', 'evaluations', 'verdicts', 'content'] as const) {
    const ids = (await allRows(one.folder, table)).map((row) => row.conversation_id);
    expect(new Set(ids)).toEqual(new Set(NAMES.filter((id) => id !== KNOWN(3))));
  }
  expect((await idsIn(one.folder)).filter((id) => id === KNOWN(4))).toHaveLength(2);
});

test('a damaged file keeps what is forgotten in no other one, and is named until it is mended', async () => {
  const one = held();
  evaluated(one.store, EACH);
  await until(one, allKept(one));
  evaluated(one.store, [3, 4]);
  await until(one, allKept(one));
  const holds = async (file: string) =>
    (await rowsIn(Uint8Array.from(readFileSync(file)), { of: file })).some((row) => row.conversation_id === KNOWN(3));
  const contents = parquetFiles(one.folder).filter((file) => file.startsWith('table=content/'));
  const files = contents.map((file) => path.join(one.folder, file));
  const [damaged = ''] = (await Promise.all(files.map(async (file) => ((await holds(file)) ? [file] : [])))).flat();
  const whole = readFileSync(damaged);
  writeFileSync(damaged, whole.subarray(0, whole.length / 2));

  forget(one, [3]);
  const isFailure = ({ type }: ArchiveEvent) => type === 'archive-failed';
  const isWithout = async (events: readonly ArchiveEvent[]) => {
    if (!events.some(isFailure)) return false;
    for (const table of ['conversations', 'evaluations', 'verdicts'] as const)
      if ((await allRows(one.folder, table)).some((row) => row.conversation_id === KNOWN(3))) return false;
    return true;
  };
  const events = await until(one, isWithout);
  expect(one.store.archive.toForget()).toBe(1);
  expect(events.find(isFailure)).toMatchObject({
    problem: expect.stringContaining(`${path.basename(damaged)} cannot be read`),
  });

  writeFileSync(damaged, whole);
  await until(one, () => one.store.archive.toForget() === 0);
  expect(await holds(damaged)).toBe(false);
});

test('a batch that was read before a conversation was forgotten, and written after, loses it as well', async () => {
  const one = held();
  evaluated(one.store, EACH);
  let forgot = false;
  const { keep } = one.store.archive;
  // Objects are written by then, and nothing is noted.
  const late: Partial<ArchiveStore> = {
    keep: (holder, batch) => {
      if (!forgot) forget(one, [0, 1]);
      forgot = true;
      return keep(holder, batch);
    },
  };
  await until(one, async () => !waiting(one) && one.store.archive.toForget() === 0 && forgot, { store: late });
  expect(await idsIn(one.folder)).toEqual(NAMES.filter((id) => id !== KNOWN(0) && id !== KNOWN(1)));
});

test('files without rows are gone, and so is their batch', async () => {
  const one = held();
  evaluated(one.store, [1, 2]);
  await until(one, allKept(one));
  forget(one, [1, 2]);
  await until(one, () => one.store.archive.toForget() === 0);
  expect(parquetFiles(one.folder)).toEqual([]);
  expect(one.store.archive.kept({ after: '', limit: 10 })).toEqual([]);
});

test('a store that is restored from an older copy keeps what was archived since, and forgets in it', async () => {
  const one = held();
  const copy = path.join(one.directory, 'copy');
  evaluated(one.store, [0, 1]);
  await until(one, allKept(one));
  one.store.close();
  cpSync(path.join(one.directory, 'assay.db'), path.join(copy, 'assay.db'));
  cpSync(path.join(one.directory, 'content'), path.join(copy, 'content'), { recursive: true });
  const later: Held = { ...one, store: Store.open(path.join(one.directory, 'assay.db'), { durable: false }) };
  onTestFinished(() => later.store.close());
  evaluated(later.store, [2, 3]);
  await until(later, allKept(later));
  const archivedBefore = parquetFiles(one.folder);

  // Its journal gives the last evaluations again.
  const restored: Held = { ...one, store: Store.open(path.join(copy, 'assay.db'), { durable: false }) };
  onTestFinished(() => restored.store.close());
  evaluated(restored.store, [2, 3]);
  await until(
    restored,
    async () => !waiting(restored) && restored.store.archive.kept({ after: '', limit: 9 }).length === 3,
  );
  expect(parquetFiles(one.folder)).toEqual(expect.arrayContaining([...archivedBefore]));
  // Twice, with the same ids, by which duplicates are dropped.
  const ids = await evaluationIds(one.folder);
  expect([ids.length, new Set(ids).size]).toEqual([6, 4]);
  forget(restored, [3]);
  await until(restored, () => restored.store.archive.toForget() === 0);
  expect(new Set(await idsIn(one.folder))).toEqual(new Set([KNOWN(0), KNOWN(1), KNOWN(2)]));
});
