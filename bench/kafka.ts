/**
 * npm run bench -- kafka [--json] [--traces 30000]
 *
 * Real processes read a topic that holds the whole workload. It is fetched and dropped by the consumer alone. Then it
 * is consumed, scored and stored by one instance, by one that has only one core, and by two that have one each, with a
 * broker and a database on the same machine. The reference is the one-machine service, which gets the same bytes over
 * OTLP/HTTP. The two alternate, and the median pair counts, because a shared machine's speed changes by a fifth from
 * one minute to the next. An instance has two busy threads, so on a machine of two cores the effect of a second process
 * is visible only if each has a core to itself. Progress is the number of judged turns. The start, during compilation,
 * and the tail, when turns wait for time to pass, are left out on both sides.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { KafkajsConsumer } from '../src/kafka/kafkajs/consumer.ts';
import { KafkajsProducer } from '../src/kafka/kafkajs/producer.ts';
import { encodeTable } from '../src/otlp/batch-table.ts';
import { indexTraces } from '../src/otlp/traces-reader.ts';
import { splitByTrace } from '../src/receive/split-by-trace.ts';
import { startPostgres } from '../test/outside/postgres/server.ts';
import { startKafka } from '../test/outside/services.ts';
import { type AssayProcess, freeListenPorts, startAssay } from '../test/simulation/process.ts';
import type { BenchRow } from './row.ts';
import { makeWorkload } from './workload.ts';

export interface KafkaBenchOptions {
  readonly traces: number;
  readonly partitions: number;
  /** Number of pairs of an instance and the one-machine service; odd. */
  readonly pairs: number;
}

interface Pair {
  readonly one: Measured;
  readonly alone: Measured;
}

interface Bytes {
  /** The records that one exporter would send at once, by trace. */
  readonly batches: readonly (readonly { readonly key: string; readonly value: Buffer }[])[];
  readonly spans: number;
  readonly traces: number;
  readonly bytes: number;
}

interface Measured {
  /** Spans a second, between a quarter and nineteen twentieths of the way. */
  readonly spansPerSecond: number;
  readonly cpuPerSpanUs: number;
  readonly seconds: number;
  /** Resident memory at a quarter of the way, and the maximum after that. */
  readonly rssAtFirst: number;
  readonly rssMax: number;
}

const TOPIC = 'otlp_spans';
const FROM = 0.25;
const TO = 0.95;
const LOOK_EVERY_MS = 200;
const TIMES = {
  ASSAY_TURN_SETTLE: '2s',
  ASSAY_TURN_IDLE: '5s',
  ASSAY_CONVERSATION_IDLE: '10s',
  ASSAY_KAFKA_CLOCK_MARGIN: '1s',
};
const CONNECTIONS = 4;

