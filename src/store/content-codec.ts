/**
 * The spans of a turn as the store keeps them: an OTLP message, compressed. Model calls repeat the history of the
 * conversation, so the fastest level of zstd leaves a fifth or less, and costs less than writing the rest would.
 */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

export interface TraceContent {
  /** An OTLP TracesData message with all spans of the trace. */
  readonly traces: Uint8Array;
  /** An OTLP LogsData message with the log records of the trace. */
  readonly logs: Uint8Array | undefined;
}

const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export function compressed(bytes: Uint8Array): Uint8Array {
  return zstdCompressSync(bytes, OPTIONS);
}

/** From a row with the columns `spans` and `logs`. */
export function decompressContent(row: { readonly [column: string]: unknown }): TraceContent {
  const { spans, logs } = row;
  if (!(spans instanceof Uint8Array)) throw new Error('store: a trace has no content');
  return {
    traces: zstdDecompressSync(spans),
    logs: logs instanceof Uint8Array ? zstdDecompressSync(logs) : undefined,
  };
}
