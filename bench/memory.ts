/**
 * Memory of open turns: the memory of a process that holds many of them, compared with the bytes of their spans. Also
 * how long the thread stops when all of them close at one jump of time, and how long a start takes that finds them in
 * the journal. Each is a process of its own, so that nothing else is counted.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { BenchRow } from './row.ts';

interface Held {
  readonly held: number;
  readonly bytes: number;
  readonly wireBytes: number;
  readonly spans: number;
  readonly stopMs: number;
  readonly tookMs: number;
}

interface Restarted {
  readonly held: number;
  readonly liveBytes: number;
  readonly peakBytes: number;
  readonly openedMs: number;
  readonly stopMs: number;
  readonly tookMs: number;
}

/** A client notices a stop of this length. */
const STOP_MS_MAX = 100;

export async function benchMemory(options: {
  readonly some: number;
  readonly many: number;
}): Promise<{ readonly rows: readonly BenchRow[]; readonly notes: readonly string[] }> {
  // The casts hold for the child's output.
  const some = (await child(options.some, 'hold')) as Held;
  const many = (await child(options.many, 'hold')) as Held;
  const directory = mkdtempSync(path.join(tmpdir(), 'assay-memory-'));
  await child(options.many, 'write', directory);
  const restarted = (await child(options.many, 'restart', directory)) as Restarted;
  rmSync(directory, { recursive: true, force: true });
  const row = (name: string, ours: number, reference: number): BenchRow => ({
    ...{ name, ours: Math.round(ours), reference: Math.round(reference) },
    ratio: Math.round((ours / reference) * 1000) / 1000,
  });
  const memory = ({ bytes, wireBytes }: Held, turns: number) =>
    row(`memory of ${turns} open turns (bytes; reference: bytes on the wire)`, bytes, wireBytes);
  return {
    rows: [
      memory(some, options.some),
      memory(many, options.many),
      row(
        `longest stop while ${many.held} open turns close at one jump of time (ms; reference: what a client notices)`,
        many.stopMs,
        STOP_MS_MAX,
      ),
      row(
        `start with ${restarted.held} open turns in the journal (ms; reference: reading the journal without them)`,
        restarted.openedMs + restarted.tookMs,
        restarted.openedMs,
      ),
    ],
    notes: [
      ...[some, many].map(
        ({ held, spans, bytes }) => `${held} turns, ${spans} spans open: ${Math.round(bytes / held)} bytes a turn`,
      ),
      `closing ${many.held} turns took ${Math.round(many.tookMs)} ms`,
      `after the start ${mib(restarted.liveBytes)} MiB for the open turns, RSS at the peak ${mib(restarted.peakBytes)} MiB; longest stop ${Math.round(restarted.stopMs)} ms`,
    ],
  };
}

function mib(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}

async function child(turns: number, mode: 'hold' | 'write' | 'restart', directory = tmpdir()): Promise<unknown> {
  const file = new URL('./memory-child.ts', import.meta.url).pathname;
  const started = spawn(process.execPath, ['--expose-gc', file, String(turns), mode, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  started.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    out += chunk;
  });
  await once(started, 'close');
  return JSON.parse(out);
}