export async function benchKafka(
  options: KafkaBenchOptions,
): Promise<{ readonly rows: readonly BenchRow[]; readonly notes: readonly string[] }> {
  const work = workOf(options);
  const kafka = await startKafka();
  const postgres = await startPostgres();
  const directory = mkdtempSync(path.join(tmpdir(), 'assay-bench-'));
  try {
    await kafka.createTopic(TOPIC, options.partitions, { 'max.message.bytes': '10000000' });
    await fill(kafka.brokers, work);
    say(`${work.spans} spans in ${work.traces} turns, ${mib(work.bytes)}, are in the topic`);
    const raw = await drop(kafka.brokers, options.partitions, work);
    say(`fetch and drop: ${Math.round(raw)} spans/s`);
    const run = async (name: string, cores: readonly (number | undefined)[]) => {
      await quietDisk();
      const url = await postgres.createDatabase();
      const processes = await Promise.all(
        cores.map(async (core, index) =>
          startAssay({
            ...(core === undefined ? {} : { core }),
            dataDir: path.join(directory, `${name}-${index}`),
            ports: await freeListenPorts(),
            env: {
              ...TIMES,
              ASSAY_KAFKA_BROKERS: kafka.brokers.join(','),
              ASSAY_KAFKA_GROUP: name,
              ASSAY_STORE_URL: url,
              ASSAY_INSTANCE: `${name}-${index}`,
            },
          }),
        ),
      );
      const measured = await measure(processes, work);
      say(described(name, measured));
      return measured;
    };
    const runAlone = async (name: string) => {
      await quietDisk();
      const dataDir = path.join(directory, name);
      const embedded = await startAssay({ dataDir, ports: await freeListenPorts(), env: TIMES });
      const sending = send(embedded, work);
      const alone = await measure([embedded], work);
      await sending;
      say(described(name, alone));
      rmSync(dataDir, { recursive: true, force: true });
      return alone;
    };
    const pairs: Pair[] = [];
    for (let pair = 0; pair < options.pairs; pair += 1) {
      const [one, alone] = [() => run(`one-${pair}`, [undefined]), () => runAlone(`alone-${pair}`)];
      // Each goes first equally often.
      if (pair % 2 === 0) pairs.push({ one: await one(), alone: await alone() });
      else {
        const reference = await alone();
        pairs.push({ one: await one(), alone: reference });
      }
    }
    const pinned = await run('pinned', [0]);
    const two = await run('two', [0, 1]);
    return report(work, { raw, pairs, pinned, two });
  } finally {
    await postgres.close();
    await kafka.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

function report(
  work: Bytes,
  found: {
    readonly raw: number;
    readonly pairs: readonly Pair[];
    readonly pinned: Measured;
    readonly two: Measured;
  },
) {
  const { raw, pairs, pinned, two } = found;
  const { one, alone } = middleOf(pairs);
  const row = (name: string, ours: number, reference: number): BenchRow => ({
    name,
    ours: Math.round(ours),
    reference: Math.round(reference),
    ratio: Math.round((ours / reference) * 1000) / 1000,
  });
  return {
    rows: [
      row(
        'kafka: one instance, spans/s, against the one-machine service with the same bytes',
        one.spansPerSecond,
        alone.spansPerSecond,
      ),
      row(
        'kafka: two instances with a core each, spans/s, against one with a core',
        two.spansPerSecond,
        pinned.spansPerSecond,
      ),
      row('kafka: one instance, spans/s, against fetching and dropping', one.spansPerSecond, raw),
      row(
        'kafka: most memory of one instance, bytes, against that at a quarter of the way',
        one.rssMax,
        one.rssAtFirst,
      ),
    ],
    notes: [
      `${work.spans} spans in ${work.traces} turns, ${mib(work.bytes)}, all in the topic before the first was read`,
      ...pairs.flatMap((pair) => [
        described('one instance', pair.one),
        described('one machine, over OTLP', pair.alone),
      ]),
      described('one instance with one core', pinned),
      described('two instances with one core each', two),
      `fetch and drop: ${Math.round(raw)} spans/s`,
    ],
  };
}

function described(name: string, { spansPerSecond, cpuPerSpanUs, seconds, rssAtFirst, rssMax }: Measured): string {
  return `${name}: ${Math.round(spansPerSecond)} spans/s, ${cpuPerSpanUs.toFixed(1)} µs CPU of ours a span, ${seconds.toFixed(0)} s in all, memory ${mib(rssAtFirst)} at first, ${mib(rssMax)} at most`;
}

function mib(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}

/** It takes a quarter of an hour. */
function say(text: string): void {
  process.stderr.write(`  ${text}\n`);
}

/** The pair with the median ratio. */
function middleOf(pairs: readonly Pair[]): Pair {
  const ratio = ({ one, alone }: Pair) => one.spansPerSecond / alone.spansPerSecond;
  const middle = pairs.toSorted((a, b) => ratio(a) - ratio(b))[pairs.length >> 1];
  if (middle === undefined) throw new Error('bench kafka: no pair was measured');
  return middle;
}

/** Flushes earlier writes to the disk, so that the next measurement does not pay for them. */
async function quietDisk(): Promise<void> {
  execFileSync('sync');
  await sleep(1000);
}

function workOf(options: KafkaBenchOptions): Bytes {
  const { requests, spans, traces } = makeWorkload({
    seed: 1,
    traces: options.traces,
    spansPerRequest: 300,
    concurrent: 200,
  });
  let bytes = 0;
  const batches = requests.map((message) => {
    const index = indexTraces(message);
    const batch = { signal: 'traces' as const, bytes: index.bytes, table: encodeTable(index), rows: index.spanCount };
    return splitByTrace(batch, { bytesMax: 900_000 }).map(({ traceId, bytes: value }) => {
      bytes += value.length;
      return { key: String(traceId), value: Buffer.from(value) };
    });
  });
  return { batches, spans, traces, bytes };
}

async function fill(brokers: readonly string[], { batches }: Bytes): Promise<void> {
  const producer = new KafkajsProducer({ connection: { brokers } });
  for (const batch of batches) await producer.send(TOPIC, batch);
  await producer.stop();
}

/** Spans per second of the consumer alone. */
async function drop(brokers: readonly string[], partitions: number, { batches, spans }: Bytes): Promise<number> {
  const consumer = new KafkajsConsumer({ connection: { brokers }, group: 'drop', topics: [TOPIC] });
  const wanted = batches.reduce((sum, batch) => sum + batch.length, 0);
  let records = 0;
  let startedAt: number | undefined;
  const { promise, resolve } = Promise.withResolvers<void>();
  consumer.start({
    onAssigned: async ({ gained }) => {
      if (gained.length === partitions) startedAt = performance.now();
    },
    onLost: () => {},
    onRecords: async (_, found) => {
      records += found.length;
      if (records >= wanted) resolve();
    },
    onProblem: () => {},
  });
  await promise;
  const seconds = (performance.now() - (startedAt ?? 0)) / 1000;
  await consumer.stop();
  return spans / seconds;
}

async function measure(processes: readonly AssayProcess[], { spans, traces }: Bytes): Promise<Measured> {
  const looks: { readonly at: number; readonly turns: number; readonly cpu: number; readonly rss: number }[] = [];
  const startedAt = performance.now();
  for (let turns = 0; turns < traces; await sleep(LOOK_EVERY_MS)) {
    const judged = await Promise.all(processes.map(turnsJudged));
    turns = judged.reduce((sum, count) => sum + count, 0);
    const usage = processes.map(({ pid }) => usageOf(pid));
    looks.push({
      at: performance.now(),
      turns,
      cpu: usage.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
      rss: Math.max(...usage.map(({ rss }) => rss)),
    });
    if (performance.now() - startedAt > 1_200_000)
      throw new Error(`bench kafka: ${turns} of ${traces} turns after 20 minutes`);
  }
  await Promise.all(processes.map((process) => process.stop()));
  const first = looks.find(({ turns }) => turns >= traces * FROM);
  const last = looks.findLast(({ turns }) => turns <= traces * TO);
  if (first === undefined || last === undefined || last.at <= first.at) {
    throw new Error('bench kafka: too little work to measure; give more --traces');
  }
  const share = (last.turns - first.turns) / traces;
  return {
    spansPerSecond: (share * spans) / ((last.at - first.at) / 1000),
    cpuPerSpanUs: ((last.cpu - first.cpu) / (share * spans)) * 1e6,
    seconds: (performance.now() - startedAt) / 1000,
    rssAtFirst: first.rss,
    rssMax: Math.max(...looks.filter(({ at }) => at >= first.at).map(({ rss }) => rss)),
  };
}

async function turnsJudged({ http }: AssayProcess): Promise<number> {
  const text = await (await fetch(`${http}/metrics`)).text();
  let turns = 0;
  for (const found of text.matchAll(/^assay_turns_closed_total\{[^}]*fate="stored"\} (\d+)$/gm))
    turns += Number(found[1]);
  return turns;
}

const CLOCK_TICKS = 100;

function usageOf(pid: number): { readonly cpuSeconds: number; readonly rss: number } {
  // After the name, which may hold anything: fields 14 and 15 are user and system time, 24 the resident pages.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const cpuSeconds = (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS;
  return { cpuSeconds, rss: Number(fields[21]) * 4096 };
}

/** The same bytes over OTLP: consecutive records of a batch are one request. */
async function send({ otlpHttp }: AssayProcess, { batches }: Bytes): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let next = 0;
  const worker = async () => {
    for (let batch = batches[next++]; batch !== undefined; batch = batches[next++]) {
      const body = Buffer.concat(batch.map(({ value }) => value));
      while (!(await post(agent, `${otlpHttp}/v1/traces`, body))) await sleep(50);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  agent.destroy();
}

function post(agent: Agent, url: string, body: Buffer): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/x-protobuf', 'content-length': body.length };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode === 200));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
