/**
 * Splits an export request by trace: a record of a topic that is keyed by trace id must not hold two. A part that would
 * exceed the size of a record is split further, down to single spans; resource and scope go with each part.
 */
import type { TraceId } from '../model/ids.ts';
import { BatchTable } from '../otlp/batch-table.ts';
import { type RecordGroup, writeRequest } from '../otlp/request-writer.ts';
import type { ReceivedBatch } from './sink.ts';

export interface TracePart {
  /** Undefined for log records that belong to no trace. */
  readonly traceId: TraceId | undefined;
  readonly bytes: Uint8Array;
  readonly rows: number;
}

interface OpenPart {
  readonly traceId: TraceId | undefined;
  /** Records by number of their group in the request. */
  groups: Map<number, Uint8Array[]>;
  bytes: number;
  rows: number;
}

export function splitByTrace(batch: ReceivedBatch, options: { readonly bytesMax: number }): readonly TracePart[] {
  const table = BatchTable.read(batch.table);
  if (batch.bytes.length <= options.bytesMax && isOneTrace(table)) {
    return [{ traceId: table.rowCount === 0 ? undefined : table.traceId(0), bytes: batch.bytes, rows: table.rowCount }];
  }
  const parts: TracePart[] = [];
  const open = new Map<TraceId | undefined, OpenPart>();
  for (let row = 0; row < table.rowCount; row += 1) {
    const traceId = table.traceId(row);
    const group = table.group(row);
    const record = batch.bytes.subarray(table.start(row), table.end(row));
    let part = open.get(traceId);
    const more = record.length + (part?.groups.has(group) === true ? 0 : headLength(table, group));
    if (part !== undefined && part.bytes + more > options.bytesMax) {
      parts.push(closed(part, batch.bytes, table));
      part = undefined;
    }
    if (part === undefined) {
      part = { traceId, groups: new Map(), bytes: 0, rows: 0 };
      open.set(traceId, part);
    }
    const records = part.groups.get(group);
    part.bytes += record.length + (records === undefined ? headLength(table, group) : 0);
    part.rows += 1;
    if (records === undefined) part.groups.set(group, [record]);
    else records.push(record);
  }
  for (const part of open.values()) parts.push(closed(part, batch.bytes, table));
  return parts;
}

function isOneTrace(table: BatchTable): boolean {
  for (let row = 1; row < table.rowCount; row += 1) if (table.traceId(row) !== table.traceId(0)) return false;
  return true;
}

function headLength(table: BatchTable, group: number): number {
  return table.resourceEnd(group) - table.resourceStart(group) + table.scopeEnd(group) - table.scopeStart(group);
}

function closed(part: OpenPart, bytes: Uint8Array, table: BatchTable): TracePart {
  const groups: RecordGroup[] = [...part.groups].map(([group, records]) => ({
    resource: bytes.subarray(table.resourceStart(group), table.resourceEnd(group)),
    scope: bytes.subarray(table.scopeStart(group), table.scopeEnd(group)),
    records,
  }));
  return { traceId: part.traceId, bytes: writeRequest(groups), rows: part.rows };
}
