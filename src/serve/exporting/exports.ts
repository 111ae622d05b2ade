/**
 * Exports for clients: each has a thread of its own, which reads no further than its client takes.
 *
 *   too many at once        429
 *   the first piece fails   500, because nothing was sent yet
 *   a later piece fails     the connection is broken off, and the thread ended
 *   a client takes nothing  likewise, after a minute
 *
 * A broken connection is how a client learns that the answer is not whole: the status was sent long before.
 */
import type { ServerResponse } from 'node:http';
import type { Worker } from 'node:worker_threads';
import type { SuiteOutline } from '../../engine/suite-outline.ts';
import type { ExportQuery } from '../../api/export.ts';
import type { ReadingEvent } from '../../model/events/reading-events.ts';
import { RETRY_AFTER_SECONDS } from '../../model/retry-after.ts';
import { startThread } from '../../model/start-thread.ts';
import { type Answer, jsonAnswer } from '../../report/http/answer.ts';
import type { StorePlace } from '../store-place/open-reader.ts';
import type { ExportStart, FromExport, ToExport } from './export-protocol.ts';

const EXPORTS_MAX = 2;
const TAKEN_WITHIN_MS = 60_000;
/** A store that is away is asked again for a minute. */
const PIECE_WITHIN_MS = 120_000;
const HEAP_MIB_MAX = 512;

export const EXPORT_PATH = '/api/v1/export';
const TYPES = { jsonl: 'application/jsonl', parquet: 'application/vnd.apache.parquet' } as const;

interface ExportNeeds {
  readonly store: StorePlace;
  /** Suites that run, live or in shadow. */
  readonly suites: () => readonly SuiteOutline[];
  readonly onEvent: (event: ReadingEvent) => void;
  /** In place of the thread. */
  readonly start?: (start: ExportStart) => ExportSide;
}

/** A running export, as the main thread sees it. */
export interface ExportSide {
  /** Rejects once it cannot go on. */
  more(): Promise<Exclude<FromExport, { readonly type: 'failed' }>>;
  /** May be called at any time, and twice. */
  end(): void;
}

export class Exports {
  readonly #needs: ExportNeeds;
  readonly #running = new Set<ExportSide>();
  #isStopped = false;

  constructor(needs: ExportNeeds) {
    this.#needs = needs;
  }

  /** The head alone for a client that asks for no more. */
  async answer(query: ExportQuery, asked: { readonly isHead: boolean; readonly signal: AbortSignal }): Promise<Answer> {
    const head = {
      status: 200,
      type: TYPES[query.format],
      headers: { 'content-disposition': `attachment; filename="${query.table}.${query.format}"` },
      body: '',
    };
    if (asked.isHead) return head;
    const { store, suites, onEvent, start = startExport } = this.#needs;
    if (this.#isStopped || this.#running.size >= EXPORTS_MAX) {
      onEvent({ type: 'read-refused', because: this.#isStopped ? 'stopping' : 'queue_full' });
      const error = this.#isStopped ? 'this instance is stopping' : `${EXPORTS_MAX} exports are running already`;
      return jsonAnswer(this.#isStopped ? 503 : 429, { error }, { 'retry-after': String(RETRY_AFTER_SECONDS) });
    }
    const began = performance.now();
    const side = start({ store, suites: suites(), query });
    this.#running.add(side);
    const report = (status: number) =>
      onEvent({ type: 'store-read', route: EXPORT_PATH, status, tookMs: performance.now() - began });
    try {
      const first = await side.more();
      asked.signal.throwIfAborted();
      report(200);
      return {
        ...head,
        stream: (response) => void this.#send(response, side, first),
        onGone: () => this.#end(side),
      };
    } catch (error) {
      this.#end(side);
      report(500);
      throw error;
    }
  }

  /** Breaks off those that run. */
  stop(): void {
    this.#isStopped = true;
    for (const side of this.#running) this.#end(side);
  }

  /** Never rejects. */
  async #send(
    response: ServerResponse,
    side: ExportSide,
    first: Awaited<ReturnType<ExportSide['more']>>,
  ): Promise<void> {
    response.once('close', () => this.#end(side));
    try {
      for (let piece = first; piece.type === 'bytes'; piece = await side.more()) {
        await written(response, piece.bytes);
        if (response.destroyed) return;
      }
      response.end();
    } catch {
      response.destroy();
    } finally {
      this.#end(side);
    }
  }

  #end(side: ExportSide): void {
    side.end();
    this.#running.delete(side);
  }
}

/** Starts the thread of an export. */
function startExport(workerData: ExportStart): ExportSide {
  const worker: Worker = startThread(
    { module: 'export-thread', from: import.meta.url },
    { workerData, resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB_MAX } },
  );
  let waiting: PromiseWithResolvers<FromExport> | undefined;
  let failure: Error | undefined;
  const fail = (error: Error) => {
    failure ??= error;
    waiting?.reject(failure);
  };
  worker.on('message', (message: FromExport) => waiting?.resolve(message));
  worker.on('error', fail);
  worker.on('exit', () => fail(new Error('the thread of the export has ended')));
  return {
    more: async () => {
      if (failure !== undefined) throw failure;
      waiting = Promise.withResolvers();
      const deadline = setTimeout(() => fail(new Error('the store could not be read')), PIECE_WITHIN_MS);
      try {
        worker.postMessage({ type: 'more' } satisfies ToExport);
        const message = await waiting.promise;
        if (message.type === 'failed') throw new Error(message.error);
        return message;
      } finally {
        clearTimeout(deadline);
        waiting = undefined;
      }
    },
    // A thread that only reads may be ended in the middle.
    end: () => void worker.terminate(),
  };
}

/** Resolves once the client has taken most of it, or has gone. */
async function written(response: ServerResponse, body: Uint8Array): Promise<void> {
  if (body.length === 0 || response.destroyed || response.write(body)) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => response.destroy(), TAKEN_WITHIN_MS);
  response.once('drain', resolve);
  response.once('close', resolve);
  await promise;
  clearTimeout(timer);
  response.off('drain', resolve);
  response.off('close', resolve);
}
