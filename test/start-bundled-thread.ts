/** In tests, in the place of `src/model/start-thread.ts` (`bundled-threads.ts`). */
import { existsSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { startThread as startAnyThread, type ThreadModule } from '../src/model/start-thread.ts';

export type { ThreadModule };

export function startThread(thread: ThreadModule, options: Parameters<typeof startAnyThread>[1]): Worker {
  const { BUNDLED_THREADS: from = '' } = process.env;
  const module = thread.module.replace(/^.*\//, '');
  const isBundled = from !== '' && existsSync(new URL(`${module}.js`, from));
  return startAnyThread(isBundled ? { module, from: `${from}main.js` } : thread, options);
}
