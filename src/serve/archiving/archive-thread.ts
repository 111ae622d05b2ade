/** The thread of the archive. It reads the store with a connection of its own, and does one call at a time. */
import { parentPort, workerData } from 'node:worker_threads';
import { openObjectStore } from '../../archive/open-object-store.ts';
import { readerAt } from '../store-place/open-reader.ts';
import { yieldToOthers } from '../threads/yield-to-others.ts';
import type { ArchiveCall, ArchiveStart, FromArchive } from './archive-protocol.ts';
import { ArchiveWork } from './archive-work.ts';

const port = parentPort;
if (port !== null) {
  // The casts hold because `archive-side.ts` is the only one that starts this thread and posts to it.
  const { store, url, idKeys } = workerData as ArchiveStart;
  yieldToOthers('the thread of the archive');
  const work = new ArchiveWork({ reader: await readerAt(store), objects: openObjectStore(url), idKeys });
  port.on('message', ({ name, given }: ArchiveCall) => {
    const method = work[name].bind(work) as (...all: readonly unknown[]) => Promise<unknown>;
    const post = (message: FromArchive) => port.postMessage(message);
    method(...given)
      .then((result) => post({ is: 'done', result }))
      .catch((error: unknown) => post({ is: 'failed', error: error instanceof Error ? error.message : String(error) }));
  });
}
