/**
 * Index of a request without its content: for each span or log record its resource and scope, and the place of its
 * bytes. The table is stored beside the request, so that later stages follow traces without decoding anything again.
 *
 *   table  = head groups rows                                                            (little endian throughout)
 *   head   = 'ABT1'   signal u8 (1 traces, 2 logs)   3 x 0   row count u32   group count u32             16 bytes
 *   group  = resource start u32   resource end u32   scope start u32   scope end u32                     16 bytes
 *   row    = trace id 16   span id 8   parent span id 8   start u32   end u32   group u32   flags u32    48 bytes
 *
 *   flags  = bit 0 the parent is remote   bit 1 the scope is Assay's own   bits 2 to 31 hash of the conversation that the span
 *            names (`conversation-id.ts`), 0 where it names none or nobody has looked
 *
 * Offsets count from the beginning of the request; an id of zeros is none. A resource or scope that was not sent has
 * start and end 0.
 */
import type { SpanId, TraceId } from '../model/ids.ts';
import { ABSENT, type RecordIndex, ROW_FLAGS, type Signal } from './record-index.ts';
import { asBuffer, isZero } from './request-reader.ts';

const MAGIC = 0x3154_4241; // 'ABT1'
const HEAD_BYTES = 16;
const GROUP_BYTES = 16;
const ROW_BYTES = 48;
/** Ids of the trace, the span and its parent, at the beginning of a row. */
const ID_BYTES = 32;
const HASH_SHIFT = 2;
const FLAGS = (1 << HASH_SHIFT) - 1;
const SIGNALS = { traces: 1, logs: 2 } as const satisfies Record<Signal, number>;

export function encodeTable(index: { readonly rows: RecordIndex }): Uint8Array {
  const { rows } = index;
  const { bytes, rowCount, groupCount } = rows;
  const table = Buffer.alloc(HEAD_BYTES + groupCount * GROUP_BYTES + rowCount * ROW_BYTES);
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
  view.setUint32(0, MAGIC, true);
  view.setUint8(4, SIGNALS[rows.signal]);
  view.setUint32(8, rowCount, true);
  view.setUint32(12, groupCount, true);
  let at = HEAD_BYTES;
  for (let group = 0; group < groupCount; group++, at += GROUP_BYTES) {
    view.setUint32(at, rows.resourceStart(group), true);
    view.setUint32(at + 4, rows.resourceEnd(group), true);
    view.setUint32(at + 8, rows.scopeStart(group), true);
    view.setUint32(at + 12, rows.scopeEnd(group), true);
  }
  for (let row = 0; row < rowCount; row++, at += ROW_BYTES) {
    copyId(bytes, rows.traceIdAt(row), table, { at, length: 16 });
    copyId(bytes, rows.spanIdAt(row), table, { at: at + 16, length: 8 });
    copyId(bytes, rows.parentSpanIdAt(row), table, { at: at + 24, length: 8 });
    view.setUint32(at + 32, rows.start(row), true);
    view.setUint32(at + 36, rows.end(row), true);
    view.setUint32(at + 40, rows.group(row), true);
    view.setUint32(at + 44, rows.flags(row), true);
  }
  return table;
}

function copyId(
  from: Buffer,
  start: number,
  to: Buffer,
  place: { readonly at: number; readonly length: number },
): void {
  if (start === ABSENT) return;
  for (let index = 0; index < place.length; index++) to[place.at + index] = from[start + index] ?? 0;
}

export class BatchTable {
  readonly signal: Signal;
  readonly rowCount: number;
  readonly groupCount: number;
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #rowsAt: number;

