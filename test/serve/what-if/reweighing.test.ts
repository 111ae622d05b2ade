/** The queue of the thread that weighs verdicts again: one at a time, one waiting of each address, with a deadline. */
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { outlineOf, type SuiteOutline } from '../../../src/engine/suite-outline.ts';
import { whatIfQuestion } from '../../../src/api/what-if.ts';
import type { ReadingEvent } from '../../../src/model/events/reading-events.ts';
import { loadSuites } from '../../../src/score/load-suites.ts';
import { Reweighing } from '../../../src/serve/what-if/reweighing.ts';
import { DEADLINE_MS, IDLE_MS, WAITING_MAX } from '../../../src/serve/what-if/what-if-limits.ts';
import type { WhatIfStart } from '../../../src/serve/what-if/what-if-protocol.ts';
import { Store } from '../../../src/store/sqlite/store.ts';
import { BUILTIN } from '../../engine/log-driver.ts';
import { tempDirectory } from '../../temp-directory.ts';

const QUESTION = { is: 'what-if', question: whatIfQuestion.parse({ suite: 'default' }) } as const;
/** Rows of a view that takes longer to read than the deadline. */
const SLOW_ROWS = 40_000_000;

function slowDown(file: string): void {
  const database = new DatabaseSync(file);
  const columns = database
    .prepare('PRAGMA table_info (evaluations)')
    .all()
    .map(({ name }) => `${name === 'id' ? 'i' : "i || ' of them'"} AS ${String(name)}`);
  database.exec(`DROP TABLE evaluations; CREATE VIEW evaluations AS
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${SLOW_ROWS}) SELECT ${columns.join()} FROM n`);
  database.close();
}

async function started(limits: { deadlineMs?: number; idleMs?: number } = {}) {
  const baseDir = tempDirectory();
  const file = path.join(baseDir, 'assay.db');
  Store.open(file).close();
  const loaded = await loadSuites(['default'], { baseDir, builtinDir: BUILTIN });
  let suites: readonly SuiteOutline[] = loaded.suites.map(outlineOf);
  let store = file;
  const starts: WhatIfStart[] = [];
  const events: ReadingEvent[] = [];
  const reweighing = new Reweighing({
    start: () => {
      const start: WhatIfStart = {
        store: { kind: 'sqlite', file: store },
        suites: { references: ['default'], baseDir, judges: [], handOverTools: [], exporters: [], tools: undefined },
        judging: undefined,
        truth: [],
        idKeys: [],
        segment: [],
        gapMs: 86_400_000,
      };
      starts.push(start);
      return start;
    },
    suites: () => suites,
    onEvent: (event) => events.push(event),
    get deadlineMs() {
      return limits.deadlineMs ?? DEADLINE_MS;
    },
    idleMs: limits.idleMs ?? IDLE_MS,
  });
  onTestFinished(() => reweighing.stop());
  const ask = async ({ from = 'a', signal = new AbortController().signal } = {}) => {
    const { status, body, headers } = await reweighing.answer({ question: QUESTION, from, signal });
    return { status, headers, text: Buffer.from(body).toString() };
  };
  return {
    file,
    reweighing,
    events,
    starts,
    ask,
    reload: () => {
      suites = [...suites];
    },
    moveStore: (to: string) => {
      store = to;
    },
  };
}

test('one is answered at a time and one of an address waits; the next is refused with a time to come back', async () => {
  const { ask, starts, events } = await started();

  const asked = [ask(), ask(), ask(), ask({ from: 'b' }), ask({ from: 'b' })];
  const answers = await Promise.all(asked);

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 200, 429]);
  expect(answers[2]?.headers).toEqual({ 'retry-after': '1' });
  expect(answers[2]?.text).toContain('this address has one waiting already');
  expect(starts).toHaveLength(1);
  expect(events.filter(({ type }) => type === 'store-read')).toHaveLength(3);
  expect(events.filter(({ type }) => type === 'read-refused')).toEqual([
    { type: 'read-refused', because: 'queue_full' },
    { type: 'read-refused', because: 'queue_full' },
  ]);
}, 60_000);

test('many addresses together have so many places', async () => {
  const { ask } = await started();

  const asked = Array.from({ length: WAITING_MAX + 3 }, (_, index) => ask({ from: `address-${index}` }));
  const statuses = (await Promise.all(asked)).map(({ status }) => status);

  expect(statuses.filter((status) => status === 200)).toHaveLength(WAITING_MAX + 1);
  expect(statuses.slice(WAITING_MAX + 1)).toEqual([429, 429]);
}, 60_000);

test('a question past its deadline is given up with a sentence, and the next one has another thread', async () => {
  const limits = { deadlineMs: 3_000 };
  const { ask, starts, events, file, moveStore } = await started(limits);
  const other = path.join(tempDirectory(), 'assay.db');
  Store.open(other).close();
  slowDown(file);

  const given = ask();
  // A machine with other work may need long to start the second thread, beside the statement that still runs in the first.
  limits.deadlineMs = 60_000;
  moveStore(other);
  const next = ask();

  expect(await given).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  expect((await given).text).toContain('ask about fewer, with limit or since');
  expect((await next).status).toBe(200);
  expect(starts).toHaveLength(2);
  expect(events[0]).toEqual({ type: 'read-refused', because: 'took_too_long' });
}, 60_000);

test('a client that goes away leaves the queue', async () => {
  const { ask, events } = await started();
  const first = ask();
  const gone = new AbortController();

  const second = ask({ signal: gone.signal });
  gone.abort();
  const third = ask();

  expect((await second).status).toBe(503);
  expect([(await first).status, (await third).status]).toEqual([200, 200]);
  expect(events).toContainEqual({ type: 'read-refused', because: 'client_gone' });
}, 60_000);

test('the thread is ended when nobody asks, and started again when somebody does', async () => {
  const { ask, reweighing, starts } = await started({ idleMs: 50 });
  expect(reweighing.isWarm).toBe(false);

  expect((await ask()).status).toBe(200);
  await expect.poll(() => reweighing.isWarm).toBe(false);
  expect((await ask()).status).toBe(200);

  expect(starts).toHaveLength(2);
}, 60_000);

test('after a reload the next question has another thread', async () => {
  const { ask, starts, reload } = await started();
  await ask();
  await ask();
  expect(starts).toHaveLength(1);

  reload();

  expect((await ask()).status).toBe(200);
  expect(starts).toHaveLength(2);
}, 60_000);

test('a store that cannot be opened is an error of this question alone', async () => {
  const { ask, file, moveStore } = await started();
  moveStore('/nowhere/assay.db');

  const failed = await ask();
  moveStore(file);

  expect(failed.status).toBe(500);
  expect(failed.text).toContain('unable to open');
  expect((await ask()).status).toBe(200);
}, 60_000);

test('a stop refuses the one that runs and those that wait, and may come twice', async () => {
  const { ask, reweighing } = await started();

  const asked = [ask(), ask(), ask({ from: 'b' })];
  await Promise.all([reweighing.stop(), reweighing.stop()]);

  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([503, 503, 503]);
  expect((await ask()).status).toBe(503);
  expect(reweighing.isWarm).toBe(false);
}, 60_000);
