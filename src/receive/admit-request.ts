/**
 * What both transports do with a request once its bytes are there: understand where its rows lie, and hand it to the
 * sink. The answer is a value; how it is said is the transport's business.
 */
import type { ContentEncoding, ReceiveEvent, Transport } from '../model/events/receive-events.ts';
import { encodeTable } from '../model/otlp/batch-table.ts';
import { TranscodeError, transcodeLogs, transcodeTraces } from '../model/otlp/json-transcoder.ts';
import { indexLogs } from '../model/otlp/logs-reader.ts';
import { indexTraces, type TracesIndex } from '../model/otlp/traces-reader.ts';
import { WireError } from '../model/otlp/wire.ts';
import type { Admission, BatchSink, ReceivedBatch } from './sink.ts';
import type { Format, Rejection } from './status.ts';

export interface ExportRequest {
  readonly transport: Transport;
  readonly signal: 'traces' | 'logs';
  readonly format: Format;
  readonly encoding: ContentEncoding;
  readonly bytes: Uint8Array;
}

export interface AdmissionPorts {
  readonly sink: BatchSink;
  readonly onEvent: (event: ReceiveEvent) => void;
}

export type Answer =
  | { readonly answer: 'accepted'; readonly rejection: Rejection | undefined }
  | { readonly answer: 'malformed'; readonly message: string }
  | { readonly answer: 'not-admitted'; readonly message: string; readonly retryAfterSeconds: number };

const RETRY_AFTER_FAILURE_SECONDS = 1;

export async function admitRequest(request: ExportRequest, ports: AdmissionPorts): Promise<Answer> {
  const understood = understand(request);
  if ('malformed' in understood) return { answer: 'malformed', message: understood.malformed };
  const { batch, rejection } = understood;
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

type Understood =
  | { readonly batch: ReceivedBatch; readonly rejection: Rejection | undefined }
  | { readonly malformed: string };

function understand({ signal, format, bytes: body }: ExportRequest): Understood {
  try {
    if (signal === 'traces') {
      const index = indexTraces(format === 'json' ? transcodeTraces(body) : body);
      const batch = { signal, bytes: index.bytes, table: encodeTable(index), rows: index.spanCount };
      return { batch, rejection: rejectionOf(index) };
    }
    const index = indexLogs(format === 'json' ? transcodeLogs(body) : body);
    const batch = { signal, bytes: index.bytes, table: encodeTable(index), rows: index.recordCount };
    return { batch, rejection: undefined };
  } catch (error) {
    if (error instanceof WireError || error instanceof TranscodeError) {
      return { malformed: `decode OTLP ${signal}: ${error.message}` };
    }
    throw error;
  }
}

function rejectionOf(index: TracesIndex): Rejection | undefined {
  if (index.rejected === 0) return undefined;
  const { invalidTraceIds, invalidSpanIds } = index.rows;
  const parts: string[] = [];
  if (invalidTraceIds > 0) parts.push(`${invalidTraceIds} without a trace id of 16 bytes that is not all zero`);
  if (invalidSpanIds > 0) parts.push(`${invalidSpanIds} without a span id of 8 bytes that is not all zero`);
  return { records: index.rejected, message: `rejected ${index.rejected} spans: ${parts.join(', ')}` };
}
