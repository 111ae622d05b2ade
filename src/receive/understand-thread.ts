/** The thread on which large requests are read; see request-reading.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import type { RedactionRules } from '../model/redaction.ts';
import { RequestRedactor } from './redact/request-redactor.ts';
import type { FromThread, ToThread } from './request-reading.ts';
import { understandRequest } from './understand-request.ts';

// The cast holds: request-reading.ts starts this thread, with its rules.
const rules = workerData as RedactionRules | undefined;
const redactor = rules === undefined ? undefined : new RequestRedactor(rules);

parentPort?.on('message', ({ id, body }: ToThread) => {
  const understood = understandRequest(body, redactor);
  const answer: FromThread = { id, understood };
  // Handed over rather than copied: what is large here is in memory of its own.
  const memory =
    'batch' in understood ? new Set([understood.batch.bytes.buffer, understood.batch.table.buffer]) : new Set([]);
  parentPort?.postMessage(
    answer,
    [...memory].filter((buffer) => buffer instanceof ArrayBuffer),
  );
});
