/** Tests specific to the store of one machine; the contract of every store is in `contract.ts`. */
import type { SearchCursor } from '../../src/store/conversation-search.ts';
import { searchFor } from '../../src/store/conversation-reader.ts';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import type { DueCause } from '../../src/model/causes.ts';
import type { Evaluation, Outcome, Verdict } from '../../src/model/evaluation.ts';
import type { ConversationId, SpanId, TraceId } from '../../src/model/ids.ts';
import { closeConversation, joinConversation, dueConversations } from '../../src/engine/conversation-closing.ts';
import { prune, type Retention } from '../../src/store/sqlite/retention.ts';
import { MIGRATIONS } from '../../src/store/sqlite/migrate.ts';
import { Store } from '../../src/store/sqlite/store.ts';
import { StoreReader } from '../../src/store/sqlite/store-reader.ts';
import { tempDirectory } from '../temp-directory.ts';

const LABELS = { agent: 'helper', agentVersion: 'v1', environment: 'test' };
const COUNTED = { agent: 'helper', agent_version: 'v1', environment: 'test' };

function fileIn(directory: string): string {
  return path.join(directory, 'assay.db');
}

function open(directory: string): Store {
  const store = Store.open(fileIn(directory), { durable: false });
  onTestFinished(() => store.close());
  return store;
}

function read(directory: string): StoreReader {
  const reader = StoreReader.open(fileIn(directory));
  onTestFinished(() => reader.close());
  return reader;
}

function traceIdOf(number: number): TraceId {
  return number.toString(16).padStart(32, '0') as TraceId;
}

function join(store: Store, id: string, options: { readonly at?: number; readonly dueNow?: DueCause } = {}) {
  return joinConversation(store.conversations, {
    id: id as ConversationId,
    labels: LABELS,
    at: options.at ?? 1000,
    glance: {},
    turnsAdded: 1,
    dueNowBecause: options.dueNow,
    limits: { idleMs: 300, maxAgeMs: 10_000, maxTurns: 1000, openMaxMs: 900 },
  });
}

function insertTrace(
  store: Store,
  number: number,
  conversation: number,
  bytes: Uint8Array = Buffer.from(`spans ${number}`),
) {
  return store.traces.insert({
    traceId: traceIdOf(number),
    conversation,
    revision: 1,
    position: number * 100,
    closedAt: 1000,
    spans: 3,
    sealed: false,
    cause: 'settled',
    content: { traces: bytes, logs: undefined },
  });
}

function evaluation(options: {
  readonly conversation: string;
  readonly revision?: number;
  readonly outcome?: Outcome;
}): Evaluation {
  const outcome = options.outcome ?? 'successful_completion';
  const failed = outcome !== 'successful_completion';
  return {
    conversationId: options.conversation as ConversationId,
    turnId: undefined,
    suite: 'pack',
    suiteVersion: '1',
    scope: 'conversation',
    revision: options.revision ?? 1,
    score: failed ? 400_000 : 1_000_000,
    outcome,
    explanation: 'It went as it went.',
    verdicts: new Map<string, Verdict>([
      ['polite', { verdict: 'pass', reason: 'It was.', evidence: [] }],
      ['right', { verdict: failed ? 'fail' : 'pass', reason: 'See there.', evidence: ['00000000000000aa' as SpanId] }],
    ]),
  };
}

