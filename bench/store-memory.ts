/**
 * Memory of a service with a large store, compared with the same service with an empty one: a hundred thousand open
 * conversations and a year of evaluated ones must cost rows, not heap. Both are real processes that have just scored
 * the same spans.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Store } from '../src/store/sqlite/store.ts';
import { parseMetrics } from '../test/simulation/scraped-totals.ts';
import { freeListenPorts, startAssay } from '../test/simulation/process.ts';
import { exportRequest, traffic } from '../test/simulation/traffic.ts';
import type { BenchRow } from './row.ts';

export interface StoreMemoryOptions {
  readonly open: number;
  readonly evaluated: number;
  /** Conversations that each process scores before it is measured. */
  readonly scored: number;
}

export async function benchStoreMemory(
  options: StoreMemoryOptions,
): Promise<{ readonly rows: readonly BenchRow[]; readonly notes: readonly string[] }> {
  const empty = await rssWith({ ...options, open: 0, evaluated: 0 });
  const large = await rssWith(options);
  const ratio = Math.round((large.rss / empty.rss) * 1000) / 1000;
  return {
    rows: [
      {
        name: `RSS with ${options.open} open and ${options.evaluated} evaluated conversations (bytes; reference: an empty store)`,
        ours: large.rss,
        reference: empty.rss,
        ratio,
      },
    ],
    notes: [`database of ${Math.round(large.databaseBytes / 2 ** 20)} MiB`],
  };
}

async function rssWith(options: StoreMemoryOptions): Promise<{ readonly rss: number; readonly databaseBytes: number }> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'assay-store-memory-'));
  const file = path.join(dataDir, 'assay.db');
  if (options.open + options.evaluated > 0) fill(file, options);
  const assay = await startAssay({
    dataDir,
    ports: await freeListenPorts(),
    env: { ASSAY_TURN_SETTLE: '200ms' },
  });
  try {
    for (const { turns, agentVersion } of traffic({ seed: 1, conversations: options.scored, endMarks: 'all' })) {
      for (const turn of turns) {
        const response = await fetch(`${assay.otlpHttp}/v1/traces`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: exportRequest(turn, agentVersion),
        });
        await response.arrayBuffer();
      }
    }
    for (let pending = 1; pending > 0; ) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      const metrics = parseMetrics(await (await fetch(`${assay.http}/metrics`)).text());
      pending = (metrics.get('assay_open_turns') ?? 0) + (metrics.get('assay_scoring_queue_length') ?? 0);
    }
    // API requests read the store as well.
    for (const query of ['', '?outcome=hard_failure', '?criterion=answered', '?since=1h']) {
      await (await fetch(`${assay.http}/api/conversations${query}`)).arrayBuffer();
    }
    const status = readFileSync(`/proc/${assay.pid}/status`, 'utf8');
    const rss = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
    return { rss, databaseBytes: databaseBytes(file) };
  } finally {
    await assay.kill();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Rows as the service would have written them, without the spans, which lie in files. */
function fill(file: string, options: StoreMemoryOptions): void {
  Store.open(file).close();
  const database = new DatabaseSync(file);
  database.exec('PRAGMA synchronous = OFF; BEGIN');
  const now = Date.now();
  const due = now + 10 * 86_400_000;
  const conversation = database.prepare(
    `INSERT INTO conversations
       (conversation_id, agent, agent_version, environment, first_closed_at, last_closed_at, updated_at, turns, due_at, due_cause, revision)
     VALUES (?, 'agent', 'v1', 'production', ?, ?, ?, 1, ?, ?, ?)`,
  );
  for (let number = 0; number < options.open + options.evaluated; number += 1) {
    const isOpen = number < options.open;
    const at = now - Math.floor((number / (options.open + options.evaluated)) * 20 * 86_400_000);
    conversation.run(`filled-${number}`, at, at, at, isOpen ? due : null, isOpen ? 'idle' : null, isOpen ? 0 : 1);
  }
  database.exec('COMMIT');
  database.close();
}

function databaseBytes(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  const pages = Number(database.prepare('PRAGMA page_count').get()?.page_count ?? 0);
  const size = Number(database.prepare('PRAGMA page_size').get()?.page_size ?? 0);
  database.close();
  return pages * size;
}
