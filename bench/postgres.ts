/**
 * The throughput of one PostgreSQL: turns filed and judged per second, compared with a plain COPY of the same bytes
 * into one table. The engine is not run, because only the store is measured. Starts a server of its own.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { Client } from 'pg';
import type { ConversationId, TraceId } from '../src/model/ids.ts';
import { closeConversation, joinConversation, dueConversations } from '../src/engine/conversation-closing.ts';
import type { FiledArrival } from '../src/store/cluster-store.ts';
import type { EngineStore } from '../src/store/engine-store.ts';
import { BinaryRows } from '../src/store/postgres/binary-copy.ts';
import { Link } from '../src/store/postgres/link.ts';
import { PostgresStore } from '../src/store/postgres/postgres-store.ts';
import { COUNTED, evaluationOf, LABELS } from '../test/store/contract.ts';
import { randomFrom } from '../test/random.ts';
import { startPostgres } from '../test/outside/postgres/server.ts';
import type { BenchRow } from './row.ts';
import { makeWorkload } from './workload.ts';

const PER_FILING = 200;
const IDLE_MS = 1_000;
const CLOCK_HZ = 100;

interface Scenario {
  readonly name: string;
  /** 0: turns without an id. */
  readonly turnsPerConversation: number;
}

const SCENARIOS: readonly Scenario[] = [
  { name: 'turns without an id, scored at once', turnsPerConversation: 0 },
  { name: 'conversations of 4 turns', turnsPerConversation: 4 },
];

export async function benchPostgres({
  turns,
}: {
  readonly turns: number;
}): Promise<{ readonly rows: readonly BenchRow[]; readonly notes: readonly string[] }> {
  const server = await startPostgres();
  try {
    const contents = makeContents();
    const rows: BenchRow[] = [];
    const plain = await copyPlainly(await server.createDatabase(), contents, turns);
    const reference = plain.perSecond;
    const notes = [plain.note];
    for (const scenario of SCENARIOS) {
      const { filed, judged, note } = await run(
        await server.createDatabase(),
        arrivalsOf(scenario, contents, turns),
        scenario,
      );
      notes.push(note);
      rows.push(
        {
          name: `filing, ${scenario.name}: turns/s beside a plain COPY`,
          ours: filed,
          reference,
          ratio: filed / reference,
        },
        {
          name: `judging, ${scenario.name}: turns/s beside a plain COPY`,
          ours: judged,
          reference,
          ratio: judged / reference,
        },
      );
    }
    return { rows, notes };
  } finally {
    await server.close();
  }
}

/** Messages as exporters write them, of the size of a turn. */
function makeContents(): readonly Buffer[] {
  const { requests, traces } = makeWorkload({ seed: 1, traces: 400, spansPerRequest: 512, concurrent: 1 });
  const all = Buffer.concat(requests);
  const size = Math.floor(all.length / traces);
  return Array.from({ length: traces }, (_, index) => Buffer.from(all.subarray(index * size, (index + 1) * size)));
}

function arrivalsOf(scenario: Scenario, contents: readonly Buffer[], turns: number): readonly FiledArrival[] {
  const random = randomFrom(7);
  const hex = () =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  const { turnsPerConversation } = scenario;
  return Array.from({ length: turns }, (_, index): FiledArrival => {
    // Conversations run in parallel, and their turns are some filings apart.
    const block = Math.floor(index / (4 * 1000));
    const id = turnsPerConversation === 0 ? undefined : `conversation ${block * 1000 + (index % 1000)}`;
    return {
      // The casts are the brands, which is acceptable in a benchmark.
      traceId: `${hex()}${hex()}${hex()}${hex()}` as TraceId,
      conversationId: id as ConversationId | undefined,
      closedAt: 1_000 + index,
      cause: 'settled',
      spans: 12,
      content: { traces: contents[index % contents.length] ?? Buffer.alloc(0), logs: undefined },
      positions: { spans: index },
      has: [],
      wants: [],
      linked: [],
      needsNoHistory: true,
    };
  });
}

