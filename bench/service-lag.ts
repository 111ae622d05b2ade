/**
 * How long after the end of a turn its evaluation is stored, beyond the settle time, while the service gets a part of what
 * it can take. Requests are sent evenly; a turn counts from when the request with its last span was sent, and until a
 * reader of the store sees its row, which is written in the same transaction as its evaluations.
 */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { encodeTable } from '../src/otlp/batch-table.ts';
import { indexTraces } from '../src/otlp/traces-reader.ts';
import { traceIdsIn } from '../src/engine/intake.ts';
import type { Workload } from './workload.ts';

interface LagOptions {
  readonly storeFile: string;
  readonly spansPerSecond: number;
  readonly settleMs: number;
  /** Resolves when the request was taken. */
  send(request: Uint8Array): Promise<void>;
}

interface Lag {
  readonly turns: number;
  readonly p50: number;
  readonly p99: number;
}

const LOOK_EVERY_MS = 10;
const STORED_WITHIN_MS = 60_000;

export async function measureLag({ requests }: Workload, options: LagOptions): Promise<Lag> {
  const { spansPerSecond, settleMs } = options;
  const understood = requests.map((bytes) => {
    const index = indexTraces(bytes);
    return { bytes, spans: index.spanCount, traceIds: traceIdsIn(encodeTable(index)) };
  });
  const sentAt = new Map<string, number>();
  const storedAt = new Map<string, number>();
  const database = new DatabaseSync(options.storeFile, { readOnly: true });
  try {
    const next = database.prepare('SELECT id, trace_id FROM traces WHERE id > ? ORDER BY id');
    let last = Number(database.prepare('SELECT max(id) AS id FROM traces').get()?.id ?? 0);
    const look = () => {
      const now = performance.now();
      for (const { id, trace_id: traceId } of next.all(last)) {
        last = Number(id);
        storedAt.set(Buffer.from(traceId as Uint8Array).toString('hex'), now);
      }
    };
    const sending: Promise<void>[] = [];
    const startedAt = performance.now();
    let spans = 0;
    for (const request of understood) {
      while (performance.now() < startedAt + (spans / spansPerSecond) * 1000) {
        await pause(LOOK_EVERY_MS);
        look();
      }
      spans += request.spans;
      for (const traceId of request.traceIds) sentAt.set(traceId, performance.now());
      sending.push(options.send(request.bytes));
    }
    await Promise.all(sending);
    for (const deadline = Date.now() + STORED_WITHIN_MS; storedAt.size < sentAt.size; look()) {
      if (Date.now() > deadline) throw new Error(`${sentAt.size - storedAt.size} turns were not stored`);
      await pause(LOOK_EVERY_MS);
    }
  } finally {
    database.close();
  }
  const lags = [...sentAt].map(([traceId, at]) => (storedAt.get(traceId) ?? Number.NaN) - at - settleMs);
  lags.sort((a, b) => a - b);
  const at = (share: number) => Math.round(lags[Math.floor(lags.length * share)] ?? Number.NaN);
  return { turns: lags.length, p50: at(0.5), p99: at(0.99) };
}