test('a rollback leaves nothing: no rows, no totals, no content, no floor, and the same work can be done again', () => {
  const directory = tempDirectory();
  const store = open(directory);
  const work = () => {
    store.begin();
    const { row } = join(store, 'c1', { dueNow: 'end_marker' });
    const trace = insertTrace(store, 1, row);
    store.evaluations.insert(evaluation({ conversation: 'c1' }), { conversation: row, trace, labels: COUNTED }, () =>
      store.totals.series('assay_evaluations_total', COUNTED).add(1),
    );
    store.raiseFloor({ position: 500, logTime: 1000, readFrom: 400 });
    return { row, trace };
  };
  const lost = work();

  store.rollback();

  expect(store.traces.find(traceIdOf(1))).toBeUndefined();
  expect(store.conversations.nextDue(Number.MAX_SAFE_INTEGER)).toBeUndefined();
  expect([store.count('conversations'), store.count('traces'), store.count('evaluations')]).toEqual([0, 0, 0]);
  expect(store.floor).toEqual({ position: 0, logTime: 0, readFrom: 0, logEnd: 0 });
  expect(work()).toEqual(lost);
  store.commit();
  expect(store.totals.all().map(({ value }) => value)).toEqual([1]);
  expect(store.floor).toEqual({ position: 500, logTime: 1000, readFrom: 400, logEnd: 500 });
  expect(Buffer.from(store.traces.contentOf(lost.trace).traces).toString()).toBe('spans 1');
});

test('causes that only a newer version knows are read as unknown, and the conversation is scored all the same', () => {
  const directory = tempDirectory();
  const store = open(directory);
  store.begin();
  const { row } = join(store, 'c1', { dueNow: 'end_marker' });
  insertTrace(store, 1, row);
  store.commit();
  store.close();
  const database = new DatabaseSync(fileIn(directory));
  database.exec(`UPDATE conversations SET due_cause = 'handed_over', cause = 'reviewed', unscored_because = 'sealed';
    UPDATE traces SET cause = 'flushed'`);
  database.close();

  const reader = read(directory);
  const [conversation] = reader.pages.search(searchFor({ limit: 1 })).rows;
  if (conversation === undefined) throw new Error('the conversation is not there');
  expect(conversation).toMatchObject({ cause: 'unknown', dueCause: 'unknown', unscoredBecause: 'unknown' });
  expect(reader.traces(conversation)).toMatchObject([{ cause: 'unknown' }]);

  const again = open(directory);
  again.begin();
  expect(again.conversations.nextDue(5000)).toMatchObject({ row, dueCause: 'unknown' });
  closeConversation(again.conversations, row, { revision: 1, cause: 'unknown', turns: 1, unscoredBecause: undefined });
  again.commit();
  expect(reader.pages.search(searchFor({ limit: 1 })).rows).toMatchObject([{ cause: 'unknown', dueCause: undefined }]);
});

test('conversations come due in order of time, then of their rows, whether they are written already or not', () => {
  const store = open(tempDirectory());
  store.begin();
  const first = join(store, 'late', { at: 5000 });
  const second = join(store, 'early', { at: 1000 });
  store.commit();
  store.begin();
  const third = join(store, 'as early', { at: 1000 });
  const fourth = join(store, 'now', { at: 1200, dueNow: 'end_marker' });
  // The row on disk still says 5300.
  store.conversations.change(first.row, { dueAt: 1250, dueCause: 'max_turns' });

  const order: [number, string | undefined][] = [];
  for (const due of dueConversations(store.conversations, 2000)) {
    order.push([due.row, due.dueCause]);
    closeConversation(store.conversations, due.row, {
      revision: 1,
      cause: 'idle',
      turns: 1,
      unscoredBecause: undefined,
    });
  }

  expect(order).toEqual([
    [fourth.row, 'end_marker'],
    [first.row, 'max_turns'],
    [second.row, 'idle'],
    [third.row, 'idle'],
  ]);
  store.commit();
  expect(store.conversations.nextDue(Number.MAX_SAFE_INTEGER)).toBeUndefined();
});

test('more conversations than are kept in memory come due in order as well', () => {
  const store = open(tempDirectory());
  store.begin();
  for (let number = 0; number < 1500; number += 1) join(store, `c${number}`, { at: 10_000 - number });

  const times: number[] = [];
  for (const due of dueConversations(store.conversations, 20_000)) {
    times.push(due.dueAt ?? 0);
    closeConversation(store.conversations, due.row, {
      revision: 1,
      cause: 'idle',
      turns: 1,
      unscoredBecause: undefined,
    });
  }
  store.commit();

  expect(times).toEqual(Array.from({ length: 1500 }, (_, index) => 10_300 - 1499 + index));
  expect(store.count('conversations')).toBe(1500);
});

