/**
 * What both transports do with a request once its bytes are there: understand where its rows lie, and hand it to the
 * sink. The answer is a value; how it is said is the transport's business.
 */
import type { ContentEncoding, ReceiveEvent, Transport } from '../model/events/receive-events.ts';
import type { Admission, BatchSink, ReceivedBatch } from './sink.ts';
import type { Rejection } from './status.ts';
import type { RequestBody, Understood } from './understand-request.ts';

export interface ExportRequest extends RequestBody {
  readonly transport: Transport;
  readonly encoding: ContentEncoding;
}

export interface AdmissionPorts {
  readonly sink: BatchSink;
  readonly understand: (body: RequestBody) => Understood | Promise<Understood>;
  readonly onEvent: (event: ReceiveEvent) => void;
}

export type Answer =
  | { readonly answer: 'accepted'; readonly rejection: Rejection | undefined }
  | { readonly answer: 'malformed'; readonly message: string }
  | { readonly answer: 'not-admitted'; readonly message: string; readonly retryAfterSeconds: number };

const RETRY_AFTER_FAILURE_SECONDS = 1;

export async function admitRequest(request: ExportRequest, ports: AdmissionPorts): Promise<Answer> {
  const understood = await ports.understand(request);
  if ('malformed' in understood) return { answer: 'malformed', message: understood.malformed };
  const { batch, rejection, redactions } = understood;
  if (batch.rows > 0) {
    const admission = await offer(batch, ports.sink);
    if (!admission.admitted) {
      const { reason, retryAfterSeconds } = admission;
      return { answer: 'not-admitted', message: reason, retryAfterSeconds };
    }
  }
  const { transport, signal, encoding, format } = request;
  if (rejection !== undefined) {
    ports.onEvent({ type: 'records-rejected', transport, signal, reason: 'invalid_id', records: rejection.records });
  }
  if (redactions !== undefined) ports.onEvent({ type: 'text-redacted', signal, counts: redactions });
  const { rows: records } = batch;
  ports.onEvent({ type: 'batch-received', transport, signal, encoding, format, records, bytes: batch.bytes.length });
  return { answer: 'accepted', rejection };
}

/** A sink that fails has not taken the batch: the client is told to send it again. */
async function offer(batch: ReceivedBatch, sink: BatchSink): Promise<Admission> {
  try {
    return await sink.accept(batch);
  } catch (error) {
    const reason = `the batch could not be stored: ${error instanceof Error ? error.message : String(error)}`;
    return { admitted: false, reason, retryAfterSeconds: RETRY_AFTER_FAILURE_SECONDS };
  }
}