  private constructor(bytes: Buffer, head: { signal: Signal; rowCount: number; groupCount: number }) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.signal = head.signal;
    this.rowCount = head.rowCount;
    this.groupCount = head.groupCount;
    this.#rowsAt = HEAD_BYTES + head.groupCount * GROUP_BYTES;
  }

  /** Throws where the bytes are not a table. */
  static read(table: Uint8Array): BatchTable {
    const bytes = asBuffer(table);
    if (bytes.length < HEAD_BYTES || bytes.readUInt32LE(0) !== MAGIC) {
      throw new Error(`read batch table: ${bytes.length} bytes that do not begin like a table`);
    }
    const code = bytes.readUInt8(4);
    const rowCount = bytes.readUInt32LE(8);
    const groupCount = bytes.readUInt32LE(12);
    if (code !== SIGNALS.traces && code !== SIGNALS.logs) {
      throw new Error(
        `read batch table: signal ${code}, expected ${SIGNALS.traces} (traces) or ${SIGNALS.logs} (logs)`,
      );
    }
    const expected = HEAD_BYTES + groupCount * GROUP_BYTES + rowCount * ROW_BYTES;
    if (bytes.length !== expected) {
      throw new Error(
        `read batch table: ${bytes.length} bytes, but ${groupCount} groups and ${rowCount} rows take ${expected}`,
      );
    }
    const signal = code === SIGNALS.traces ? 'traces' : 'logs';
    return new BatchTable(bytes, { signal, rowCount, groupCount });
  }

  /** Undefined for a log record that belongs to no trace; a span always has one. */
  traceId(row: number): TraceId | undefined {
    const at = this.#row(row);
    // The cast is the brand: only valid ids are written into a table.
    return isZero(this.#bytes, at, 16) ? undefined : (this.#bytes.toString('hex', at, at + 16) as TraceId);
  }

  /** Its bytes as signed words, the first byte highest; all are 0 for a log record that belongs to no trace. */
  traceIdWords(row: number): readonly [number, number, number, number] {
    const at = this.#row(row);
    const view = this.#view;
    return [
      view.getInt32(at, false),
      view.getInt32(at + 4, false),
      view.getInt32(at + 8, false),
      view.getInt32(at + 12, false),
    ];
  }

  /** Undefined for a log record that belongs to no span; a span always has one. */
  spanId(row: number): SpanId | undefined {
    return this.#spanId(this.#row(row) + 16);
  }

  parentSpanId(row: number): SpanId | undefined {
    return this.#spanId(this.#row(row) + 24);
  }

  /** The halves of an id as signed words; an id that is not there is zeros. */
  spanIdHigh(row: number): number {
    return this.#view.getInt32(this.#row(row) + 16, false);
  }

  spanIdLow(row: number): number {
    return this.#view.getInt32(this.#row(row) + 20, false);
  }

  parentIdHigh(row: number): number {
    return this.#view.getInt32(this.#row(row) + 24, false);
  }

  parentIdLow(row: number): number {
    return this.#view.getInt32(this.#row(row) + 28, false);
  }

  start(row: number): number {
    return this.#view.getUint32(this.#row(row) + 32, true);
  }

  end(row: number): number {
    return this.#view.getUint32(this.#row(row) + 36, true);
  }

  group(row: number): number {
    return this.#view.getUint32(this.#row(row) + 40, true);
  }

  /** The parent lives in another process, which may never report to us. */
  parentIsRemote(row: number): boolean {
    return (this.#flags(row) & ROW_FLAGS.parentIsRemote) !== 0;
  }

  /** The scope is Assay's own: not to be scored. */
  isOwn(row: number): boolean {
    return (this.#flags(row) & ROW_FLAGS.isOwn) !== 0;
  }

  /** 0 where the span names no conversation, or nobody has looked. */
  conversationHash(row: number): number {
    return this.#flags(row) >>> HASH_SHIFT;
  }

  /** Notes it in the bytes of the table. */
  noteConversation(row: number, hash: number): void {
    this.#view.setUint32(this.#row(row) + 44, (this.#flags(row) & FLAGS) | (hash << HASH_SHIFT), true);
  }

  /** Removes the ids and the flags of a row from the bytes of the table. It keeps its place, and belongs to no trace. */
  blank(row: number): void {
    const at = this.#row(row);
    this.#bytes.fill(0, at, at + ID_BYTES);
    this.#view.setUint32(at + 44, ROW_FLAGS.isOwn, true);
  }

  /** Whether `blank` removed what it was about. */
  isBlank(row: number): boolean {
    const at = this.#row(row);
    return isZero(this.#bytes, at, ID_BYTES) && this.isOwn(row);
  }

  resourceStart(group: number): number {
    return this.#view.getUint32(this.#group(group), true);
  }

  resourceEnd(group: number): number {
    return this.#view.getUint32(this.#group(group) + 4, true);
  }

  scopeStart(group: number): number {
    return this.#view.getUint32(this.#group(group) + 8, true);
  }

  scopeEnd(group: number): number {
    return this.#view.getUint32(this.#group(group) + 12, true);
  }

  #flags(row: number): number {
    return this.#view.getUint32(this.#row(row) + 44, true);
  }

  #spanId(at: number): SpanId | undefined {
    // The cast is the brand: only valid ids are written into a table.
    return isZero(this.#bytes, at, 8) ? undefined : (this.#bytes.toString('hex', at, at + 8) as SpanId);
  }

  #row(row: number): number {
    if (row < 0 || row >= this.rowCount) throw new Error(`row ${row} of a batch table of ${this.rowCount} rows`);
    return this.#rowsAt + row * ROW_BYTES;
  }

  #group(group: number): number {
    if (group < 0 || group >= this.groupCount) {
      throw new Error(`group ${group} of a batch table of ${this.groupCount} groups`);
    }
    return HEAD_BYTES + group * GROUP_BYTES;
  }
}
