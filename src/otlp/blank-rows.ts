/**
 * Removes rows from a request where it lies, without moving anything else: whoever knows the position of another row
 * finds it where it was. The request stays a valid message. A removed span becomes an unknown field of zeros, which
 * readers skip, and its row in the table belongs to no trace.
 */
import type { TraceId } from '../model/ids.ts';
import { BatchTable } from './batch-table.ts';

/** Tags of one byte: number << 3 | type 2. */
const RECORD_TAG = 0x12;
const RESOURCE_TAG = 0x0a;
const SCOPE_TAG = 0x0a;
const UNKNOWN_TAG = 0x7a;
/** A length below 2^32 takes at most five bytes. */
const LENGTH_BYTES_MAX = 5;

interface BlankedRows {
  readonly rows: number;
  /** No row is left that belongs to a trace or to nothing: the request as a whole is not needed any more. */
  readonly isEmpty: boolean;
}

/** Changes both in place. A resource or scope goes with the last row that refers to it. */
export function blankRows(table: Uint8Array, request: Uint8Array, isGone: (traceId: TraceId) => boolean): BlankedRows {
  const rows = BatchTable.read(table);
  const gone: number[] = [];
  const kept = new Set<number>();
  let keptRows = 0;
  for (let row = 0; row < rows.rowCount; row += 1) {
    const traceId = rows.traceId(row);
    if (traceId !== undefined && isGone(traceId)) gone.push(row);
    else if (!rows.isBlank(row)) {
      kept.add(rows.group(row));
      keptRows += 1;
    }
  }
  for (const row of gone) {
    blankField(request, { start: rows.start(row), end: rows.end(row), tag: RECORD_TAG });
    const group = rows.group(row);
    if (!kept.has(group)) blankHeads(request, rows, { group, kept });
    rows.blank(row);
  }
  return { rows: gone.length, isEmpty: gone.length > 0 && keptRows === 0 };
}

function blankHeads(
  request: Uint8Array,
  rows: BatchTable,
  { group, kept }: { readonly group: number; readonly kept: ReadonlySet<number> },
): void {
  blankField(request, { start: rows.scopeStart(group), end: rows.scopeEnd(group), tag: SCOPE_TAG });
  // Groups of one resource share its place.
  const start = rows.resourceStart(group);
  if ([...kept].some((other) => rows.resourceStart(other) === start)) return;
  blankField(request, { start, end: rows.resourceEnd(group), tag: RESOURCE_TAG });
}

function blankField(
  request: Uint8Array,
  { start, end, tag }: { readonly start: number; readonly end: number; readonly tag: number },
): void {
  if (end <= start) return;
  request.fill(0, start, end);
  const tagAt = tagBefore(request, start, { length: end - start, tag });
  // Bytes that were joined from pieces have another form. Zeros are then refused by whoever reads the request as a whole.
  if (tagAt !== undefined) request[tagAt] = UNKNOWN_TAG;
}

/** Place of the tag whose length ends where the field's bytes begin. */
function tagBefore(
  request: Uint8Array,
  start: number,
  expected: { readonly length: number; readonly tag: number },
): number | undefined {
  for (let bytes = 1; bytes <= LENGTH_BYTES_MAX; bytes += 1) {
    const at = start - bytes - 1;
    if (at < 0) return undefined;
    const isField = request[at] === expected.tag || request[at] === UNKNOWN_TAG;
    if (isField && lengthAt(request, at + 1, start) === expected.length) return at;
  }
  return undefined;
}

/** The varint that fills these bytes; undefined where they are not one. */
function lengthAt(bytes: Uint8Array, from: number, to: number): number | undefined {
  let value = 0;
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] ?? 0;
    const isLast = at === to - 1;
    if (byte < 0x80 !== isLast) return undefined;
    value += (byte & 0x7f) * 2 ** (7 * (at - from));
  }
  return value;
}
