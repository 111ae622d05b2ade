/**
 * Memory of open turns: the memory of a process that holds many of them, compared with the bytes of their spans. The
 * turns are built in a separate process, with a real journal, so that nothing else is counted.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { BenchRow } from './row.ts';

export async function benchMemory(options: {
  readonly turns: number;
}): Promise<{ readonly rows: readonly BenchRow[]; readonly notes: readonly string[] }> {
  const child = spawn(
    process.execPath,
    ['--expose-gc', new URL('./memory-child.ts', import.meta.url).pathname, String(options.turns)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    out += chunk;
  });
  await once(child, 'close');
  // The cast holds for the child's output.
  const { rssBytes, wireBytes, spans } = JSON.parse(out) as { rssBytes: number; wireBytes: number; spans: number };
  const ratio = Math.round((rssBytes / wireBytes) * 1000) / 1000;
  return {
    rows: [
      {
        name: `memory of ${options.turns} open turns (bytes of RSS; reference: bytes on the wire)`,
        ours: rssBytes,
        reference: wireBytes,
        ratio,
      },
    ],
    notes: [`${spans} spans open, ${Math.round(rssBytes / options.turns)} bytes of RSS a turn`],
  };
}
