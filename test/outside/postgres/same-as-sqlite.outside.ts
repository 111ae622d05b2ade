/**
 * The engine gives the same results on the shared store as on SQLite, whichever instance files and scores at what time.
 * The test sends conversations of all kinds, late spans, late ids, turns that only evidence joins, in random batches by
 * three instances.
 */
import type { SearchCursor } from '../../../src/store/conversation-search.ts';
import { searchFor } from '../../../src/store/conversation-reader.ts';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { buildTurns } from '../../../src/assemble/build-turns.ts';
import { evidenceOf } from '../../../src/assemble/conversation-evidence.ts';
import { isWhole } from '../../../src/assemble/turns/fragments.ts';
import { conversationHash } from '../../../src/model/conversation-id.ts';
import type { Evaluation } from '../../../src/model/evaluation.ts';
import type { TraceId } from '../../../src/model/ids.ts';
import { transcodeLogs, transcodeTraces } from '../../../src/otlp/json-transcoder.ts';
import { normalize } from '../../../src/normalize/normalize.ts';
import { UNWATCHED } from '../../../src/engine/check-watch.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { ArrivalUnderstanding } from '../../../src/serve/cluster/arrival-understanding.ts';
import { namedConversationOf } from '../../../src/assemble/build-conversation.ts';
import type { CompiledSuite } from '../../../src/score/suite/suite.ts';
import type { FiledArrival, OwnedLane } from '../../../src/store/cluster-store.ts';
import type { ServiceReader } from '../../../src/serve/store-place/open-reader.ts';
import type { EngineStore } from '../../../src/store/engine-store.ts';
import { TryAgain } from '../../../src/store/postgres/errors.ts';
import { PostgresReader } from '../../../src/store/postgres/postgres-reader.ts';
import { type PostgresOptions, PostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { Store } from '../../../src/store/sqlite/store.ts';
import { StoreReader } from '../../../src/store/sqlite/store-reader.ts';
import { builtinSuites } from '../../engine/log-driver.ts';
import { openBeside } from '../../store/open-beside.ts';
import { randomFrom } from '../../random.ts';
import { clusterTraffic, type TimedRecord } from '../../simulation/cluster-traffic.ts';
import { togetherTraffic } from '../../simulation/together-traffic.ts';
import { tempDirectory } from '../../temp-directory.ts';
import { pageAnswers } from './page-answers.ts';
import { freshDatabase } from './shared-postgres.ts';
import { shareOf } from '../share-of-round.ts';

const SETTLE_MS = 1_000;
const IDLE_MS = 20_000;
const LANES = 4;
const END = 10_000_000;

const settings = {
  turn: { reopenMs: 86_400_000, maxAgeMs: 60_000, maxSpans: 5_000, maxBytes: 16 << 20 },
  conversation: { idleMs: IDLE_MS, maxAgeMs: 300_000, maxTurns: 100, idKeys: [], handOverTools: [] },
  metrics: { maxLabelValues: 1_000, segment: [], maxSegments: 20 },
  words: true,
};

function engineOn(store: EngineStore, suites: readonly CompiledSuite[]): Engine {
  return new Engine({
    settings,
    suites,
    store,
    watch: UNWATCHED,
    onEvent: () => {},
  });
}

/**
 * The closings and their times: a trace closes when its records have stopped for a while; later records are another
 * arrival.
 */
function arrivalsOf(seed: number, conversations: number): readonly FiledArrival[] {
  const options = { seed, conversations, rate: 4, settleMs: SETTLE_MS, turnIdleMs: 3_000, conversationIdleMs: IDLE_MS };
  // Turns of all kinds, one after the other, and simultaneous turns.
  const together = togetherTraffic({ ...options, seed: seed + 1_000_000, conversations: Math.ceil(conversations / 3) });
  const records = [...clusterTraffic(options), ...together].flatMap((conversation) =>
    conversation.records.flatMap((record) =>
      record.againAt === undefined ? [record] : [record, { ...record, at: record.againAt }],
    ),
  );
  const byTrace = Map.groupBy(
    records.toSorted((a, b) => a.at - b.at),
    ({ traceId }) => traceId,
  );
  const arrivals: FiledArrival[] = [];
  for (const [traceId, ofTrace] of byTrace) {
    let open: TimedRecord[] = [];
    for (const record of ofTrace) {
      const last = open.at(-1);
      if (last !== undefined && record.at > last.at + SETTLE_MS) {
        arrivals.push(arrivalOf(traceId, open));
        open = [];
      }
      open.push(record);
    }
    arrivals.push(arrivalOf(traceId, open));
  }
  return arrivals.toSorted((a, b) => a.closedAt - b.closedAt || (a.traceId < b.traceId ? -1 : 1));
}

function arrivalOf(traceId: string, records: readonly TimedRecord[]): FiledArrival {
  const bytesOf = (signal: TimedRecord['signal'], transcode: (json: Buffer) => Uint8Array) =>
    records
      .filter((record) => record.signal === signal)
      .map(({ value }) => (value[0] === 0x7b ? transcode(value) : value));
  const feedback = feedbackOn(traceId, records.at(-1)?.at ?? 0);
  const logs = [...bytesOf('logs', transcodeLogs), ...feedback];
  // Concatenated protobuf messages are one message.
  const content = {
    traces: Buffer.concat(bytesOf('spans', transcodeTraces)),
    logs: logs.length === 0 ? undefined : Buffer.concat(logs),
  };
  const turns = buildTurns(normalize(content, undefined));
  const conversationId = namedConversationOf(turns);
  const namedAt = Math.ceil(records[0]?.at ?? 0);
  return {
    // The cast is the brand: the traffic made it.
    traceId: traceId as TraceId,
    conversationId,
    named: conversationId === undefined ? [] : [{ conversation: conversationHash(conversationId), at: namedAt }],
    closedAt: Math.ceil((records.at(-1)?.at ?? 0) + SETTLE_MS),
    cause: 'settled',
    spans: turns.reduce((sum, turn) => sum + turn.steps.length, 0),
    content,
    positions: {},
    ...evidenceOf(turns),
    needsNoHistory: turns.every((turn) => isWhole(turn) && !turn.ended),
    // The filing instance still has some of them in normalized form.
    ...(traceId < '8' ? { turns } : {}),
  };
}

/** Feedback of a user about some turns, as a log record of their trace. */
function feedbackOn(traceId: string, at: number): readonly Uint8Array[] {
  const lot = Number.parseInt(traceId.slice(1, 3), 16);
  if (lot % 4 !== 0) return [];
  const label = { key: 'assay.feedback.label', value: { stringValue: lot % 3 === 0 ? 'bad' : 'good' } };
  const logRecords = [
    { traceId, eventName: 'assay.feedback', timeUnixNano: `${Math.ceil(at)}000000`, attributes: [label] },
  ];
  return [transcodeLogs(Buffer.from(JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] })))];
}

