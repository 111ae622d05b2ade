/**
 * npm run bench -- service [--json] [--traces 9000]
 *
 * CPU that a span costs in the real service, beside a Collector that writes the same bytes to a file: OTLP over HTTP
 * (protobuf, gzip), eight exporters, default suites, detection on, default settings except for a shorter settle time. All
 * threads of a process count. Phases alternate, so that a disturbance of the machine affects both, and
 * a phase of Assay ends when all of its turns are scored and stored. The first phase of each warms up. Afterwards Assay gets
 * 30 % of what it took, for the time that a turn waits to be scored.
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { type Collector, collectorBinary, startCollector } from '../test/outside/collector.ts';
import { type AssayProcess, freeListenPorts, startAssay } from '../test/simulation/process.ts';
import { parseMetrics } from '../test/simulation/scraped-totals.ts';
import { cpuSeconds } from './process-cpu.ts';
import type { BenchRow } from './row.ts';
import { measureLag } from './service-lag.ts';
import { type Load, makeLoad, type Workload } from './workload.ts';

interface ServiceBenchOptions {
  /** A phase. */
  readonly traces: number;
  readonly rounds: number;
}

const LOADS = ['plain', 'hard'] as const;
/** The Collector's own form, and the one that costs it less. */
const FORMATS = ['json', 'proto'] as const;
const EXPORTERS = 8;
const RETRY_MS = 200;
const POLL_MS = 500;
const SCORED_WITHIN_MS = 300_000;
/** By default ten seconds, which every phase would wait for. */
const CONVERSATION_IDLE_MS = 5_000;
const SETTLE_MS = 2_000;
const TIMES = { ASSAY_TURN_SETTLE: `${SETTLE_MS}ms`, ASSAY_CONVERSATION_IDLE: `${CONVERSATION_IDLE_MS}ms` };
/** Share of what it takes at most, while it is measured how long turns wait. */
const QUIET_SHARE = 0.3;

export async function benchService({ traces, rounds }: ServiceBenchOptions): Promise<{
  readonly rows: readonly BenchRow[];
  readonly notes: readonly string[];
}> {
  // Built once, before two of them are started.
  await collectorBinary();
  const rows: BenchRow[] = [];
  const notes: string[] = [];
  for (const load of LOADS) {
    const measured = await measure(load, traces, rounds);
    for (const format of FORMATS) {
      const [ours, reference] = [measured.assay.cpu, measured[format].cpu].map(
        (seconds) => (seconds / measured.spans) * 1e6,
      );
      rows.push({
        name: `service, ${load} load: CPU of a span beside a Collector that writes ${format} to a file (µs)`,
        ours: round(ours),
        reference: round(reference),
        ratio: round((ours ?? 0) / (reference ?? 1), 100),
      });
    }
    notes.push(
      `${load}: ${measured.spans} spans, ${Math.round(measured.bytes / measured.spans)} bytes a span; written for each byte received: ${round(measured.assay.written / measured.bytes, 100)}, by the Collector ${round(measured.json.written / measured.bytes, 100)} (json), ${round(measured.proto.written / measured.bytes, 100)} (proto)`,
      `${load}: takes ${Math.round(measured.spansPerSecond)} spans/s; at ${QUIET_SHARE * 100} % of that a turn is stored ${measured.lag.p50} ms after it has settled (median of ${measured.lag.turns}), p99 ${measured.lag.p99} ms`,
    );
  }
  return { rows, notes };
}

interface Spent {
  /** Seconds of all threads. */
  cpu: number;
  /** Bytes. */
  written: number;
}

async function measure(load: Load, traces: number, rounds: number) {
  const directory = mkdtempSync(path.join(tmpdir(), 'assay-service-'));
  const collectors = await Promise.all(FORMATS.map((format) => startWriter(directory, format)));
  const assay = await startAssay({ dataDir: path.join(directory, 'data'), ports: await freeListenPorts(), env: TIMES });
  const exporters = new Agent({ keepAlive: true, maxSockets: EXPORTERS });
  const total = {
    spans: 0,
    bytes: 0,
    assay: { cpu: 0, written: 0 },
    json: { cpu: 0, written: 0 },
    proto: { cpu: 0, written: 0 },
  };
  let [sent, wallMs] = [0, 0];
  try {
    for (let phase = 0; phase <= rounds; phase += 1) {
      const workload = makeLoad(load, { seed: phase + 1, traces });
      const bodies = workload.requests.map((bytes) => gzipSync(bytes));
      sent += traces;
      const spent = {
        assay: await spentBy(assay.pid, async () => {
          const startedAt = performance.now();
          await sendAll(assay.otlpHttp, bodies, exporters);
          const scored = await untilScored(assay, sent);
          if (phase > 0) wallMs += scored.at - startedAt - SETTLE_MS;
          return scored.answered;
        }),
        json: await written(collectors[0], bodies, exporters),
        proto: await written(collectors[1], bodies, exporters),
      };
      if (phase > 0) add(total, workload, spent);
    }
    const spansPerSecond = (total.spans / wallMs) * 1000;
    const lag = await measureLag(makeLoad(load, { seed: rounds + 2, traces }), {
      storeFile: path.join(directory, 'data', 'assay.db'),
      spansPerSecond: spansPerSecond * QUIET_SHARE,
      settleMs: SETTLE_MS,
      send: (bytes) => sendAll(assay.otlpHttp, [gzipSync(bytes)], exporters),
    });
    return { ...total, spansPerSecond, lag };
  } finally {
    exporters.destroy();
    await assay.kill();
    for (const { collector } of collectors) await collector.kill();
    rmSync(directory, { recursive: true, force: true });
  }
}

