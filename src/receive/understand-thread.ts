/** The thread on which large requests are read; see request-reading.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import type { RedactionRules } from '../model/redaction.ts';
import { RequestRedactor } from '../redact/request-redactor.ts';
import type { FromThread, ToThread } from './request-reading.ts';
import { understandRequest } from './understand-request.ts';

// The cast holds: request-reading.ts starts this thread, with its rules.
const rules = workerData as RedactionRules | undefined;
const redactor = rules === undefined ? undefined : new RequestRedactor(rules);

parentPort?.on('message', ({ id, body }: ToThread) => {
  const understood = understandRequest(body, redactor);
  const answer: FromThread = { id, understood };
  const parts = 'batch' in understood ? [understood.batch.bytes, understood.batch.table] : [];
  parentPort?.postMessage(answer, [...new Set(parts.filter(ownsMemory).map(({ buffer }) => buffer))]);
});

/** Large arrays do, and are handed over rather than copied. Small ones share a pool, which cannot be handed over. */
function ownsMemory(part: Uint8Array): part is Uint8Array<ArrayBuffer> {
  return part.buffer instanceof ArrayBuffer && part.byteLength === part.buffer.byteLength;
}