function withKeysLater(arrival: FiledArrival): FiledArrival {
  return { ...arrival, has: [], wants: [], keysLater: true };
}

async function said(reader: ServiceReader, suites: readonly CompiledSuite[]) {
  const evaluations: Evaluation[] = [];
  for await (const evaluation of reader.allEvaluations()) evaluations.push(evaluation);
  const conversations = new Map<string, unknown>();
  for (let cursor: SearchCursor | undefined, more = true; more; ) {
    const { rows, next } = await reader.pages.search(searchFor({ limit: 500, cursor }));
    for (const row of rows) {
      // Its lot is drawn by chance.
      const { row: _, updatedAt: __, lot: ___, ...conversation } = row;
      const traces = await reader.traces(row);
      const all = [
        ...(await reader.evaluations(row, { revisions: 'all' })),
        ...(await reader.evaluations(row, { revisions: 'all', of: 'shadow' })),
      ];
      const revisions = all.map(
        ({ suite, shadow, turnId, revision, outcome }) => `${suite} ${shadow} ${turnId} ${revision} ${outcome}`,
      );
      conversations.set(row.conversationId, {
        ...conversation,
        traces: traces.map(({ traceId, revision, spans }) => `${traceId} ${revision} ${spans}`),
        revisions: revisions.toSorted(),
      });
    }
    cursor = next;
    more = next !== undefined;
  }
  const totals = (await reader.totals()).filter(({ metric }) => !/duration|seconds/.test(metric));
  const pages = await pageAnswers(reader, suites);
  return { evaluations, conversations: new Map([...conversations].toSorted()), totals, pages };
}

