/**
 * The thread of one export. It has a connection of its own, never writes, and reads only when the main thread asks for
 * more: a slow client makes it wait.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { readerAt } from '../store-place/open-reader.ts';
import { yieldToOthers } from '../threads/yield-to-others.ts';
import type { ExportStart, FromExport, ToExport } from './export-protocol.ts';
import { exportedBytes } from './exported-bytes.ts';

/** Pieces are gathered to as many bytes, for as long at most. */
const PIECE_BYTES = 256 << 10;
const PIECE_MS = 2_000;

const port = parentPort;
if (port !== null) {
  const post = (message: FromExport, transfer: readonly ArrayBuffer[] = []) => port.postMessage(message, [...transfer]);
  // The casts hold because `exports.ts` is the only one that starts this thread and posts to it.
  const { store, suites, query } = workerData as ExportStart;
  yieldToOthers('the thread of an export');
  const reader = await readerAt(store);
  const pieces = exportedBytes({ reader, suites }, query);

  /** Empty where nothing was found in that time. */
  const gathered = async (): Promise<FromExport> => {
    const few: Uint8Array[] = [];
    let length = 0;
    const until = performance.now() + PIECE_MS;
    for (;;) {
      const { done, value } = await pieces.next();
      if (done === true) break;
      few.push(value);
      length += value.length;
      if (length >= PIECE_BYTES || performance.now() > until)
        return { type: 'bytes', bytes: Uint8Array.from(Buffer.concat(few)) };
    }
    return length === 0 ? { type: 'end' } : { type: 'bytes', bytes: Uint8Array.from(Buffer.concat(few)) };
  };

  port.on('message', (_more: ToExport) => {
    gathered()
      .then(async (message) => {
        if (message.type === 'bytes') {
          post(message, [message.bytes.buffer]);
          return;
        }
        post(message);
        port.close();
        await reader.close();
      })
      .catch((error: unknown) => {
        post({ type: 'failed', error: error instanceof Error ? error.message : String(error) });
      });
  });
}
