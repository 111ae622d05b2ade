/**
 * Faults of the database, the network or an instance in the middle of filing and judging: everything is stored once.
 */
import { searchFor } from '../../../src/store/conversation-reader.ts';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { FencedError, type OwnedLane } from '../../../src/store/cluster-store.ts';
import { PostgresReader } from '../../../src/store/postgres/postgres-reader.ts';
import type { PostgresOptions, PostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { randomFrom } from '../../random.ts';
import { TcpProxy } from '../tcp-proxy.ts';
import { arrivalOf, EVALUATIONS, scoreAll, scoreSimply, openStore, ownLane, SOME } from './scoring.ts';
import { type PostgresServer, startPostgres } from './server.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.close());

interface Proxied {
  readonly url: string;
  readonly direct: string;
  readonly proxy: TcpProxy;
  /** Inspects the server's answers; nothing is passed on if it returns false. */
  watch: (chunk: Buffer) => boolean;
}

async function proxied(): Promise<Proxied> {
  const direct = await server.createDatabase();
  const watched = { watch: (_: Buffer) => true };
  const proxy = await TcpProxy.start(
    { host: server.host, port: server.port },
    { passAnswer: (chunk) => watched.watch(chunk) },
  );
  onTestFinished(() => proxy.close());
  const through = new URL(direct);
  through.port = String(proxy.port);
  return Object.assign(watched, { url: through.href, direct, proxy });
}

async function opened(url: string, options: Partial<PostgresOptions> = {}): Promise<PostgresStore> {
  const store = await openStore(url, { leaseMs: 2_000, ...options });
  onTestFinished(() => store.destroy());
  return store;
}

async function counted(
  url: string,
): Promise<{ readonly counted: number; readonly evaluations: number; readonly traces: number }> {
  const reader = await PostgresReader.open({ url });
  try {
    const totals = await reader.totals();
    const { evaluations, traces } = await reader.counts();
    return { counted: totals.find(({ metric }) => metric === EVALUATIONS)?.value ?? 0, evaluations, traces };
  } finally {
    await reader.close();
  }
}

/** Drops the answer to the next commit, and the connection with it. */
function loseNextCommit(to: Proxied): void {
  to.watch = (chunk) => {
    if (!chunk.includes('COMMIT\0')) return true;
    to.watch = () => true;
    setImmediate(() => to.proxy.reset());
    return false;
  };
}

test('a filing whose commit was not answered is done once', async () => {
  const to = await proxied();
  const store = await opened(to.url);
  const lane = await ownLane(store);
  loseNextCommit(to);

  await store.filing.file([{ lane, time: 100, positions: { spans: 1 }, arrivals: [arrivalOf(1, 'c1', 50)] }]);
  await store.filing.file([{ lane, time: 200, positions: { spans: 2 }, arrivals: [arrivalOf(2, 'c1', 150)] }]);

  await store.time.move();
  await scoreAll(store);
  expect(await counted(to.direct)).toEqual({ counted: 2, evaluations: 2, traces: 2 });
});

test('a judging whose commit was not answered is counted once, and says what it changed', async () => {
  const to = await proxied();
  const store = await opened(to.url);
  const lane = await ownLane(store);
  await store.filing.file([{ lane, time: 100, positions: {}, arrivals: [arrivalOf(1, 'c1', 50)] }]);
  await store.time.move();
  loseNextCommit(to);

  const judged = await store.scoring.scoreDue(SOME, (set) => scoreSimply(store.engineStore, set));

  expect(judged).toMatchObject({ conversations: 1, arrivals: 1, totals: [{ metric: EVALUATIONS, value: 1 }] });
  await scoreAll(store);
  expect(await counted(to.direct)).toEqual({ counted: 1, evaluations: 1, traces: 1 });
});

test('what an instance holds that is cut off is judged by another when its lease is over, and it can write nothing of it', async () => {
  const to = await proxied();
  const [cut, other] = [await opened(to.url), await opened(to.direct, { instance: 'b' })];
  const lane = await ownLane(cut);
  const arrivals = [1, 2, 3].map((number) => arrivalOf(number, `c${number}`, 50));
  await cut.filing.file([{ lane, time: 100, positions: {}, arrivals }]);
  await cut.time.move();
  const { promise: isCut, resolve: worked } = Promise.withResolvers<void>();
  const lost = cut.scoring.scoreDue(SOME, (set) => {
    scoreSimply(cut.engineStore, set);
    to.proxy.cut();
    worked();
  });
  const refused = expect(lost).rejects.toThrow(/PostgreSQL/);

  await isCut;
  // While the lease lasts, nothing is available.
  for (let taken = 0; taken < 3; ) taken += await scoreAll(other);

  expect(await counted(to.direct)).toEqual({ counted: 3, evaluations: 3, traces: 3 });
  to.proxy.heal();
  await refused;
  await scoreAll(cut);
  expect(await counted(to.direct)).toEqual({ counted: 3, evaluations: 3, traces: 3 });
  expect(cut.engineStore.totals.all().map(({ value }) => value)).toEqual([0]);
});

test('a database that stands still is noticed, and goes on where it stood', async () => {
  const url = await server.createDatabase();
  const store = await opened(url);
  const lane = await ownLane(store);
  const file = (number: number) =>
    store.filing.file([
      { lane, time: number * 100, positions: {}, arrivals: [arrivalOf(number, `c${number}`, number * 100 - 50)] },
    ]);
  await file(1);
  server.freeze();

  await expect(store.time.move()).rejects.toThrow(/PostgreSQL/);

  server.thaw();
  await retried(() => file(2));
  await retried(() => store.time.move());
  await retried(() => scoreAll(store));
  expect(await counted(url)).toEqual({ counted: 2, evaluations: 2, traces: 2 });
});

test.each([
  { what: 'killed', end: () => server.kill() },
  { what: 'restarted', end: () => server.stop() },
])('filing and judging go on after the server was $what under load, and everything is there once', async ({ end }) => {
  const url = await server.createDatabase();
  await loadWith(url, url, {
    rounds: 30,
    async trouble(round) {
      if (round % 10 !== 5) return;
      await end();
      await server.start();
    },
  });
});

test('connections that are ended at random moments lose nothing and count nothing twice', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const random = randomFrom(seed);
  const to = await proxied();
  let answers = 0;
  let next = 40;
  to.watch = () => {
    answers += 1;
    if (answers < next) return true;
    answers = 0;
    next = 10 + Math.floor(random() * 150);
    const pass = random() < 0.5;
    setImmediate(() => to.proxy.reset());
    return pass;
  };

  await loadWith(to.url, to.direct, { rounds: 60, trouble: () => Promise.resolve() }).catch((error: unknown) => {
    throw new Error(`with seed ${seed}`, { cause: error });
  });
});

