/**
 * From a body to a checked batch and its table, without the secrets that the rules name, or to what is wrong with it. No
 * effects, so that it can run here or on another thread.
 */
import { encodeTable } from '../otlp/batch-table.ts';
import { countRecords } from '../otlp/count-records.ts';
import { TranscodeError, transcodeLogs, transcodeTraces } from '../otlp/json-transcoder.ts';
import { indexLogs } from '../otlp/logs-reader.ts';
import { indexTraces, type TracesIndex } from '../otlp/traces-reader.ts';
import { WireError } from '../otlp/wire.ts';
import type { RedactionCounts } from '../model/redaction.ts';
import { withFeedbackTraces } from './feedback-traces.ts';
import type { RequestRedactor } from '../redact/request-redactor.ts';
import type { ReceivedBatch } from './sink.ts';
import type { Format, Rejection } from './status.ts';

export interface RequestBody {
  readonly signal: 'traces' | 'logs';
  readonly format: Format;
  /** Bytes of the request, decompressed. */
  readonly bytes: Uint8Array;
  /** Spans or log records that it may have; any number if it is undefined. */
  readonly recordsMax?: number | undefined;
}

export type Understood =
  | {
      readonly batch: ReceivedBatch;
      readonly rejection: Rejection | undefined;
      /** Counts of redactions; undefined if there were none. */
      readonly redactions: RedactionCounts | undefined;
    }
  | { readonly malformed: string; readonly hasTooMany?: 'records' };

export function understandRequest(
  { signal, format, bytes: body, recordsMax = Number.POSITIVE_INFINITY }: RequestBody,
  redactor: Pick<RequestRedactor, 'redact'> | undefined,
): Understood {
  try {
    const bytes = format === 'protobuf' ? body : signal === 'traces' ? transcodeTraces(body) : transcodeLogs(body);
    if (countRecords(bytes, recordsMax) > recordsMax) {
      return { malformed: `more than ${recordsMax} records`, hasTooMany: 'records' };
    }
    if (signal === 'traces') {
      const received = indexTraces(bytes);
      const redacted = redactor?.redact(signal, received.bytes);
      const index = redacted === undefined ? received : indexTraces(redacted.bytes);
      const batch = { signal, bytes: index.bytes, table: encodeTable(index), rows: index.spanCount };
      return { batch, rejection: rejectionOf(index), redactions: redacted?.counts };
    }
    const received = indexLogs(bytes);
    const redacted = redactor?.redact(signal, received.bytes);
    const index = withFeedbackTraces(redacted === undefined ? received : indexLogs(redacted.bytes));
    const batch = { signal, bytes: index.bytes, table: encodeTable(index), rows: index.recordCount };
    return { batch, rejection: undefined, redactions: redacted?.counts };
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
