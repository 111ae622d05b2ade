/**
 * The relay's end of the archive's thread: starts it when it is needed, and another one when it has died. Calls follow
 * one another.
 */
import type { Worker } from 'node:worker_threads';
import { startThread } from '../../model/start-thread.ts';
import type { ArchiveCall, ArchiveCalls, ArchiveStart, FromArchive } from './archive-protocol.ts';

/** A batch takes 32 MiB of content, beside its rows and files. */
const HEAP_MIB_MAX = 512;

export interface ArchiveSide extends ArchiveCalls {
  /** Ends what goes on, which rejects. Another call starts again. */
  end(): void;
}

export function archiveSideOf(workerData: ArchiveStart): ArchiveSide {
  let worker: Worker | undefined;
  let waiting: PromiseWithResolvers<unknown> | undefined;
  const gone = (one: Worker, error: Error) => {
    if (worker === one) worker = undefined;
    waiting?.reject(error);
  };
  const started = () => {
    const one = startThread(
      { module: 'archive-thread', from: import.meta.url },
      { workerData, resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB_MAX } },
    );
    one.on('message', (message: FromArchive) => {
      if (message.is === 'done') waiting?.resolve(message.result);
      else waiting?.reject(new Error(message.error));
    });
    one.on('error', (error) => gone(one, error instanceof Error ? error : new Error(String(error))));
    one.on('exit', () => gone(one, new Error('the thread of the archive has ended')));
    return one;
  };
  const call = async (asked: ArchiveCall): Promise<unknown> => {
    worker ??= started();
    waiting = Promise.withResolvers();
    try {
      worker.postMessage(asked);
      return await waiting.promise;
    } finally {
      waiting = undefined;
    }
  };
  const method =
    <Name extends keyof ArchiveCalls>(name: Name) =>
    // The casts hold because the thread answers with the result of the method of this name.
    (...given: Parameters<ArchiveCalls[Name]>) =>
      call({ name, given } as ArchiveCall) as ReturnType<ArchiveCalls[Name]>;
  return {
    build: method('build'),
    put: method('put'),
    places: method('places'),
    keysOf: method('keysOf'),
    forget: method('forget'),
    search: method('search'),
    end: () => {
      const ending = worker;
      worker = undefined;
      // Not awaited: it only reads the store, and an object that is not whole is written again.
      void ending?.terminate();
      waiting?.reject(new Error('the archive is stopping'));
    },
  };
}
