/**
 * Reads a segment from front to back when the journal is opened, and says what it found: records, corrupt stretches in
 * the middle, and where the good part ends.
 *
 * A record that fails its checksum is the torn end of the log if nothing valid follows it in its segment; it was never
 * acknowledged and is cut. If something valid follows, the stretch between is corrupt: acknowledged data may be lost in
 * it, so it is reported and set aside, and the log goes on behind it.
 */
import type { FileHandle } from 'node:fs/promises';
import {
  ALIGNMENT,
  bodyChecksum,
  looksLikeRecord,
  RECORD_HEAD_BYTES,
  type RecordHead,
  recordLength,
  type SegmentHead,
  tryReadRecordHead,
} from './record.ts';

export type Scanned =
  | {
      readonly found: 'record';
      readonly offset: number;
      readonly head: RecordHead;
      readonly table: Buffer;
      /** Part of what was read ahead: who keeps it keeps all of that in memory. */
      readonly payload: Buffer;
    }
  | { readonly found: 'hole'; readonly offset: number; readonly head: RecordHead }
  | { readonly found: 'corrupt'; readonly offset: number; readonly length: number }
  | { readonly found: 'end'; readonly offset: number; readonly sealed: boolean };

const SEARCH_CHUNK_BYTES = 1 << 20;
const READ_AHEAD_BYTES = 256 << 10;
const NO_BYTES: Buffer = Buffer.alloc(0);

/** `from` is where the first record is: behind the head, unless the file is a stretch of a segment. */
export async function* scanSegment(
  file: FileHandle,
  segment: SegmentHead,
  from: number = ALIGNMENT,
): AsyncGenerator<Scanned, void, undefined> {
  const ahead = new ReadAhead(file, segment.capacity);
  let offset = from;
  while (offset + RECORD_HEAD_BYTES <= segment.capacity) {
    const here = await readRecord(ahead, segment, offset);
    if (here !== undefined) {
      if (here.head.kind === 'end') {
        yield { found: 'end', offset, sealed: true };
        return;
      }
      if (here.head.kind === 'hole') yield { found: 'hole', offset, head: here.head };
      else yield { found: 'record', offset, ...here };
      offset += recordLength(here.head);
      continue;
    }
    const next = await findRecord(file, segment, offset + ALIGNMENT);
    if (next === undefined) break;
    yield { found: 'corrupt', offset, length: next - offset };
    offset = next;
  }
  yield { found: 'end', offset, sealed: false };
}

/** Most records are small, and a call for each costs more than reading them. */
class ReadAhead {
  readonly #file: FileHandle;
  readonly #end: number;
  #start = 0;
  #bytes: Buffer = NO_BYTES;

  constructor(file: FileHandle, end: number) {
    this.#file = file;
    this.#end = end;
  }

  /** Fewer bytes at the end of the file. */
  async at(offset: number, length: number): Promise<Buffer> {
    const within = offset - this.#start;
    if (within < 0 || within + length > this.#bytes.length) {
      const wanted = Math.max(length, Math.min(READ_AHEAD_BYTES, this.#end - offset));
      this.#bytes = await readAt(this.#file, offset, wanted);
      this.#start = offset;
      return this.#bytes.subarray(0, length);
    }
    return this.#bytes.subarray(within, within + length);
  }
}

async function readRecord(
  ahead: ReadAhead,
  segment: SegmentHead,
  offset: number,
): Promise<{ readonly head: RecordHead; readonly table: Buffer; readonly payload: Buffer } | undefined> {
  const headBytes = await ahead.at(offset, RECORD_HEAD_BYTES);
  const head = tryReadRecordHead(headBytes, 0, { salt: segment.salt, position: segment.base + offset });
  if (head === undefined) return undefined;
  if (head.kind === 'hole' || head.kind === 'end') return { head, table: NO_BYTES, payload: NO_BYTES };
  if (offset + recordLength(head) > segment.capacity) return undefined;
  const body = await ahead.at(offset + RECORD_HEAD_BYTES, head.tableLength + head.payloadLength);
  if (body.length < head.tableLength + head.payloadLength) return undefined;
  const table = body.subarray(0, head.tableLength);
  const payload = body.subarray(head.tableLength);
  if (bodyChecksum(segment.salt, table, payload) !== head.bodyCrc) return undefined;
  // A copy, so that the payload can go.
  return { head, table: Buffer.from(table), payload };
}

/** The offset of the first whole record at or after `from`. */
async function findRecord(file: FileHandle, segment: SegmentHead, from: number): Promise<number | undefined> {
  const ahead = new ReadAhead(file, segment.capacity);
  for (let at = from; at < segment.capacity; at += SEARCH_CHUNK_BYTES) {
    const chunk = await readAt(file, at, SEARCH_CHUNK_BYTES + RECORD_HEAD_BYTES);
    for (let slot = 0; slot < Math.min(SEARCH_CHUNK_BYTES, chunk.length); slot += ALIGNMENT) {
      if (!looksLikeRecord(chunk, slot)) continue;
      if ((await readRecord(ahead, segment, at + slot)) !== undefined) return at + slot;
    }
  }
  return undefined;
}

export async function readAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
