/**
 * A log record of feedback need not belong to a trace, and what belongs to none takes no part in turns. It gets a trace
 * of its own, made of its bytes, so that it travels like all others and a record that is sent twice is the same trace.
 *
 *   record' = record 0x4a 0x10 trace_id                                     9 trace_id bytes; the last one counts
 */
import { createHash } from 'node:crypto';
import { mayCarryFeedback, isUserFeedback } from '../otlp/feedback-events.ts';
import { BatchTable, encodeTable } from '../otlp/batch-table.ts';
import { indexLogs, type LogsIndex } from '../otlp/logs-reader.ts';
import { type RecordGroup, writeLogsRequest } from '../otlp/request-writer.ts';

const TRACE_ID = Buffer.from([0x4a, 0x10]);
const TRACE_ID_BYTES = 16;

export function withFeedbackTraces(index: LogsIndex): LogsIndex {
  if (index.unjoinable === 0 || !mayCarryFeedback(index.bytes)) return index;
  const table = BatchTable.read(encodeTable(index));
  const groups = new Map<number, RecordGroup & { readonly records: Uint8Array[] }>();
  let placed = 0;
  for (let row = 0; row < table.rowCount; row += 1) {
    const number = table.group(row);
    const group = groups.get(number) ?? {
      resource: index.bytes.subarray(table.resourceStart(number), table.resourceEnd(number)),
      scope: index.bytes.subarray(table.scopeStart(number), table.scopeEnd(number)),
      records: [],
    };
    groups.set(number, group);
    const record = index.bytes.subarray(table.start(row), table.end(row));
    const isLonely = table.traceId(row) === undefined && isFeedback(index, row, record);
    if (isLonely) placed += 1;
    group.records.push(isLonely ? Buffer.concat([record, TRACE_ID, traceOf(group.resource, record)]) : record);
  }
  return placed === 0 ? index : indexLogs(writeLogsRequest([...groups.values()]));
}

function isFeedback(index: LogsIndex, row: number, record: Uint8Array): boolean {
  const { eventName } = index.view(row);
  if (eventName === 'assay.feedback') return true;
  return eventName === 'gen_ai.evaluation.result' && isUserFeedback(record);
}

function traceOf(resource: Uint8Array, record: Uint8Array): Buffer {
  return createHash('sha256').update(resource).update(record).digest().subarray(0, TRACE_ID_BYTES);
}
