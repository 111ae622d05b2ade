/**
 * npm run bench -- start [--conversations 1000000] [--json]
 *
 * CPU that the service takes with a large store until it is ready, and until its first scrape has been answered, beside
 * the same with a small store in the same run: real processes, all their threads. The first start of each store is not
 * counted, because it does what is done once (marks, migrations). Starts alternate.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freeListenPorts, startAssay } from '../test/simulation/process.ts';
import { fillStore } from './filled-store.ts';
import { cpuSeconds } from './process-cpu.ts';
import type { BenchRow } from './row.ts';

interface StartOptions {
  readonly conversations: number;
  readonly rounds: number;
}

const SMALL = 1_000;
const POLL_MS = 20;
const POINTS = ['until it is ready', 'until the first scrape'] as const;

export async function benchStart({ conversations, rounds }: StartOptions): Promise<{
  readonly rows: readonly BenchRow[];
  readonly notes: readonly string[];
}> {
  const directory = mkdtempSync(path.join(tmpdir(), 'assay-start-'));
  const [large, small] = [path.join(directory, 'large'), path.join(directory, 'small')];
  try {
    fillStore(path.join(large, 'assay.db'), conversations);
    fillStore(path.join(small, 'assay.db'), Math.min(SMALL, conversations));
    const starts = { large: [await started(large)], small: [await started(small)] };
    for (let round = 0; round < rounds; round += 1) {
      starts.large.push(await started(large));
      starts.small.push(await started(small));
    }
    const rows = POINTS.map((point, at) => {
      const [ours, reference] = [starts.large, starts.small].map((all) =>
        median(all.slice(1).map(({ cpu }) => cpu[at] ?? Number.NaN)),
      );
      return {
        name: `start: CPU with ${conversations} conversations ${point}, beside ${Math.min(SMALL, conversations)} (ms)`,
        ours: Math.round((ours ?? Number.NaN) * 1000),
        reference: Math.round((reference ?? Number.NaN) * 1000),
        ratio: Math.round(((ours ?? Number.NaN) / (reference ?? Number.NaN)) * 100) / 100,
      };
    });
    const first = starts.large[0];
    return {
      rows,
      notes: [
        `medians of ${rounds} starts; the first start with the large store took ${Math.round((first?.cpu[0] ?? 0) * 1000)} ms of CPU until it was ready`,
        `slowest start with the large store ${Math.round(Math.max(...starts.large.map(({ wallMs }) => wallMs)))} ms of wall time, with the small one ${Math.round(Math.max(...starts.small.map(({ wallMs }) => wallMs)))} ms`,
      ],
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** CPU in seconds, at each of the points. */
async function started(dataDir: string): Promise<{ readonly cpu: readonly number[]; readonly wallMs: number }> {
  const before = performance.now();
  const assay = await startAssay({ dataDir, ports: await freeListenPorts() });
  try {
    while ((await fetch(`${assay.http}/readyz`)).status !== 200) await pause(POLL_MS);
    const cpu = [cpuSeconds(assay.pid)];
    const wallMs = performance.now() - before;
    await (await fetch(`${assay.http}/metrics`)).arrayBuffer();
    cpu.push(cpuSeconds(assay.pid));
    return { cpu, wallMs };
  } finally {
    await assay.stop();
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
