/**
 * npm run bench -- readers [--json]
 *
 * Latency of OTLP requests at full ingestion while 16 clients read pages of a thousand conversations in a loop, beside
 * the same without them, in one run: a real service and real HTTP. Phases alternate, so that a disturbance of the machine
 * affects both.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freeListenPorts, startAssay } from '../test/simulation/process.ts';
import { parseMetrics } from '../test/simulation/scraped-totals.ts';
import { fillStore } from './filled-store.ts';
import type { BenchRow } from './row.ts';
import { makeWorkload } from './workload.ts';

interface ReadersOptions {
  readonly conversations: number;
  readonly traces: number;
  readonly phases: number;
  readonly phaseMs: number;
}

const READERS = 16;
/** Exporters that send one request after the other. */
const SENDERS = 4;
/** A client that was told to wait does so. */
const RETRY_MS = 1000;

export async function benchReaders(options: ReadersOptions): Promise<{
  readonly rows: readonly BenchRow[];
  readonly notes: readonly string[];
}> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'assay-readers-'));
  fillStore(path.join(dataDir, 'assay.db'), options.conversations);
  const { requests } = makeWorkload({ seed: 1, traces: options.traces, spansPerRequest: 100, concurrent: 50 });
  const assay = await startAssay({ dataDir, ports: await freeListenPorts() });
  const senders = new Agent({ keepAlive: true, maxSockets: SENDERS });
  const readers = new Agent({ keepAlive: true, maxSockets: READERS });
  const alone: number[] = [];
  const beside: number[] = [];
  const read = new Map<number, number>();
  let sent = 0;
  /** Sends until the time is over. */
  const phase = async (latencies: number[]) => {
    const until = performance.now() + options.phaseMs;
    const send = async () => {
      while (performance.now() < until) {
        const body = requests[sent % requests.length];
        sent += 1;
        const before = performance.now();
        const status = await exchange(`${assay.otlpHttp}/v1/traces`, senders, body);
        if (status === 200) latencies.push(performance.now() - before);
        else await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, send));
  };
  const readUntil = async (stopped: AbortSignal) => {
    while (!stopped.aborted) {
      const status = await exchange(`${assay.http}/api/conversations?limit=1000`, readers);
      read.set(status, (read.get(status) ?? 0) + 1);
      if (status !== 200) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  };
  try {
    await phase([]);
    for (let turn = 0; turn < options.phases; turn += 1) {
      await phase(alone);
      const stop = new AbortController();
      const reading = Array.from({ length: READERS }, () => readUntil(stop.signal));
      await phase(beside);
      stop.abort();
      await Promise.all(reading);
    }
    const metrics = parseMetrics(await (await fetch(`${assay.http}/metrics`)).text());
    const restarts = [...metrics].filter(([name]) => name.startsWith('assay_failures_total{part="reading"'));
    const rows = ([0.5, 0.99] as const).map((share) => {
      const [ours, reference] = [quantile(beside, share), quantile(alone, share)];
      const ratio = Math.round((ours / reference) * 100) / 100;
      return { name: `readers: OTLP p${share * 100} beside ${READERS} readers (ms)`, ours, reference, ratio };
    });
    return {
      rows,
      notes: [
        `${options.conversations} conversations in the store; ${beside.length} requests beside readers, ${alone.length} without`,
        `reads by status: ${JSON.stringify(Object.fromEntries(read))}; reading threads replaced: ${restarts.reduce((sum, [, value]) => sum + value, 0)}`,
      ],
    };
  } finally {
    senders.destroy();
    readers.destroy();
    await assay.kill();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** The status of the answer, once all of it has been taken. */
function exchange(url: string, agent: Agent, body?: Uint8Array): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const options =
    body === undefined ? { agent } : { agent, method: 'POST', headers: { 'content-type': 'application/x-protobuf' } };
  const sending = request(url, options, (response) => {
    response.resume();
    response.on('end', () => resolve(response.statusCode ?? 0));
    response.on('error', reject);
  });
  sending.on('error', reject);
  sending.end(body);
  return promise;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round((sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN) * 10) / 10;
}
