import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { closeConversation, joinConversation, dueConversations } from '../../../src/engine/conversation-closing.ts';
import { type FiledArrival, FencedError } from '../../../src/store/cluster-store.ts';
import type { TraceContent } from '../../../src/store/engine-store.ts';
import { Link } from '../../../src/store/postgres/link.ts';
import { PostgresReader } from '../../../src/store/postgres/postgres-reader.ts';
import type { PostgresOptions, PostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { traceIdOf } from '../../store/contract.ts';
import { arrivalOf, EVALUATIONS, scoreAll, scoreSimply, LANE, openStore, ownLane, SOME } from './scoring.ts';
import { freshDatabase } from './shared-postgres.ts';

async function opened(url: string, options: Partial<PostgresOptions> = {}): Promise<PostgresStore> {
  const store = await openStore(url, options);
  onTestFinished(() => store.close());
  return store;
}

async function read(url: string): Promise<PostgresReader> {
  const reader = await PostgresReader.open({ url });
  onTestFinished(() => reader.close());
  return reader;
}

async function sql<Row extends object>(url: string, text: string): Promise<readonly Row[]> {
  const link = new Link({ address: { url }, name: 'test', leaseMs: 10_000 });
  try {
    return await link.use((session) => session.once<Row>(text));
  } finally {
    await link.close();
  }
}

async function evaluationsCounted(url: string): Promise<number> {
  const totals = await (await read(url)).totals();
  return totals.find(({ metric }) => metric === EVALUATIONS)?.value ?? 0;
}

test('what a lane files under an older epoch is refused, and none of it is there', async () => {
  const url = await freshDatabase();
  const [a, b] = [await opened(url), await opened(url, { instance: 'b' })];
  const old = await ownLane(a);
  await a.filing.file([{ lane: old, time: 5, positions: { spans: 1 }, arrivals: [arrivalOf(1, 'c1', 5)] }]);

  const taken = await ownLane(b);

  expect(taken).toMatchObject({ epoch: old.epoch + 1, time: 5, positions: { spans: 1 } });
  const late = { lane: old, time: 9, positions: { spans: 2 }, arrivals: [arrivalOf(2, 'c2', 9)] };
  await expect(a.filing.file([late])).rejects.toThrow(FencedError);
  await expect(a.filing.file([late])).rejects.toThrow(FencedError);
  await b.filing.file([{ ...late, lane: taken }]);
  expect(await sql(url, 'SELECT count(*) AS n FROM arrivals')).toEqual([{ n: 2 }]);
});

test('where one of several lanes is refused none is filed, and the others can be', async () => {
  const url = await freshDatabase();
  const [a, b] = [await opened(url), await opened(url, { instance: 'b' })];
  const [lost, kept] = await a.lanes.own([LANE, { ...LANE, lane: 1 }]);
  if (lost === undefined || kept === undefined) throw new Error('no lanes');
  await ownLane(b);
  const filings = [
    { lane: lost, time: 9, positions: {}, arrivals: [arrivalOf(1, 'c1', 9)] },
    { lane: kept, time: 9, positions: {}, arrivals: [arrivalOf(2, 'c2', 9)] },
  ] as const;

  await expect(a.filing.file(filings)).rejects.toThrow(/lanes 0 have another owner/);
  await a.filing.file([filings[1]]);

  expect(await sql(url, 'SELECT count(*) AS n FROM arrivals')).toEqual([{ n: 1 }]);
});

test('of a trace that was filed is known up to where, by lane', async () => {
  const url = await freshDatabase();
  const store = await opened(url);
  const [lane, other] = await store.lanes.own([LANE, { ...LANE, lane: 1 }]);
  if (lane === undefined || other === undefined) throw new Error('no lanes');
  const file = (number: number, position: number, of = lane) =>
    store.filing.file([
      {
        lane: of,
        time: 5,
        positions: { spans: position },
        arrivals: [arrivalOf(number, 'c', 5, { positions: { spans: position } })],
      },
    ]);
  await file(1, 10);
  await file(1, 20);
  await file(2, 15);
  await file(3, 99, other);

  const filed = await store.lanes.filedPositions(LANE, [1, 2, 3, 4].map(traceIdOf));

  expect([...filed]).toEqual(
    expect.arrayContaining([
      [traceIdOf(1), { spans: 20 }],
      [traceIdOf(2), { spans: 15 }],
    ]),
  );
  expect(filed.size).toBe(2);
});

test('time is that of the lane that lags most, waits for lanes nobody has yet, and does not go back', async () => {
  const url = await freshDatabase();
  const store = await opened(url);
  expect(await store.time.move()).toBeUndefined();
  const names = [0, 1, 2].map((lane) => ({ ...LANE, lane }));
  await store.lanes.expect(names);
  const [first, second] = await store.lanes.own(names.slice(0, 2));
  if (first === undefined || second === undefined) throw new Error('no lanes');
  const move = async (lane: typeof first, time: number) => {
    await store.filing.file([{ lane, time, positions: {}, arrivals: [] }]);
    return store.time.move();
  };

  const times = [await move(first, 100), await move(second, 70)];
  const third = await ownLane(store, { ...LANE, lane: 2 });
  times.push(await move(third, 50), await move(third, 90));
  const late = await ownLane(store, { ...LANE, lane: 3 });
  times.push(await move(late, 10));

  expect(times).toEqual([0, 0, 50, 70, 70]);
  expect(await store.time.read()).toBe(70);
});

test('nothing is judged that lies beyond the time', async () => {
  const url = await freshDatabase();
  const store = await opened(url);
  const [lane, slow] = await store.lanes.own([LANE, { ...LANE, lane: 1 }]);
  if (lane === undefined || slow === undefined) throw new Error('no lanes');
  await store.filing.file([
    {
      lane,
      time: 1000,
      positions: {},
      arrivals: [arrivalOf(1, 'c1', 100), arrivalOf(2, 'c1', 200), arrivalOf(3, 'c2', 150)],
    },
    { lane: slow, time: 150, positions: {}, arrivals: [] },
  ]);
  await store.time.move();
  const seen: string[] = [];

  await store.scoring.scoreDue(SOME, (set) => {
    seen.push(...set.arrivals.map(({ traceId }) => traceId));
    scoreSimply(store.engineStore, set);
  });

  expect(seen).toEqual([traceIdOf(1), traceIdOf(3)]);
  await store.filing.file([{ lane: slow, time: 1000, positions: {}, arrivals: [] }]);
  await store.time.move();
  await scoreAll(store);
  const reader = await read(url);
  const conversation = await reader.find('c1');
  expect(conversation).toMatchObject({ turns: 2, revision: 2 });
});

test('what a lane that lags behind brings counts as arriving now', async () => {
  const url = await freshDatabase();
  const store = await opened(url);
  const lane = await ownLane(store);
  await store.filing.file([{ lane, time: 1000, positions: {}, arrivals: [] }]);
  await store.time.move();
  const late = await ownLane(store, { ...LANE, lane: 1 });
  await store.filing.file([{ lane: late, time: 2000, positions: {}, arrivals: [arrivalOf(1, 'c1', 500)] }]);
  await store.filing.file([{ lane, time: 2000, positions: {}, arrivals: [] }]);
  await store.time.move();
  const times: number[] = [];

  await store.scoring.scoreDue(SOME, (set) => times.push(...set.arrivals.map(({ closedAt }) => closedAt)));

  expect(times).toEqual([1001]);
});

test('instances that judge at once share the conversations, and each is counted once', async () => {
  const url = await freshDatabase();
  const names = ['a', 'b', 'c'];
  const stores = await Promise.all(names.map((instance) => opened(url, { instance })));
  const [first] = stores;
  if (first === undefined) throw new Error('no store');
  const lane = await ownLane(first);
  const arrivals = Array.from({ length: 600 }, (_, index) =>
    arrivalOf(index + 1, `c${index % 300}`, 100 + (index % 7)),
  );
  await first.filing.file([{ lane, time: 10_000, positions: {}, arrivals }]);
  await first.time.move();

  const judged = await Promise.all(stores.map((store) => scoreAll(store, { ...SOME, conversationsMax: 7 })));

  expect(judged.reduce((sum, one) => sum + one, 0)).toBe(300);
  expect(await evaluationsCounted(url)).toBe(300);
  const reader = await read(url);
  expect(await reader.counts()).toEqual({ conversations: 300, traces: 600, evaluations: 300 });
});

test('what an instance filed is its own; others take it when they are asked to help', async () => {
  const url = await freshDatabase();
  const [a, b] = [await opened(url), await opened(url, { instance: 'b' })];
  const lane = await ownLane(a);
  await a.filing.file([{ lane, time: 100, positions: {}, arrivals: [arrivalOf(1, 'c1', 50)] }]);
  await a.time.move();

  const own = await b.scoring.scoreDue({ ...SOME, whose: 'own' }, (set) => scoreSimply(b.engineStore, set));
  const any = await b.scoring.scoreDue(SOME, (set) => scoreSimply(b.engineStore, set));

  expect([own.conversations, any.conversations]).toEqual([0, 1]);
});

test('conversations that refer to each other are judged together, by whichever instance', async () => {
  const url = await freshDatabase();
  const [a, b] = [await opened(url), await opened(url, { instance: 'b' })];
  const [one, two] = [await ownLane(a), await ownLane(b, { ...LANE, lane: 1 })];
  const key = 'response:aaaaaaaaaaaaaaaa';
  await a.filing.file([
    { lane: one, time: 1000, positions: {}, arrivals: [arrivalOf(1, undefined, 100, { has: [key] })] },
  ]);
  await b.filing.file([
    {
      lane: two,
      time: 1000,
      positions: {},
      arrivals: [
        arrivalOf(2, 'named', 200, { wants: [key] }),
        arrivalOf(3, undefined, 300, { linked: [traceIdOf(1)] }),
        arrivalOf(4, 'alone', 150, { wants: ['response:bbbbbbbbbbbbbbbb'] }),
      ],
    },
  ]);
  await a.time.move();
  const sets: string[][] = [];

  for (let more = true; more; ) {
    const { conversations } = await b.scoring.scoreDue({ ...SOME, conversationsMax: 1 }, (set) => {
      sets.push(set.arrivals.map(({ traceId }) => traceId));
      scoreSimply(b.engineStore, set);
    });
    more = conversations > 0;
  }

  expect(sets).toEqual([[1, 2, 3].map(traceIdOf), [traceIdOf(4)]]);
});

test('what a named turn refers to is found out when there is something to compare it with, and not before', async () => {
  const url = await freshDatabase();
  const asked: string[] = [];
  const keysOf = ({ traces }: TraceContent) => {
    const { id } = JSON.parse(Buffer.from(traces).toString()) as { readonly id: string };
    asked.push(id);
    return { has: [], wants: [`key of ${id}`] };
  };
  const store = await opened(url, { keysOf });
  const lane = await ownLane(store);
  const later = (number: number, conversation: string, at: number) =>
    arrivalOf(number, conversation, at, { keysLater: true });
  const file = async (time: number, arrivals: readonly FiledArrival[]) => {
    await store.filing.file([{ lane, time, positions: {}, arrivals }]);
    await store.time.move();
    return store.filing.wantsKeys;
  };
  const sets: (readonly string[])[] = [];
  const judgeThem = () =>
    store.scoring.scoreDue({ ...SOME, conversationsMax: 1 }, (set) => {
      if (set.arrivals.length > 0) sets.push(set.arrivals.map(({ traceId }) => traceId));
      scoreSimply(store.engineStore, set);
    });

  const wants = [await file(100, [later(1, 'early', 50)])];
  await judgeThem();
  // Nothing can be compared with a link.
  wants.push(
    await file(110, [arrivalOf(6, undefined, 105, { linked: [traceIdOf(1)] }), later(7, 'beside a link', 106)]),
  );
  await judgeThem();
  const askedBefore = [...asked];
  wants.push(
    await file(200, [
      arrivalOf(2, undefined, 150, { has: ['key of c1'] }),
      later(3, 'c1', 160),
      later(4, 'c2', 170),
      later(5, 'beyond', 250),
    ]),
  );
  for (let more = true; more; ) more = (await judgeThem()).conversations > 0;
  wants.push(await file(210, []));

  expect(askedBefore).toEqual([]);
  expect(asked.toSorted()).toEqual(['c1', 'c2']);
  expect(sets).toEqual([[1], [6], [7], [2, 3], [4]].map((numbers) => numbers.map(traceIdOf)));
  expect(wants).toEqual([false, false, false, true]);
});

test('what is unknown of a trace is found out from all its parts, and a late part without a name is compared as well', async () => {
  const url = await freshDatabase();
  const keysOf = ({ traces }: TraceContent) => ({ has: [], wants: [`key in ${traces.length} bytes`] });
  const store = await opened(url, { keysOf });
  const lane = await ownLane(store);
  const first = arrivalOf(1, 'c1', 50, { keysLater: true });
  const key = `key in ${first.content.traces.length} bytes`;
  await store.filing.file([{ lane, time: 100, positions: {}, arrivals: [first] }]);
  await store.time.move();
  await scoreAll(store);
  const content = { traces: Buffer.from(JSON.stringify({ id: 'c1', late: true })), logs: undefined };
  await store.filing.file([
    {
      lane,
      time: 200,
      positions: {},
      arrivals: [arrivalOf(2, undefined, 150, { has: [key] }), arrivalOf(1, undefined, 160, { content })],
    },
  ]);
  await store.time.move();

  const { conversations } = await store.scoring.scoreDue({ ...SOME, conversationsMax: 1 }, (set) => {
    expect(set.arrivals.map(({ traceId }) => traceId)).toEqual([2, 1].map(traceIdOf));
    scoreSimply(store.engineStore, set);
  });

  expect(conversations).toBe(2);
});

test('time moves a part of the way where much would have to be found out', async () => {
  const url = await freshDatabase();
  let asked = 0;
  const keysOf = () => {
    asked += 1;
    return { has: [], wants: [] };
  };
  const store = await opened(url, { keysOf });
  const lane = await ownLane(store);
  const named = Array.from({ length: 1200 }, (_, index) =>
    arrivalOf(index + 2, `c${index}`, 100 + index, { keysLater: true }),
  );
  const arrivals = [arrivalOf(1, undefined, 50, { has: ['a key of somebody'] }), ...named];
  await store.filing.file([{ lane, time: 5000, positions: {}, arrivals }]);

  const times: (number | undefined)[] = [];
  while (times.at(-1) !== 5000 && times.length < 10) times.push(await store.time.move());

  expect(times).toEqual([599, 1099, 5000]);
  expect(asked).toBe(1200);
});

test('a trace whose parts name two conversations joins them', async () => {
  const url = await freshDatabase();
  const store = await opened(url);
  const lane = await ownLane(store);
  await store.filing.file([{ lane, time: 100, positions: {}, arrivals: [arrivalOf(1, undefined, 50)] }]);
  await store.time.move();
  await scoreAll(store);
  await store.filing.file([
    { lane, time: 200, positions: {}, arrivals: [arrivalOf(1, 'named', 150), arrivalOf(2, 'named', 160)] },
  ]);
  await store.time.move();

  const { conversations } = await store.scoring.scoreDue(SOME, ({ arrivals }) => {
    expect(arrivals.map(({ traceId }) => traceId)).toEqual([traceIdOf(1), traceIdOf(2)]);
    expect(store.engineStore.traces.find(traceIdOf(1))).toMatchObject({ revision: 1 });
  });

  expect(conversations).toBe(2);
});

test('a conversation with more than fits is judged a part of the time at a time', async () => {
  const url = await freshDatabase();
  const store = await opened(url);
  const lane = await ownLane(store);
  const content = { traces: Buffer.from(JSON.stringify({ id: 'c1', text: 'x'.repeat(1000) })), logs: undefined };
  const arrivals = Array.from({ length: 10 }, (_, index) =>
    arrivalOf(index + 1, 'c1', 100 + Math.floor(index / 2), { content }),
  );
  await store.filing.file([{ lane, time: 1000, positions: {}, arrivals }]);
  await store.time.move();
  const sets: number[] = [];

  for (let more = true; more; ) {
    const { conversations } = await store.scoring.scoreDue({ ...SOME, bytesMax: 3000 }, (set) => {
      sets.push(set.arrivals.length);
      scoreSimply(store.engineStore, set);
    });
    more = conversations > 0;
  }

  expect(sets).toEqual([2, 2, 2, 2, 2, 0].filter((size) => size > 0));
  expect(await (await read(url)).find('c1')).toMatchObject({ turns: 10, revision: 1 });
});

test('where turns were said to stand alone and do not, they are judged again with what they need', async () => {
  const url = await freshDatabase();
  const store = await opened(url);
  const lane = await ownLane(store);
  const far = 1_000_000;
  const turn = (number: number, at: number) => arrivalOf(number, 'c1', at, { needsNoHistory: true });
  const judge = (dueAt: number | undefined) =>
    store.scoring.scoreDue(SOME, (set) => {
      const { engineStore } = store;
      for (const { traceId, closedAt, content } of set.arrivals) {
        const { row } = joinConversation(engineStore.conversations, {
          id: 'c1' as never,
          labels: { agent: '', agentVersion: '', environment: '' },
          at: closedAt,
          glance: {},
          turnsAdded: 1,
          dueNowBecause: undefined,
          limits: { idleMs: far, maxAgeMs: far, maxTurns: 1000, openMaxMs: 900 },
        });
        engineStore.traces.insert({
          ...({
            traceId,
            conversation: row,
            revision: 1,
            position: 0,
            closedAt,
            spans: 1,
            sealed: false,
            cause: 'settled',
          } as const),
          content,
        });
        if (dueAt !== undefined) engineStore.conversations.change(row, { dueAt: dueAt, dueCause: 'max_turns' });
      }
      for (const due of dueConversations(engineStore.conversations, set.time)) {
        for (const { row } of engineStore.traces.ofConversation(due.row)) engineStore.traces.contentOf(row);
        closeConversation(engineStore.conversations, due.row, {
          revision: 1,
          cause: 'idle',
          turns: 2,
          unscoredBecause: undefined,
        });
      }
    });
  for (const [number, at] of [
    [1, 100],
    [2, 200],
  ] as const) {
    await store.filing.file([{ lane, time: at + 1, positions: {}, arrivals: [turn(number, at)] }]);
    await store.time.move();
    await judge(undefined);
  }
  await store.filing.file([{ lane, time: 301, positions: {}, arrivals: [turn(3, 300)] }]);
  await store.time.move();

  await expect(judge(300)).rejects.toThrow(/loaded/);
  const again = await judge(300);

  expect(again).toMatchObject({ conversations: 1, arrivals: 1 });
  expect(await (await read(url)).find('c1')).toMatchObject({ revision: 1, turns: 3 });
});

test('a name is one process’s at a time, and free at once when it has died', async () => {
  const url = await freshDatabase();
  const first = await openStore(url);
  await expect(openStore(url)).rejects.toThrow(/another process runs as instance a/);

  first.destroy();

  const deadline = Date.now() + 20_000;
  let second: PostgresStore | undefined;
  while (second === undefined) {
    second = await openStore(url).catch((error: unknown) => {
      if (Date.now() > deadline) throw error;
      return undefined;
    });
  }
  await second.close();
});

test('a session of its own that the database takes for alive does not keep a process from its name', async () => {
  const url = await freshDatabase();
  const store = await opened(url);
  await store.time.move();
  const [lock] = await sql<{ key: string }>(
    url,
    `SELECT classid || ', ' || CASE WHEN objid::bigint > 2147483647 THEN objid::bigint - 4294967296 ELSE objid::bigint END AS key
     FROM pg_locks WHERE locktype = 'advisory'`,
  );
  const other = new Client({ connectionString: url });
  other.on('error', () => {
    // It is about to be ended.
  });
  await other.connect();
  const ended = new Promise((resolve) => other.once('end', resolve));
  const taken = other.query(`SELECT pg_advisory_lock(${lock?.key})`);
  await sql(url, `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted`);
  await taken;

  expect(await store.time.move()).toBeUndefined();

  await ended;
});

test('what a process still sends after another of its name has begun is refused, and nothing of it is there', async () => {
  const url = await freshDatabase();
  const store = await opened(url);
  const lane = await ownLane(store);
  await store.filing.file([{ lane, time: 100, positions: {}, arrivals: [arrivalOf(1, 'c1', 50)] }]);
  await store.time.move();
  await sql(url, 'UPDATE instances SET epoch = epoch + 1');

  await expect(store.scoring.scoreDue(SOME, (set) => scoreSimply(store.engineStore, set))).rejects.toThrow(FencedError);

  expect(await evaluationsCounted(url)).toBe(0);
  expect(await sql(url, 'SELECT count(*) AS n FROM pending')).toEqual([{ n: 1 }]);
});

test('what goes to the topic waits until it is forgotten, in the order of each conversation’s revisions', async () => {
  const url = await freshDatabase();
  const outboxPayload = (evaluation: { readonly revision: number }) => Buffer.from(String(evaluation.revision));
  const stores = [await opened(url, { outboxPayload }), await opened(url, { instance: 'b', outboxPayload })];
  const [first] = stores;
  if (first === undefined) throw new Error('no store');
  const lane = await ownLane(first);
  for (const round of [1, 2, 3]) {
    const arrivals = Array.from({ length: 40 }, (_, index) =>
      arrivalOf(round * 1000 + index, `c${index}`, round * 100),
    );
    await first.filing.file([{ lane, time: round * 100 + 50, positions: {}, arrivals }]);
    await first.time.move();
    await Promise.all(stores.map((store) => scoreAll(store)));
  }

  const rows = await first.outbox.read(1000);

  expect(rows).toHaveLength(120);
  const ofOne = rows.filter(({ conversationId }) => conversationId === 'c7');
  expect(ofOne.map(({ payload }) => Buffer.from(payload).toString())).toEqual(['1', '2', '3']);
  expect(await first.outbox.read(50)).toEqual(rows.slice(0, 50));
  await first.outbox.forget(rows.slice(0, 100).map(({ id }) => id));
  expect(await first.outbox.read(1000)).toEqual(rows.slice(100));
});

test('what the last release had numbered and not yet sent is taken over, once', async () => {
  const url = await freshDatabase();
  const { outbox } = await opened(url);
  await sql(url, "INSERT INTO outbox VALUES (8, 'c2', 'second'), (7, 'c1', 'first')");

  await Promise.all([outbox.adopt(), outbox.adopt()]);

  const rows = await outbox.read(10);
  expect(rows.map(({ conversationId, payload }) => [conversationId, Buffer.from(payload).toString()])).toEqual([
    ['c1', 'first'],
    ['c2', 'second'],
  ]);
  expect(await sql(url, 'SELECT count(*) AS n FROM outbox')).toEqual([{ n: 0 }]);
});

test('of the times that instances note the smallest is everybody’s, whoever comes first', async () => {
  const url = await freshDatabase();
  const [a, b] = [await opened(url), await opened(url, { instance: 'b' })];
  const lane = await ownLane(a);
  const metric = 'first';
  const names = Array.from({ length: 40 }, (_, index) => `v${index}`);
  const arrivals = [arrivalOf(1, 'c1', 5), arrivalOf(2, 'c2', 5)];
  await a.filing.file([{ lane, time: 100, positions: {}, arrivals }]);
  await a.time.move();
  // At once and in opposite orders, so that each waits for rows that the other has written.
  const note = (store: PostgresStore, order: readonly string[], time: (index: number) => number) =>
    store.scoring.scoreDue({ ...SOME, conversationsMax: 1 }, (set) => {
      scoreSimply(store.engineStore, set);
      for (const name of order) store.engineStore.totals.earliest(metric, { name }).note(time(Number(name.slice(1))));
    });

  const judged = await Promise.all([
    note(a, names, (index) => (index % 2 === 0 ? 1000 : 2000)),
    note(b, names.toReversed(), (index) => (index % 2 === 0 ? 2000 : 1000)),
  ]);

  expect(judged.map(({ conversations }) => conversations)).toEqual([1, 1]);
  const c = await opened(url, { instance: 'c' });
  const times = c.engineStore.totals.all().filter((total) => total.metric === metric);
  expect(times).toHaveLength(names.length);
  expect(new Set(times.map(({ value }) => value))).toEqual(new Set([1000]));
});

test('what is due is found without going through the conversations that are not', async () => {
  const url = await freshDatabase();
  const store = await opened(url);
  const lane = await ownLane(store);
  const judge = () => store.scoring.scoreDue({ ...SOME, whose: 'own' }, (set) => scoreSimply(store.engineStore, set));
  await store.filing.file([{ lane, time: 1000, positions: { spans: 1 }, arrivals: [arrivalOf(1, 'c', 500)] }]);
  await store.time.move();
  // Statements are planned now, while the tables are almost empty.
  await judge();
  await sql(
    url,
    `INSERT INTO conversations (key, conversation_id, first_day, updated_at, first_closed_at, home)
     SELECT gen_random_uuid(), 'x' || i, 20000, 1, 1, (SELECT id FROM instances LIMIT 1) FROM generate_series(1, 5000) i`,
  );
  const looked = async () => {
    const [row] = await sql<{ looks: number; rows: number }>(
      url,
      `SELECT idx_scan AS looks, idx_tup_fetch + seq_tup_read AS rows FROM pg_stat_user_tables WHERE relname = 'conversations'`,
    );
    return row ?? { looks: 0, rows: 0 };
  };
  const before = await looked();

  for (let judging = 0; judging < 10; judging += 1) await judge();
  // Sessions report their statistics when they end.
  await store.close();

  let after = await looked();
  while (after.looks < before.looks + 10) after = await looked();
  expect(after.rows - before.rows).toBeLessThan(500);
});