async function onOwnStore(arrivals: readonly FiledArrival[], suites: readonly CompiledSuite[]) {
  const file = path.join(tempDirectory(), 'assay.db');
  const store = Store.open(file, { durable: false });
  const engine = engineOn(store, suites);
  store.begin();
  for (const arrival of arrivals) {
    engine.arrive({ ...arrival, position: 0, rows: arrival.spans, openBeside: openBeside(arrival, { arrivals }) });
  }
  engine.advance(END);
  store.commit();
  store.close();
  const reader = StoreReader.open(file);
  onTestFinished(() => reader.close());
  return said(reader, suites);
}

async function onSharedStore(
  arrivals: readonly FiledArrival[],
  suites: readonly CompiledSuite[],
  { random, way }: { readonly random: () => number; readonly way: 'in turn' | 'at once' },
) {
  const url = await freshDatabase();
  const lanes = Array.from({ length: LANES }, (_, lane) => ({ group: 'g', lane }));
  const instances = await Promise.all(
    ['a', 'b', 'c'].map(async (instance) => {
      const understanding = new ArrivalUnderstanding([]);
      const keysOf: PostgresOptions['keysOf'] = (content) => understanding.keysOf(content);
      const store = await PostgresStore.open({
        url,
        instance,
        group: 'g',
        topics: ['spans'],
        cacheBytes: 1 << 20,
        keysOf,
      });
      onTestFinished(() => store.close());
      return { store, engine: engineOn(store.engineStore, suites) };
    }),
  );
  const pick = () => instances[Math.floor(random() * instances.length)] ?? instances[0];
  const queues = lanes.map(({ lane }) =>
    arrivals.filter(({ traceId }) => Number.parseInt(traceId[0] ?? '0', 16) % LANES === lane),
  );
  const owners = new Map<number, { readonly owned: OwnedLane; readonly store: PostgresStore }>();
  await instances[0]?.store.lanes.expect(lanes);
  let again = 0;

  async function judge(instance = pick()): Promise<number> {
    if (instance === undefined) return 0;
    const limits = {
      whose: random() < 0.5 ? 'own' : 'any',
      conversationsMax: 1 + Math.floor(random() * 40),
      bytesMax: random() < 0.2 ? 20_000 : 1 << 24,
    } as const;
    try {
      const { conversations } = await instance.store.scoring.scoreDue(limits, (set) => {
        for (const arrival of set.arrivals) instance.engine.arrive({ ...arrival, position: 0, rows: arrival.spans });
        instance.engine.advance(set.time);
      });
      return conversations;
    } catch (error) {
      if (!(error instanceof TryAgain)) throw error;
      again += 1;
      instance.engine = engineOn(instance.store.engineStore, suites);
      return 1;
    }
  }

  async function fileAll(): Promise<void> {
    for (;;) {
      const filled = queues.flatMap((queue, lane) => (queue.length > 0 ? [lane] : []));
      const lane = filled[Math.floor(random() * filled.length)];
      if (lane === undefined) break;
      let owner = owners.get(lane);
      if (owner === undefined || random() < 0.1) {
        const store = pick()?.store;
        const [owned] = (await store?.lanes.own([{ group: 'g', lane }])) ?? [];
        if (store === undefined || owned === undefined) throw new Error('no lane');
        owner = { owned, store };
        owners.set(lane, owner);
      }
      const { wantsKeys } = owner.store.filing;
      const some = (queues[lane]?.splice(0, 1 + Math.floor(random() ** 3 * 60)) ?? []).map((arrival) =>
        // The filing instance may have outdated knowledge.
        arrival.conversationId !== undefined && (!wantsKeys || random() < 0.3) ? withKeysLater(arrival) : arrival,
      );
      const next = queues[lane]?.[0]?.closedAt;
      // Turns that close at one time may come in two filings.
      const time = next === undefined ? END : Math.min(some.at(-1)?.closedAt ?? 0, next - 1);
      const naming = (queues[lane] ?? []).flatMap(({ traceId, named = [] }) =>
        named.flatMap((one) => (one.at <= time ? { traceId, ...one } : [])),
      );
      await owner.store.filing.file([{ lane: owner.owned, time, positions: {}, arrivals: some, naming }]);
      if (random() < 0.6) await pick()?.store.time.move();
      while (way === 'in turn' && random() < 0.6) await judge();
    }
    for (const { lane } of lanes) {
      if (owners.has(lane)) continue;
      const [owned] = (await instances[0]?.store.lanes.own([{ group: 'g', lane }])) ?? [];
      if (owned !== undefined)
        await instances[0]?.store.filing.file([{ lane: owned, time: END, positions: {}, arrivals: [] }]);
    }
    await instances[0]?.store.time.move();
  }

  let isFiling = true;
  const filed = fileAll().finally(() => {
    isFiling = false;
  });
  const judged = instances.map(async (instance) => {
    while (way === 'at once' && isFiling) await judge(instance);
  });
  await Promise.all([filed, ...judged]);
  for (let idle = 0; idle < 20; ) idle = (await judge()) === 0 ? idle + 1 : 0;
  const reader = await PostgresReader.open({ url });
  onTestFinished(() => reader.close());
  return { ...(await said(reader, suites)), again };
}

