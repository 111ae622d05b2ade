/** Export requests that were recorded, as they are read again: with the index of their rows, as the journal keeps it. */
import { encodeTable } from '../../otlp/batch-table.ts';
import { indexLogs } from '../../otlp/logs-reader.ts';
import { indexTraces } from '../../otlp/traces-reader.ts';

export interface RecordedBatch {
  readonly signal: 'traces' | 'logs';
  readonly bytes: Uint8Array;
  readonly table: Uint8Array;
  readonly rows: number;
  readonly rejected: number;
  readonly logTime: number;
}

/** Export requests as OTLP protobuf. */
export function recordedMessages(content: {
  readonly traces: readonly Uint8Array[];
  readonly logs: readonly Uint8Array[];
}): readonly RecordedBatch[] {
  return [
    ...content.traces.map((bytes) => protobufBatch('traces', bytes)),
    ...content.logs.map((bytes) => protobufBatch('logs', bytes)),
  ];
}

/** Reads an export request in protobuf. Throws WireError if it is none. */
export function protobufBatch(signal: 'traces' | 'logs', bytes: Uint8Array): RecordedBatch {
  return { signal, ...indexedRequest(signal, bytes), logTime: 0 };
}

export function indexedRequest(signal: 'traces' | 'logs', bytes: Uint8Array) {
  const index = signal === 'traces' ? indexTraces(bytes) : indexLogs(bytes);
  const rows = 'spanCount' in index ? index.spanCount : index.recordCount;
  // The index's own bytes: a request whose parts came in an odd form has been rewritten.
  return { bytes: index.bytes, table: encodeTable(index), rows, rejected: index.rejected };
}
