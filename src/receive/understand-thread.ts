/** The thread on which large requests are read; see request-reading.ts. */
import { parentPort } from 'node:worker_threads';
import type { FromThread, ToThread } from './request-reading.ts';
import { understandRequest } from './understand-request.ts';

parentPort?.on('message', ({ id, body }: ToThread) => {
  const understood = understandRequest(body);
  const answer: FromThread = { id, understood };
  // Handed over rather than copied: what is large here is in memory of its own.
  const memory =
    'batch' in understood ? new Set([understood.batch.bytes.buffer, understood.batch.table.buffer]) : new Set([]);
  parentPort?.postMessage(
    answer,
    [...memory].filter((buffer) => buffer instanceof ArrayBuffer),
  );
});