async function run(
  url: string,
  arrivals: readonly FiledArrival[],
  scenario: Scenario,
): Promise<{ readonly filed: number; readonly judged: number; readonly note: string }> {
  const store = await PostgresStore.open({ url, instance: 'bench', group: 'bench', topics: ['spans'] });
  const [lane] = await store.lanes.own([{ group: 'bench', lane: 0 }]);
  if (lane === undefined) throw new Error('no lane');
  let filing = 0;
  let judging = 0;
  const cpu = { filing: 0, judging: 0, server: 0 };
  const serverBefore = serverCpuMs();
  for (let at = 0; at < arrivals.length; at += PER_FILING) {
    const some = arrivals.slice(at, at + PER_FILING);
    const time = (some.at(-1)?.closedAt ?? 0) + (at + PER_FILING >= arrivals.length ? 10 * IDLE_MS : 0);
    filing += await timed(cpu, 'filing', async () => {
      await store.filing.file([{ lane, time, positions: { spans: at }, arrivals: some }]);
    });
    judging += await timed(cpu, 'judging', async () => {
      await store.time.move();
      for (let more = true; more; ) {
        const limits = { whose: 'own', conversationsMax: 256, bytesMax: 32 << 20 } as const;
        const { conversations } = await store.scoring.scoreDue(limits, ({ time: now, arrivals: waiting }) => {
          for (const one of waiting) take(store.engineStore, one, arrivals[one.closedAt - 1_000], scenario);
          score(store.engineStore, now);
        });
        more = conversations > 0;
      }
    });
  }
  cpu.server = serverCpuMs() - serverBefore;
  await store.close();
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    `SELECT pg_size_pretty(pg_database_size(current_database())) AS size, (SELECT count(*) FROM assay.evaluations) AS evaluations`,
  );
  await client.end();
  const turns = arrivals.length;
  const each = (ms: number) => `${((ms * 1000) / turns).toFixed(0)} µs`;
  return {
    filed: (turns * 1000) / filing,
    judged: (turns * 1000) / judging,
    note: `${scenario.name}: CPU a turn: filing ${each(cpu.filing)}, judging ${each(cpu.judging)}, server ${each(cpu.server)}; ${rows[0].size} for ${turns} turns and ${rows[0].evaluations} evaluations`,
  };
}

function take(
  store: EngineStore,
  waiting: { readonly traceId: TraceId; readonly closedAt: number; readonly content: FiledArrival['content'] },
  arrival: FiledArrival | undefined,
  { turnsPerConversation }: Scenario,
): void {
  const { traceId, closedAt, content } = waiting;
  const { row, turns } = joinConversation(store.conversations, {
    id: (arrival?.conversationId ?? `trace:${traceId}`) as ConversationId,
    labels: LABELS,
    at: closedAt,
    glance: {},
    turnsAdded: 1,
    dueNowBecause: turnsPerConversation === 0 ? 'single_trace' : undefined,
    limits: { idleMs: IDLE_MS * 5, maxAgeMs: 1e9, maxTurns: 1000, openMaxMs: 900 },
  });
  if (turnsPerConversation > 0 && turns >= turnsPerConversation) {
    store.conversations.change(row, { dueAt: closedAt + IDLE_MS, dueCause: 'max_turns' });
  }
  const trace = {
    traceId,
    conversation: row,
    revision: 1,
    position: 0,
    closedAt,
    spans: 12,
    sealed: false,
    cause: 'settled' as const,
  };
  store.traces.insert({ ...trace, content });
}

function score(store: EngineStore, time: number): void {
  for (const due of dueConversations(store.conversations, time)) {
    const revision = due.revision + 1;
    for (const { row } of store.traces.ofConversation(due.row)) store.traces.contentOf(row);
    store.evaluations.insert(
      evaluationOf({ conversation: due.id, revision }),
      { conversation: due.row, trace: 0, labels: COUNTED },
      () => store.totals.series('evaluations_total', COUNTED).add(1),
    );
    closeConversation(store.conversations, due.row, {
      revision,
      cause: 'idle',
      turns: due.turns,
      unscoredBecause: undefined,
    });
  }
}

async function copyPlainly(
  url: string,
  contents: readonly Buffer[],
  turns: number,
): Promise<{ readonly perSecond: number; readonly note: string }> {
  const link = new Link({ address: { url, schema: 'public' }, name: 'bench', leaseMs: 60_000 });
  await link.use((session) =>
    session.script(
      'CREATE TABLE plain (id bigint, content bytea); ALTER TABLE plain ALTER COLUMN content SET STORAGE EXTERNAL',
    ),
  );
  const cpuBefore = serverCpuMs();
  const startedAt = performance.now();
  for (let at = 0; at < turns; at += PER_FILING) {
    const rows = new BinaryRows();
    for (let index = at; index < at + PER_FILING; index += 1) {
      rows
        .row(2)
        .int8(index)
        .bytes(contents[index % contents.length]);
    }
    await link.transaction((session) => session.copy('plain (id, content)', rows));
  }
  const took = performance.now() - startedAt;
  const cpu = ((serverCpuMs() - cpuBefore) * 1000) / turns;
  await link.close();
  const bytes = contents.reduce((sum, { length }) => sum + length, 0) / contents.length;
  return {
    perSecond: (turns * 1000) / took,
    note: `plain COPY of ${bytes.toFixed(0)} bytes a turn, ${PER_FILING} in a transaction: CPU of the server ${cpu.toFixed(0)} µs a turn`,
  };
}

async function timed<Name extends string>(
  cpu: Record<Name, number>,
  name: Name,
  work: () => Promise<void>,
): Promise<number> {
  const before = process.cpuUsage();
  const startedAt = performance.now();
  await work();
  const { user, system } = process.cpuUsage(before);
  cpu[name] += (user + system) / 1000;
  return performance.now() - startedAt;
}

/** CPU time of every PostgreSQL on the machine; run this benchmark alone. */
function serverCpuMs(): number {
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      if (!stat.includes('(postgres)')) continue;
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // It has ended.
    }
  }
  return (ticks * 1000) / CLOCK_HZ;
}
