/**
 * Reads a Kafka record: a bare OTLP message, in protobuf or JSON, plain or compressed by its producer. Which of them is
 * found out per record; whether spans or log records, the topic says. Anything else is a poison record, with the
 * reason.
 */
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { RedactionCounts } from '../../model/redaction.ts';
import type { RequestRedactor } from '../../redact/request-redactor.ts';
import type { ReceivedBatch } from '../sink.ts';
import { understandRequest } from '../understand-request.ts';
import { tryParseJson } from '../../model/json.ts';

export interface RecordReader {
  readonly signal: 'traces' | 'logs';
  readonly bytesMax: number;
  readonly redactor: RequestRedactor | undefined;
}

export type ReadRecord =
  | {
      readonly batch: ReceivedBatch;
      /** Records without the ids that they must have. */
      readonly rejected: number;
      readonly redactions: RedactionCounts | undefined;
    }
  /** A record without a value says that something is to be deleted: nothing of ours. */
  | { readonly empty: true }
  | { readonly poison: string };

export function readRecord(value: Uint8Array | undefined, reader: RecordReader): ReadRecord {
  if (value === undefined || value.length === 0) return { empty: true };
  let bytes: Uint8Array;
  try {
    bytes = decompressed(value, reader.bytesMax);
  } catch (error) {
    return { poison: `decompress: ${error instanceof Error ? error.message : String(error)}` };
  }
  if (bytes.length > reader.bytesMax) {
    return { poison: `${bytes.length} bytes are more than a record may have, ${reader.bytesMax}` };
  }
  const format = looksLikeJson(bytes) ? 'json' : 'protobuf';
  const understood = understandRequest({ signal: reader.signal, format, bytes }, reader.redactor);
  if ('malformed' in understood) return { poison: `${understood.malformed} (read as ${format})` };
  const { batch, rejection, redactions } = understood;
  if (batch.rows === 0) {
    const reason = rejection?.message ?? (format === 'json' ? otherSignalIn(bytes, reader.signal) : undefined);
    // Otherwise everything in it would be lost without a report.
    if (reason !== undefined) return { poison: reason };
  }
  return { batch, rejected: rejection?.records ?? 0, redactions };
}

const MEMBERS = {
  traces: ['resourceSpans', 'resource_spans'],
  logs: ['resourceLogs', 'resource_logs'],
  metrics: ['resourceMetrics', 'resource_metrics'],
  profiles: ['resourceProfiles', 'resource_profiles'],
} as const;

/** A record of another signal looks like an empty message in JSON; in protobuf it cannot be read. */
function otherSignalIn(bytes: Uint8Array, expected: 'traces' | 'logs'): string | undefined {
  // Our own reader took it, and is less strict.
  const message = tryParseJson(Buffer.from(bytes).toString());
  if (typeof message !== 'object' || message === null) return undefined;
  const found = Object.entries(MEMBERS).find(([, members]) => members.some((member) => Object.hasOwn(message, member)));
  if (found === undefined || found[0] === expected) return undefined;
  return `a request of ${found[0]} in a topic of ${expected}`;
}

const ZSTD_MAGIC = 0xfd2fb528;

function decompressed(value: Uint8Array, maxOutputLength: number): Uint8Array {
  // No OTLP message begins with these bytes: its first field has the number 1.
  if (value[0] === 0x1f && value[1] === 0x8b) return gunzipSync(value, { maxOutputLength });
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  if (value.length >= 4 && view.getUint32(0, true) === ZSTD_MAGIC)
    return zstdDecompressSync(value, { maxOutputLength });
  return value;
}

function looksLikeJson(bytes: Uint8Array): boolean {
  for (const byte of bytes) {
    // Space, tab, line ends.
    if (byte === 32 || byte === 9 || byte === 13) continue;
    // A line feed is also the tag of the first field of every OTLP message.
    if (byte === 10) {
      if (bytes[0] === 10) return /^\s*\{\s*"/.test(Buffer.from(bytes.subarray(0, 64)).toString('latin1'));
      continue;
    }
    return byte === 0x7b;
  }
  return false;
}
