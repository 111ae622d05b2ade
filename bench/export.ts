/**
 * npm run bench -- export [--json]
 *
 * The most memory that `assay export` takes for the evaluations of a large store, beside those of a smaller one in the
 * same run: real processes. It is flat if both take the same.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fillStore } from './filled-store.ts';
import type { BenchRow } from './row.ts';

const MAIN = path.resolve(import.meta.dirname, '../src/cli/main.ts');
const POLL_MS = 20;
const MEBIBYTE = 1 << 20;

export async function benchExport({ some, many }: { readonly some: number; readonly many: number }): Promise<{
  readonly rows: readonly BenchRow[];
  readonly notes: readonly string[];
}> {
  const directory = mkdtempSync(path.join(tmpdir(), 'assay-export-'));
  const [large, small] = [path.join(directory, 'large'), path.join(directory, 'small')];
  try {
    fillStore(path.join(large, 'assay.db'), many);
    fillStore(path.join(small, 'assay.db'), some);
    const rows: BenchRow[] = [];
    const notes: string[] = [];
    for (const format of ['parquet', 'jsonl']) {
      const ours = await exported(large, format);
      const reference = await exported(small, format);
      rows.push({
        name: `export: peak RSS for ${many} evaluations as ${format}, beside ${some} (MiB)`,
        ours: Math.round(ours.peakBytes / MEBIBYTE),
        reference: Math.round(reference.peakBytes / MEBIBYTE),
        ratio: Math.round((ours.peakBytes / reference.peakBytes) * 100) / 100,
      });
      notes.push(`${format}: ${(ours.bytes / MEBIBYTE).toFixed(1)} MiB in ${(ours.tookMs / 1000).toFixed(1)} s`);
    }
    return { rows, notes };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function exported(dataDir: string, format: string) {
  const out = path.join(dataDir, `evaluations.${format}`);
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [MAIN, 'export', '--table', 'evaluations', '--format', format, '--data-dir', dataDir, '--out', out],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  let peakBytes = 0;
  const timer = setInterval(() => {
    peakBytes = Math.max(peakBytes, peakOf(child.pid));
  }, POLL_MS);
  const [code] = await once(child, 'exit');
  clearInterval(timer);
  if (code !== 0) throw new Error(`assay export ended with ${code}`);
  return { peakBytes, tookMs: performance.now() - began, bytes: statSync(out).size };
}

/** 0 once it has ended. */
function peakOf(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
