/**
 * Starts a thread. Its module is a source in a clone, compiled in a package. A thread
 * compiles what it loads by itself, so it is told where the process keeps what was compiled (`bin/assay.mjs`).
 */
import { getCompileCacheDir } from 'node:module';
import { Worker, type WorkerOptions } from 'node:worker_threads';

export interface ThreadModule {
  /** A path from the caller, without its suffix. */
  readonly module: string;
  /** The caller's `import.meta.url`. */
  readonly from: string;
}

export function startThread(
  { module, from }: ThreadModule,
  options: Pick<WorkerOptions, 'workerData' | 'resourceLimits'>,
): Worker {
  const suffix = from.endsWith('.ts') ? 'ts' : 'js';
  const folder = getCompileCacheDir();
  return new Worker(new URL(`./${module}.${suffix}`, from), {
    ...options,
    ...(folder !== undefined && { env: { ...process.env, NODE_COMPILE_CACHE: folder } }),
  });
}
