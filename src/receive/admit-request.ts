/**
 * Admits a complete request for both transports: finds where its rows lie, and hands it to the sink. The answer is a
 * value; how it is said is the transport's business.
 */
import type { ContentEncoding, ReceiveEvent, Transport } from '../model/events/receive-events.ts';
import type { Admission, BatchSink, ReceivedBatch } from './sink.ts';
import type { Rejection } from './status.ts';
import type { RequestBody, Understood } from './understand-request.ts';
import { RETRY_AFTER_SECONDS } from '../model/retry-after.ts';

interface ExportRequest extends RequestBody {
  readonly transport: Transport;
  readonly encoding: ContentEncoding;
  readonly sender?: number | undefined;
}

export interface AdmissionPorts {
  readonly sink: BatchSink;
  readonly understand: (body: RequestBody) => Understood | Promise<Understood>;
  readonly onEvent: (event: ReceiveEvent) => void;
}

export type RequestAnswer =
  | { readonly answer: 'accepted'; readonly rejection: Rejection | undefined }
  | { readonly answer: 'malformed'; readonly message: string }
  | { readonly answer: 'too-many' }
  | { readonly answer: 'not-admitted'; readonly message: string; readonly retryAfterSeconds: number };

export async function admitRequest(request: ExportRequest, ports: AdmissionPorts): Promise<RequestAnswer> {
  const understood = await ports.understand(request);
  if ('malformed' in understood) {
    if (understood.hasTooMany !== undefined) return { answer: 'too-many' };
    return { answer: 'malformed', message: understood.malformed };
  }
  const { batch, redactions } = understood;
  let { rejection } = understood;
  if (batch.rows > 0) {
    const admission = await offer({ ...batch, sender: request.sender }, ports.sink);
    if (!admission.admitted) {
      const { reason, retryAfterSeconds } = admission;
      return { answer: 'not-admitted', message: reason, retryAfterSeconds };
    }
    if (admission.rejected !== undefined) {
      const { records, reason } = admission.rejected;
      ports.onEvent({
        type: 'records-rejected',
        transport: request.transport,
        signal: request.signal,
        reason,
        records,
      });
      rejection = both(rejection, admission.rejected);
    }
  }
  const { transport, signal, encoding, format } = request;
  if (understood.rejection !== undefined) {
    const { records } = understood.rejection;
    ports.onEvent({ type: 'records-rejected', transport, signal, reason: 'invalid_id', records });
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
    return { admitted: false, reason, retryAfterSeconds: RETRY_AFTER_SECONDS };
  }
}

function both(first: Rejection | undefined, second: Rejection): Rejection {
  if (first === undefined) return second;
  return { records: first.records + second.records, message: `${first.message}; ${second.message}` };
}