test('a store from a newer Assay is refused, and left as it is', () => {
  const directory = tempDirectory();
  open(directory).close();
  const database = new DatabaseSync(fileIn(directory));
  database.exec(`PRAGMA user_version = ${MIGRATIONS.length + 1}; DROP TABLE schema_origin`);
  database.close();

  expect(() => Store.open(fileIn(directory))).toThrow(
    /schema version \d+ and this Assay knows \d+: start the newer Assay/,
  );
});

const NOW = Date.now();
const DAY = 86_400_000;
const KEEP: Retention = { maxBytes: Number.MAX_SAFE_INTEGER, keepMs: 30 * DAY, keepFailedMs: 90 * DAY, reopenMs: DAY };

/** Conversations that were scored some days ago. */
function storeOf(
  directory: string,
  conversations: readonly {
    readonly id: string;
    readonly daysAgo: number;
    readonly outcome?: Outcome;
    readonly isOpen?: boolean;
  }[],
) {
  const store = open(directory);
  store.begin();
  for (const [number, { id, outcome, isOpen }] of conversations.entries()) {
    const { row } = join(store, id);
    insertTrace(store, number + 1, row, Buffer.alloc(1 << 16, id));
    store.evaluations.insert(
      evaluation({ conversation: id, outcome: outcome ?? 'successful_completion' }),
      { conversation: row, trace: 0, labels: COUNTED },
      () => {},
    );
    if (isOpen !== true)
      closeConversation(store.conversations, row, { revision: 1, cause: 'idle', turns: 1, unscoredBecause: undefined });
  }
  for (const { id, daysAgo } of conversations) {
    store.run('UPDATE conversations SET updated_at = ? WHERE conversation_id = ?', NOW - daysAgo * DAY, id);
  }
  store.commit();
  return store;
}

function idsIn(directory: string): string[] {
  return read(directory)
    .list({ limit: 1000 })
    .map(({ conversationId }) => conversationId)
    .toSorted();
}

test('conversations go by age, failed ones later, those that still wait not at all', () => {
  const directory = tempDirectory();
  const store = storeOf(directory, [
    { id: 'good, old', daysAgo: 31 },
    { id: 'good, young', daysAgo: 29 },
    { id: 'bad, old', daysAgo: 31, outcome: 'hard_failure' },
    { id: 'bad, very old', daysAgo: 91, outcome: 'partial_failure' },
    { id: 'waiting', daysAgo: 200, isOpen: true },
  ]);

  store.begin();
  const { conversations } = prune(store, KEEP, NOW);
  store.commit();

  expect(conversations).toBe(2);
  expect(idsIn(directory)).toEqual(['bad, old', 'good, young', 'waiting']);
  expect([store.count('traces'), store.count('evaluations')]).toEqual([3, 3]);
});

test('counters of many agents let no conversation go', () => {
  const store = storeOf(tempDirectory(), [
    { id: 'a', daysAgo: 1 },
    { id: 'b', daysAgo: 1 },
  ]);
  const before = store.usedBytes;

  store.begin();
  for (let number = 0; number < 20_000; number += 1)
    store.totals.series('assay_evaluations_total', { ...COUNTED, agent: `agent ${number}` }).add(1);
  store.commit();
  store.begin();
  const { conversations } = prune(store, { ...KEEP, maxBytes: before + (512 << 10) }, NOW);
  store.commit();

  expect(store.diskBytes).toBeGreaterThan(before + (4 << 20));
  expect(conversations).toBe(0);
});

test('a store over its size lets successful conversations go first, oldest first, and counters stay', () => {
  const directory = tempDirectory();
  const good = Array.from({ length: 600 }, (_, index) => ({ id: `good ${index}`, daysAgo: 1 + (index < 500 ? 2 : 0) }));
  const store = storeOf(directory, [...good, { id: 'bad', daysAgo: 5, outcome: 'hard_failure' as const }]);
  store.begin();
  store.totals.series('assay_evaluations_total', COUNTED).add(601);
  store.commit();

  store.begin();
  prune(store, { ...KEEP, maxBytes: store.usedBytes - 1 }, NOW);
  store.commit();

  const left = idsIn(directory);
  expect(left).toContain('bad');
  expect(left).toHaveLength(101);
  expect(left.filter((id) => id.startsWith('good')).every((id) => Number(id.slice(5)) >= 500)).toBe(true);
  expect(store.totals.all().map(({ value }) => value)).toEqual([601]);
});