/**
 * Files and judges at the same time, whatever fails, until all is done; then compares the store with what was filed.
 */
async function loadWith(
  url: string,
  direct: string,
  { rounds, trouble }: { readonly rounds: number; readonly trouble: (round: number) => Promise<void> },
): Promise<void> {
  const each = 10;
  const [filer, helper] = [
    await retried(() => opened(url, { leaseMs: 5_000 })),
    await retried(() => opened(url, { instance: 'b', leaseMs: 5_000 })),
  ];
  let lane: OwnedLane = await retried(() => ownLane(filer));
  let isFiling = true;
  const fileAll = async () => {
    for (let round = 1; round <= rounds; round += 1) {
      const disturbed = trouble(round);
      const at = round * 100;
      const arrivals = Array.from({ length: each }, (_, index) =>
        arrivalOf(round * each + index, `c${round % 7} ${index}`, at - 50, { positions: { spans: round } }),
      );
      await retried(async () => {
        if ((lane.positions.spans ?? 0) >= round) return;
        try {
          await filer.filing.file([{ lane, time: at, positions: { spans: round }, arrivals }]);
          lane = { ...lane, positions: { spans: round } };
        } catch (error) {
          // Like a lane's owner: it asks for its last position.
          if (error instanceof FencedError) lane = await ownLane(filer);
          throw error;
        }
      });
      await disturbed;
    }
    isFiling = false;
  };
  const judgeWith = async (store: PostgresStore) => {
    while (isFiling) {
      await retried(() => store.time.move());
      await retried(() => scoreAll(store));
    }
  };
  await Promise.all([fileAll(), judgeWith(filer), judgeWith(helper)]);
  await retried(() => filer.time.move());
  await retried(() => scoreAll(filer));

  // Each round is judged separately, so that each conversation has as many revisions as turns.
  const all = await counted(direct);
  expect(all).toEqual({ counted: all.evaluations, evaluations: all.evaluations, traces: rounds * each });
  const reader = await PostgresReader.open({ url: direct });
  try {
    const { rows } = await reader.pages.search(searchFor({ limit: 1000 }));
    expect(rows.reduce((sum, { turns }) => sum + turns, 0)).toBe(rounds * each);
    for await (const evaluation of reader.allEvaluations()) {
      const conversation = rows.find(({ conversationId }) => conversationId === evaluation.conversationId);
      expect(evaluation.explanation).toBe(`${conversation?.turns} turns`);
      expect(evaluation.revision).toBe(conversation?.revision);
    }
  } finally {
    await reader.close();
  }
}

async function retried<T>(attempt: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      // Each attempt waits for its turn to connect.
    }
  }
}