function add(
  total: { spans: number; bytes: number } & Record<'assay' | (typeof FORMATS)[number], Spent>,
  workload: Workload,
  spent: Readonly<Record<'assay' | (typeof FORMATS)[number], Spent>>,
): void {
  total.spans += workload.spans;
  total.bytes += workload.bytes;
  for (const who of ['assay', ...FORMATS] as const) {
    total[who].cpu += spent[who].cpu;
    total[who].written += spent[who].written;
  }
}

interface Writer {
  readonly collector: Collector;
  readonly file: string;
}

async function startWriter(directory: string, format: (typeof FORMATS)[number]): Promise<Writer> {
  const file = path.join(directory, `spans.${format}`);
  const configFile = path.join(directory, `${format}.yaml`);
  writeFileSync(
    configFile,
    `receivers: { otlp: { protocols: { http: { endpoint: "\${env:OTLP_HTTP_ENDPOINT}" } } } }
exporters: { file: { path: ${JSON.stringify(file)}, format: ${format} } }
service: { pipelines: { traces: { receivers: [otlp], exporters: [file] } } }
`,
  );
  return { collector: await startCollector({ configFile, env: {} }), file };
}

async function written(writer: Writer | undefined, bodies: readonly Uint8Array[], exporters: Agent): Promise<Spent> {
  if (writer === undefined) throw new Error('there is no Collector');
  const { collector, file } = writer;
  return spentBy(collector.pid, async () => {
    await sendAll(collector.otlpHttp, bodies, exporters);
    // It flushes within a second.
    for (let size = -1; size !== statSync(file).size; ) {
      size = statSync(file).size;
      await pause(1_500);
    }
    return 0;
  });
}

/** `work` gives the bytes that were written to it, and to no file. */
async function spentBy(pid: number, work: () => Promise<number>): Promise<Spent> {
  const before = usageOf(pid);
  const answered = await work();
  const after = usageOf(pid);
  return { cpu: after.cpu - before.cpu, written: after.written - before.written - answered };
}

function usageOf(pid: number): Spent {
  // As handed over: `write_bytes` counts whole folios of the page cache, up to megabytes for a record of kilobytes.
  const writes = /^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1];
  return { cpu: cpuSeconds(pid), written: Number(writes ?? 0) };
}

async function sendAll(url: string, bodies: readonly Uint8Array[], exporters: Agent): Promise<void> {
  let next = 0;
  const send = async () => {
    for (let body = bodies[next++]; body !== undefined; body = bodies[next++]) {
      while ((await post(`${url}/v1/traces`, body, exporters)) !== 200) await pause(RETRY_MS);
    }
  };
  await Promise.all(Array.from({ length: EXPORTERS }, send));
}

/** The status of the answer, once all of it has been taken. */
function post(url: string, body: Uint8Array, agent: Agent): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' };
  const sending = request(url, { agent, method: 'POST', headers }, (response) => {
    response.resume();
    response.on('end', () => resolve(response.statusCode ?? 0));
    response.on('error', reject);
  });
  sending.on('error', reject);
  sending.end(body);
  return promise;
}

/** The conversations of the phase are scored, too. Gives the bytes of the answers, which are no spans written. */
async function untilScored(
  { http }: AssayProcess,
  turns: number,
): Promise<{ readonly at: number; readonly answered: number }> {
  let answered = 0;
  for (const deadline = Date.now() + SCORED_WITHIN_MS; ; await pause(POLL_MS)) {
    const text = await (await fetch(`${http}/metrics`)).text();
    answered += Buffer.byteLength(text);
    const scored = parseMetrics(text).get('assay_turns_scored_total') ?? 0;
    if (scored >= turns) {
      const at = performance.now();
      // Then their conversations are due, and end.
      await pause(CONVERSATION_IDLE_MS + POLL_MS);
      return { at, answered };
    }
    if (Date.now() > deadline) throw new Error(`${turns} turns were not scored within ${SCORED_WITHIN_MS / 1000} s`);
  }
}

function round(value: number | undefined, by = 10): number {
  return Math.round((value ?? Number.NaN) * by) / by;
}