test('the size of a store counts the files of content, which shrink to it as well', () => {
  const directory = tempDirectory();
  const store = open(directory);
  const bytes = Buffer.alloc(64 << 10);
  store.begin();
  for (let number = 1; number <= 1200; number += 1) {
    // Incompressible.
    for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32LE(Math.imul(at + number, 2_654_435_761) >>> 0, at);
    const { row } = join(store, `c${number}`);
    insertTrace(store, number, row, Buffer.from(bytes));
    closeConversation(store.conversations, row, { revision: 1, cause: 'idle', turns: 1, unscoredBecause: undefined });
  }
  store.commit();
  const before = store.usedBytes;
  const maxBytes = Math.floor(before / 2);

  store.begin();
  prune(store, { ...KEEP, maxBytes }, Date.now());
  store.commit();
  store.traces.removeEmptyFiles();

  expect(before).toBeGreaterThan(store.traces.fileBytes);
  expect(store.usedBytes).toBeLessThanOrEqual(maxBytes);
  expect(store.count('conversations')).toBe(200);
  const folder = path.join(directory, 'content');
  const onDisk = readdirSync(folder).reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0);
  expect(onDisk).toBeLessThanOrEqual(maxBytes);
  // The remaining content can be read at its new place.
  expect(store.traces.contentOf(1200).traces.length).toBe(bytes.length);
});

test('a content file that has become mostly empty is copied forward and goes', () => {
  const directory = tempDirectory();
  const store = open(directory);
  store.begin();
  const rows: number[] = [];
  // Four pieces of 40 MiB that barely compress: three in the first file.
  for (let number = 1; number <= 4; number += 1) {
    const bytes = Buffer.alloc(40 << 20);
    for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32LE(Math.imul(at + number, 2_654_435_761) >>> 0, at);
    const { row } = join(store, `c${number}`);
    rows.push(row);
    insertTrace(store, number, row, bytes);
    closeConversation(store.conversations, row, { revision: 1, cause: 'idle', turns: 1, unscoredBecause: undefined });
  }
  store.commit();
  const before = Buffer.from(store.traces.contentOf(1).traces);

  store.begin();
  store.traces.freeContentOf('id IN (2, 3)');
  store.run('DELETE FROM traces WHERE id IN (2, 3)');
  store.commit();
  store.begin();
  const compacted = store.traces.compactOne(0.5);
  store.commit();
  const removed = store.traces.removeEmptyFiles();

  expect({ compacted, removed }).toEqual({ compacted: true, removed: 1 });
  expect(Buffer.compare(store.traces.contentOf(1).traces, before)).toBe(0);
});

test('a rare conversation is found by going on, and no page looks at more than a bounded number', () => {
  const directory = tempDirectory();
  const store = open(directory);
  store.begin();
  join(store, 'rare');
  store.commit();
  const database = new DatabaseSync(fileIn(directory));
  database.exec(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 120000)
    INSERT INTO conversations (conversation_id, agent, agent_version, environment, first_closed_at, last_closed_at, updated_at, began_at, turns)
    SELECT 'filler-' || n, 'other', 'v1', 'test', 0, 0, 0, 2000 + n, 1 FROM numbers`);
  database.close();
  const reader = read(directory);

  const found: string[] = [];
  let pages = 0;
  for (let cursor: SearchCursor | undefined, more = true; more; pages += 1) {
    const { rows, next } = reader.pages.search(searchFor({ agent: LABELS.agent, limit: 10, cursor }));
    found.push(...rows.map(({ conversationId }) => conversationId));
    cursor = next;
    more = next !== undefined;
  }

  expect(found).toEqual(['rare']);
  expect(pages).toBe(3);
});