const SEED = Number(process.env.ASSAY_TEST_SEED ?? Math.floor(Math.random() * 1_000_000));

const ROUNDS = Number(process.env.ASSAY_TEST_ROUNDS ?? 4);

const WAYS = Array.from(
  { length: ROUNDS },
  (_, round) => ({ round, way: round % 4 < 2 ? 'in turn' : 'at once' }) as const,
);

test.each(shareOf(WAYS, 2))(
  'the engine says the same on both stores, where instances judge $way (round $round)',
  async ({ round, way }) => {
    const seed = SEED + round;
    const [live, ofConversations] = await builtinSuites(['default', 'error-recovery']);
    if (live === undefined || ofConversations === undefined) throw new Error('no suites');
    // Shadow suites are the same on both stores as well: one next to the live suite, and one by itself.
    const suites: readonly CompiledSuite[] = [
      live,
      { ...live, version: '2', criteria: live.criteria.slice(1), shadow: true },
      { ...ofConversations, shadow: true },
    ];
    const arrivals = arrivalsOf(seed, 150);

    const own = await onOwnStore(arrivals, suites);
    const { again, ...shared } = await onSharedStore(arrivals, suites, { random: randomFrom(seed), way });

    const hint = `seed ${seed}`;
    expect(own.evaluations.length, hint).toBeGreaterThan(100);
    expect(shared.conversations, hint).toEqual(own.conversations);
    expect(shared.evaluations, hint).toEqual(own.evaluations);
    expect(shared.totals, hint).toEqual(own.totals);
    // One by one: a difference deep in all of them together is not printed.
    expect([...shared.pages.keys()], hint).toEqual([...own.pages.keys()]);
    for (const [asked, answer] of own.pages) expect(shared.pages.get(asked), `${hint}, ${asked}`).toEqual(answer);
    expect(
      own.totals.some(({ metric, value }) => metric === 'assay_shadow_compared_total' && value > 0),
      hint,
    ).toBe(true);
    expect(
      own.totals.some(({ metric, value }) => metric === 'assay_feedback_total' && value > 0),
      hint,
    ).toBe(true);
    // Arrivals marked as standing alone did.
    expect(again, hint).toBeLessThan(own.conversations.size / 3);
  },
);
