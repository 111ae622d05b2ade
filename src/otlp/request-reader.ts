/**
 * The frame that export requests of traces and of logs have in common, and its index.
 *
 *   ExportTraceServiceRequest, TracesData, ExportLogsServiceRequest, LogsData {  1 ResourceSpans* or ResourceLogs*  }
 *   ResourceSpans, ResourceLogs {  1 resource Resource   2 ScopeSpans* or ScopeLogs*   3 schema_url string  }
 *   ScopeSpans, ScopeLogs {  1 scope InstrumentationScope   2 Span* or LogRecord*   3 schema_url string  }
 *
 * One pass checks everything, down to the last value, and keeps where each row lies.
 */
import { OWN_SCOPE } from '../model/marks.ts';
import { checkMessage, fieldsOf, joinPieces } from './common-reader.ts';
import { MESSAGES } from './messages.ts';
import { ABSENT, RecordIndex, ROW_FLAGS, type Signal } from './record-index.ts';
import { type RecordGroup, writeRequest } from './request-writer.ts';
import { WireReader } from './wire.ts';

/** Fields of one row that a record's reader fills. One object serves for all rows of a request. */
export class RowDraft {
  start = 0;
  end = 0;
  traceIdAt: number = ABSENT;
  spanIdAt: number = ABSENT;
  parentSpanIdAt: number = ABSENT;
  flags = 0;

  begin(start: number, end: number): void {
    this.start = start;
    this.end = end;
    this.traceIdAt = ABSENT;
    this.spanIdAt = ABSENT;
    this.parentSpanIdAt = ABSENT;
    this.flags = 0;
  }
}

/** Checks the record that lies between the reader and the draft's end, and says whether it is to be a row. */
export type CheckRecord = (reader: WireReader, draft: RowDraft) => 'row' | 'invalid-trace-id' | 'invalid-span-id';

export function indexRequest(signal: Signal, bytes: Uint8Array, checkRecord: CheckRecord): RecordIndex {
  const request = new RequestReader(signal, asBuffer(bytes), checkRecord);
  request.readRequest();
  if (!request.hasSplitGroups) return request.index;
  const joined = new RequestReader(signal, joinSplitGroups(request.index.bytes), checkRecord);
  joined.readRequest();
  return joined.index;
}

class RequestReader {
  readonly index: RecordIndex;
  /** A resource or a scope came in several pieces. */
  hasSplitGroups = false;
  readonly #reader: WireReader;
  readonly #checkRecord: CheckRecord;
  readonly #draft = new RowDraft();

  constructor(signal: Signal, buffer: Buffer, checkRecord: CheckRecord) {
    this.index = new RecordIndex(signal, buffer);
    this.#reader = new WireReader(buffer, 0);
    this.#checkRecord = checkRecord;
  }

  readRequest(): void {
    const reader = this.#reader;
    const end = this.index.bytes.length;
    while (reader.at < end) {
      const tag = reader.tag(end);
      if (tag === 0x0a) this.#readResourceGroup(reader.lengthEnd(end));
      else reader.skip(tag, end);
    }
  }

  #readResourceGroup(end: number): void {
    const reader = this.#reader;
    const { index } = this;
    const firstGroup = index.groupCount;
    let pieces = 0;
    let resourceStart = 0;
    let resourceEnd = 0;
    while (reader.at < end) {
      const tag = reader.tag(end);
      switch (tag) {
        case 0x0a: // 1 resource
          resourceEnd = reader.lengthEnd(end);
          resourceStart = reader.at;
          checkMessage(reader, MESSAGES.Resource, resourceEnd);
          pieces += 1;
          break;
        case 0x12: // 2 scope_spans, scope_logs
          this.#readScopeGroup(reader.lengthEnd(end));
          break;
        default: // 3 schema_url, and what is not known
          reader.skip(tag, end);
      }
    }
    if (pieces > 1) this.hasSplitGroups = true;
    // The resource may come behind its scopes.
    for (let group = firstGroup; group < index.groupCount; group++) {
      index.placeResource(group, resourceStart, resourceEnd);
    }
  }

  #readScopeGroup(end: number): void {
    const reader = this.#reader;
    const { index } = this;
    let group = ABSENT;
    let pieces = 0;
    let scopeStart = 0;
    let scopeEnd = 0;
    while (reader.at < end) {
      const tag = reader.tag(end);
      switch (tag) {
        case 0x0a: // 1 scope
          scopeEnd = reader.lengthEnd(end);
          scopeStart = reader.at;
          checkMessage(reader, MESSAGES.InstrumentationScope, scopeEnd);
          pieces += 1;
          break;
        case 0x12: // 2 spans, log_records
          group = this.#readRecord(reader.lengthEnd(end), group);
          break;
        default: // 3 schema_url, and what is not known
          reader.skip(tag, end);
      }
    }
    if (pieces > 1) this.hasSplitGroups = true;
    if (group === ABSENT) return;
    const flags = isOwnScope(index.bytes, scopeStart, scopeEnd) ? ROW_FLAGS.isOwn : 0;
    index.placeScope(group, { start: scopeStart, end: scopeEnd, flags });
  }

  /** Gives the row's group, which begins with its first row. */
  #readRecord(end: number, group: number): number {
    const { index } = this;
    const draft = this.#draft;
    draft.begin(this.#reader.at, end);
    const found = this.#checkRecord(this.#reader, draft);
    if (found !== 'row') {
      if (found === 'invalid-trace-id') index.invalidTraceIds += 1;
      else index.invalidSpanIds += 1;
      return group;
    }
    const rowGroup = group === ABSENT ? index.addGroup() : group;
    index.addRow(draft, rowGroup);
    return rowGroup;
  }
}

/** A Buffer over the same memory: its `toString` is the fastest way from bytes to text. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function isZero(bytes: Uint8Array, start: number, length: number): boolean {
  for (let at = start; at < start + length; at++) {
    if (bytes[at] !== 0) return false;
  }
  return true;
}

const OWN_SCOPE_BYTES = Buffer.from(OWN_SCOPE);

function isOwnScope(buffer: Buffer, start: number, end: number): boolean {
  let isOwn = false;
  for (const [from, to] of fieldsOf(buffer, start, end, 0x0a))
    isOwn = OWN_SCOPE_BYTES.equals(buffer.subarray(from, to));
  return isOwn;
}

/**
 * Protobuf lets a writer send one resource as several pieces, to be read as if they were one. Nobody does, but it is
 * legal. A group must lie in one place, so such a request is rewritten.
 */
function joinSplitGroups(buffer: Buffer): Buffer {
  const groups: RecordGroup[] = [];
  for (const [start, end] of fieldsOf(buffer, 0, buffer.length, 0x0a)) {
    const resource = joinPieces(buffer, { start, end, tag: 0x0a });
    for (const [scopeStart, scopeEnd] of fieldsOf(buffer, start, end, 0x12)) {
      const scope = joinPieces(buffer, { start: scopeStart, end: scopeEnd, tag: 0x0a });
      const records: Uint8Array[] = [];
      for (const [recordStart, recordEnd] of fieldsOf(buffer, scopeStart, scopeEnd, 0x12)) {
        records.push(buffer.subarray(recordStart, recordEnd));
      }
      if (records.length > 0) groups.push({ resource, scope, records });
    }
  }
  return asBuffer(writeRequest(groups));
}
