import { readingOf } from '../../../src/model/readings.ts';
import { expect, onTestFinished, test, vi } from 'vitest';
import { searchFor } from '../../../src/store/conversation-reader.ts';
import { Link } from '../../../src/store/postgres/link.ts';
import { PostgresReader } from '../../../src/store/postgres/postgres-reader.ts';
import type { PostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { traceIdOf } from '../../store/contract.ts';
import { arrivalOf, scoreSimply, openStore, ownLane, SOME } from './scoring.ts';
import { freshDatabase } from './shared-postgres.ts';

const DAY_MS = 86_400_000;
const KEEP = { keepMs: 30 * DAY_MS, keepFailedMs: 90 * DAY_MS };

interface Held {
  readonly url: string;
  readonly store: PostgresStore;
  readonly link: Link;
  /** Files and judges a turn; the conversation stays due if it is not to be scored. */
  readonly put: (number: number, conversation: string, outcome?: 'hard_failure', until?: 'due') => Promise<void>;
  /** Makes the content older by this number of days, with its partitions. */
  readonly age: (days: number) => Promise<void>;
  readonly left: () => Promise<readonly string[]>;
}

async function held(): Promise<Held> {
  const url = await freshDatabase();
  const store = await openStore(url, KEEP);
  const link = new Link({ address: { url }, name: 'test', leaseMs: 60_000 });
  onTestFinished(async () => {
    await store.close();
    await link.close();
  });
  let lane = await ownLane(store);
  let time = 0;
  return {
    url,
    store,
    link,
    async put(number, conversation, outcome, until) {
      time += 1000;
      await store.filing.file([
        {
          lane,
          time,
          positions: {},
          arrivals: [arrivalOf(number, conversation, time - (until === undefined ? 500 : 0))],
        },
      ]);
      await store.time.move();
      await store.scoring.scoreDue(SOME, (set) =>
        scoreSimply(store.engineStore, set, outcome ?? 'successful_completion'),
      );
    },
    async age(days) {
      const partitions = await link.use((session) =>
        session.once<{ parent: string; day: number }>(
          `SELECT inhparent::regclass::text AS parent, substring(relname FROM '_d(\\d+)$')::int AS day
           FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE relname ~ '_d\\d+$' ORDER BY 2`,
        ),
      );
      await link.transaction(async (session) => {
        for (const { parent, day } of partitions) {
          const [from, to] = [`${parent}_d${day}`, `${parent}_d${day - days}`];
          await session.script(`ALTER TABLE ${parent} DETACH PARTITION ${from};
            ALTER TABLE ${from} RENAME TO ${to}; UPDATE ${to} SET day = day - ${days};
            ALTER TABLE ${parent} ATTACH PARTITION ${to} FOR VALUES FROM (${day - days}) TO (${day - days + 1})`);
        }
        await session.script(`UPDATE pending SET day = day - ${days}; UPDATE days SET day = day - ${days};
          UPDATE truths SET put_at = put_at - ${days * DAY_MS};
          UPDATE readings SET put_at = put_at - ${days * DAY_MS};
          UPDATE conversations SET first_day = first_day - ${days}, updated_at = updated_at - ${days * DAY_MS}`);
      });
      await store.housekeeping.tidy();
      lane = await ownLane(store);
    },
    async left() {
      const reader = await PostgresReader.open({ url });
      try {
        const { rows } = await reader.pages.search(searchFor({ limit: 100 }));
        return rows.map(({ conversationId }) => conversationId).toSorted();
      } finally {
        await reader.close();
      }
    },
  };
}

test('conversations go by age, failed ones later, those that still wait not at all; their days are dropped', async () => {
  const { url, put, age, left, link } = await held();
  await put(1, 'good');
  await put(2, 'bad', 'hard_failure');
  await put(3, 'waiting', undefined, 'due');

  await age(29);
  const afterMonth = await left();
  await age(3);
  const afterKeep = await left();

  expect(afterMonth).toEqual(['bad', 'good', 'waiting']);
  expect(afterKeep).toEqual(['bad', 'waiting']);
  const days = await link.use((session) =>
    session.once<{ place: string }>('SELECT DISTINCT tableoid::regclass::text AS place FROM arrivals ORDER BY 1'),
  );
  expect(days).toEqual([{ place: 'arrivals_kept' }]);
  const reader = await PostgresReader.open({ url });
  onTestFinished(() => reader.close());
  const bad = await reader.find('bad');
  if (bad === undefined) throw new Error('it is gone');
  const [trace] = await reader.traces(bad);
  expect(trace).toMatchObject({ traceId: traceIdOf(2) });
  expect(
    trace === undefined ? undefined : Buffer.from((await reader.content(trace))?.traces ?? []).toString(),
  ).toContain('bad');
  expect(await reader.evaluations(bad, { revisions: 'all' })).toHaveLength(1);
  expect((await reader.pages.search(searchFor({ limit: 10, outcome: 'hard_failure' }))).rows).toHaveLength(1);
  expect(await reader.totals()).toMatchObject([{ value: 2 }]);

  await age(60);
  expect(await left()).toEqual(['waiting']);
  const kept = await link.use((session) =>
    session.once<{ n: number }>(
      `SELECT (SELECT count(*) FROM arrivals) + (SELECT count(*) FROM traces) + (SELECT count(*) FROM evaluations) AS n`,
    ),
  );
  // The waiting conversation has been filed and judged, but not scored.
  expect(kept).toEqual([{ n: 2 }]);
});

test('what is kept is judged like anything else when its time comes, and what was filed and not judged too', async () => {
  const { url, store, put, age, left, link } = await held();
  await put(1, 'waiting', undefined, 'due');
  const lane = await ownLane(store);
  await store.filing.file([{ lane, time: 1000, positions: {}, arrivals: [arrivalOf(2, 'not judged', 5000)] }]);

  await age(200);
  expect(await left()).toEqual(['waiting']);
  const again = await ownLane(store);
  await store.filing.file([{ lane: again, time: 9000, positions: {}, arrivals: [arrivalOf(3, 'waiting', 6000)] }]);
  await store.time.move();
  await store.scoring.scoreDue(SOME, (set) => scoreSimply(store.engineStore, set));

  const reader = await PostgresReader.open({ url });
  onTestFinished(() => reader.close());
  const said: string[] = [];
  for await (const { conversationId, explanation } of reader.allEvaluations())
    said.push(`${conversationId}: ${explanation}`);
  expect(said).toEqual(['not judged: 1 turns', 'waiting: 2 turns']);
  expect(await link.use((session) => session.once('SELECT count(*) AS n FROM pending'))).toEqual([{ n: 0 }]);
});

test('what comes again of a conversation that retention deleted is left out and not counted again', async () => {
  const url = await freshDatabase();
  const store = await openStore(url, { keepMs: -DAY_MS, keepFailedMs: -DAY_MS });
  onTestFinished(() => store.close());
  const lane = await ownLane(store);
  const score = async () => {
    await store.time.move();
    await store.scoring.scoreDue(SOME, (set) => scoreSimply(store.engineStore, set));
  };
  const first = arrivalOf(1, 'gone', 500);
  await store.filing.file([{ lane, time: 1000, positions: {}, arrivals: [first] }]);
  await score();
  expect((await store.housekeeping.tidy()).conversations).toBe(1);

  const left = await store.filing.file([
    { lane, time: 3000, positions: {}, arrivals: [first, arrivalOf(1, 'gone', 2000), arrivalOf(2, 'gone', 2500)] },
  ]);
  await score();

  expect(left.map(({ traceId }) => traceId)).toEqual([traceIdOf(1), traceIdOf(1)]);
  // A new turn is evaluated and counted by itself.
  const reader = await PostgresReader.open({ url });
  onTestFinished(() => reader.close());
  expect((await reader.pages.search(searchFor({ limit: 9 }))).rows.map(({ turns }) => turns)).toEqual([1]);
  expect(await reader.totals()).toMatchObject([{ value: 2 }]);
});

test('a group goes when all of it may', async () => {
  const { store, put, age, left } = await held();
  await put(9, 'alone');
  const file = async (number: number, id: string, at: number, linked: readonly number[]) => {
    const lane = await ownLane(store);
    const arrivals = [arrivalOf(number, id, at, { linked: linked.map(traceIdOf) })];
    await store.filing.file([{ lane, time: at + 100, positions: {}, arrivals }]);
    await store.time.move();
    await store.scoring.scoreDue(SOME, (set) => scoreSimply(store.engineStore, set));
  };
  await file(1, 'old', 5000, []);
  await age(20);
  await file(2, 'young', 7000, [1]);

  await age(20);
  const first = await left();
  await age(20);

  expect(first).toEqual(['old', 'young']);
  expect(await left()).toEqual([]);
});

test.each(['truths', 'readings'])(
  '%s: what was said goes with its conversation, and of one that never came when it is old',
  async (table) => {
    const { store, put, age, link } = await held();
    await put(1, 'good');
    await put(2, 'bad', 'hard_failure');
    for (const id of ['good', 'bad', 'never']) {
      await store.truths.put(id, { right: id });
      const outcome = { label: 'csat', isGood: true, value: undefined, case: undefined };
      await store.readings.put([readingOf({ ...outcome, conversationId: id })]);
    }
    const known = () =>
      link.use(async (session) => {
        const rows = await session.once<{ id: string }>(`SELECT conversation_id AS id FROM ${table} ORDER BY 1`);
        return rows.map(({ id }) => id);
      });

    await age(32);
    expect(await known()).toEqual(['bad', 'never']);
    await age(60);
    expect(await known()).toEqual([]);
  },
);

test('a database whose clock jumps before the first round of retention deletes nothing', async () => {
  const { store, put, left } = await held();
  await put(1, 'kept');

  const { conversations, jumpMs } = await store.housekeeping.tidy(Date.now() + 100 * DAY_MS);

  expect(conversations).toBe(0);
  expect(Math.round((jumpMs ?? 0) / DAY_MS)).toBe(100);
  expect(await left()).toEqual(['kept']);
});

test('retention goes by the database, not by an instance, and a database 100 days ahead deletes nothing for a day', async () => {
  const { url, store, put, left, link } = await held();
  await put(1, 'kept');
  // The clock of this process is a hundred days ahead; that of the database is right.
  const spy = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 100 * DAY_MS);
  onTestFinished(() => spy.mockRestore());
  expect(await store.housekeeping.tidy()).toMatchObject({ conversations: 0, jumpMs: undefined });
  spy.mockRestore();

  const wrong = await store.housekeeping.tidy(Date.now() + 100 * DAY_MS);
  // An instance that starts meanwhile goes on from what is kept, and holds as well.
  const other = await openStore(url, { ...KEEP, instance: 'b' });
  onTestFinished(() => other.close());
  const wrongThere = await other.housekeeping.tidy(Date.now() + 100 * DAY_MS);

  expect(await left()).toEqual(['kept']);
  expect(Math.round((wrong.jumpMs ?? 0) / DAY_MS)).toBe(100);
  expect(Math.round((wrongThere.jumpMs ?? 0) / DAY_MS)).toBe(100);
  expect(
    await link.use((session) => session.once('SELECT held_wall IS NOT NULL AS held FROM retention_clock')),
  ).toEqual([{ held: true }]);

  // It has stood for a day.
  await link.use((session) => session.script(`UPDATE retention_clock SET held_ms = ${DAY_MS}`));
  const later = await openStore(url, { ...KEEP, instance: 'c' });
  onTestFinished(() => later.close());
  expect(await later.housekeeping.tidy(Date.now() + 100 * DAY_MS)).toMatchObject({ jumpMs: undefined });
});
