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
  // Otherwise everything in it would be lost without a report.
  if (batch.rows === 0 && rejection !== undefined) return { poison: rejection.message };
  return { batch, rejected: rejection?.records ?? 0, redactions };
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
