/**
 * The form of one journal record, and of a segment's head.
 *
 *   segment = head, record*, and whatever the file held before (segments are recycled)
 *   head    = magic u32 | crc u32 | salt u32 | capacity u32 | base f64 | logTime f64                  (padded to 64 bytes)
 *   record  = magic u32 | headCrc u32 | position f64 | logTime f64 | kind u32 | rows u32
 *             | tableLength u32 | payloadLength u32 | bodyCrc u32 | sender u32 | table | payload           (padded to 64 bytes)
 *
 * Little endian. `position` is the segment's base plus the record's offset: positions only grow, and name a byte of the
 * log permanently. Both checksums start from the segment's salt, so that neither an old record left in a recycled
 * segment nor one forged inside a client's payload can pass for a record of this segment.
 */
import { crc32 } from 'node:zlib';

export const ALIGNMENT = 64;
export const RECORD_HEAD_BYTES = 48;

const SEGMENT_MAGIC = 0x4a595341; // "ASYJ"
const RECORD_MAGIC = 0x52595341; // "ASYR"

const RECORD_KINDS = ['traces', 'logs', 'hole', 'end'] as const;
/** `hole` covers a stretch that was found corrupt and set aside; `end` closes a segment that is full. */
type RecordKind = (typeof RECORD_KINDS)[number];

export interface RecordHead {
  readonly position: number;
  readonly logTime: number;
  readonly kind: RecordKind;
  readonly rows: number;
  readonly tableLength: number;
  readonly payloadLength: number;
  readonly bodyCrc: number;
  /** 0 where it is not known, as in records of versions before. */
  readonly sender?: number | undefined;
}

export interface SegmentHead {
  readonly salt: number;
  readonly capacity: number;
  readonly base: number;
  readonly logTime: number;
}

function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}

export function recordLength(head: { readonly tableLength: number; readonly payloadLength: number }): number {
  return aligned(RECORD_HEAD_BYTES + head.tableLength + head.payloadLength);
}

export function bodyChecksum(salt: number, table: Uint8Array, payload: Uint8Array): number {
  return crc32(payload, crc32(table, salt));
}

export function writeRecordHead(salt: number, head: RecordHead): Buffer {
  const bytes = Buffer.alloc(RECORD_HEAD_BYTES);
  bytes.writeUInt32LE(RECORD_MAGIC, 0);
  bytes.writeDoubleLE(head.position, 8);
  bytes.writeDoubleLE(head.logTime, 16);
  bytes.writeUInt32LE(RECORD_KINDS.indexOf(head.kind), 24);
  bytes.writeUInt32LE(head.rows, 28);
  bytes.writeUInt32LE(head.tableLength, 32);
  bytes.writeUInt32LE(head.payloadLength, 36);
  bytes.writeUInt32LE(head.bodyCrc, 40);
  bytes.writeUInt32LE(head.sender ?? 0, 44);
  bytes.writeUInt32LE(crc32(bytes.subarray(8), salt), 4);
  return bytes;
}

/** Cheap test before the checksum, used to search for the next record after a corrupt stretch. */
export function looksLikeRecord(bytes: Buffer, offset: number): boolean {
  return bytes.length - offset >= RECORD_HEAD_BYTES && bytes.readUInt32LE(offset) === RECORD_MAGIC;
}

/** The head at `offset`, or undefined where there is none that belongs to this place of this segment. */
export function tryReadRecordHead(
  bytes: Buffer,
  offset: number,
  expected: { readonly salt: number; readonly position: number },
): RecordHead | undefined {
  if (!looksLikeRecord(bytes, offset)) return undefined;
  const head = bytes.subarray(offset, offset + RECORD_HEAD_BYTES);
  if (head.readUInt32LE(4) !== crc32(head.subarray(8), expected.salt)) return undefined;
  const position = head.readDoubleLE(8);
  const kind = RECORD_KINDS[head.readUInt32LE(24)];
  if (position !== expected.position || kind === undefined) return undefined;
  return {
    position,
    logTime: head.readDoubleLE(16),
    kind,
    rows: head.readUInt32LE(28),
    tableLength: head.readUInt32LE(32),
    payloadLength: head.readUInt32LE(36),
    bodyCrc: head.readUInt32LE(40),
    sender: head.readUInt32LE(44),
  };
}

export function writeSegmentHead(head: SegmentHead): Buffer {
  const bytes = Buffer.alloc(ALIGNMENT);
  bytes.writeUInt32LE(SEGMENT_MAGIC, 0);
  bytes.writeUInt32LE(head.salt, 8);
  bytes.writeUInt32LE(head.capacity, 12);
  bytes.writeDoubleLE(head.base, 16);
  bytes.writeDoubleLE(head.logTime, 24);
  bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4);
  return bytes;
}

export function tryReadSegmentHead(bytes: Buffer): SegmentHead | undefined {
  if (bytes.length < ALIGNMENT || bytes.readUInt32LE(0) !== SEGMENT_MAGIC) return undefined;
  const head = bytes.subarray(0, ALIGNMENT);
  if (head.readUInt32LE(4) !== crc32(head.subarray(8))) return undefined;
  return {
    salt: head.readUInt32LE(8),
    capacity: head.readUInt32LE(12),
    base: head.readDoubleLE(16),
    logTime: head.readDoubleLE(24),
  };
}
