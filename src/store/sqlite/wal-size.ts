/**
 * Whether a database is too small for its WAL: an older copy beside a newer WAL lacks the pages in between. SQLite does not
 * find that in the structure, and fails when it moves the WAL into the file.
 *
 *   WAL = magic, version, page size u32, checkpoint u32, salts 2 x u32, ... (32 bytes), frame*
 *   frame = page's number u32, size of the database in pages after a commit or 0 u32, salts, ... (24 bytes), page
 *
 * Frames with other salts are from before: the file keeps its size when it is written from the beginning again.
 */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

const HEAD_BYTES = 32;
const FRAME_HEAD_BYTES = 24;
/** The last bit says in which order its checksums read bytes. */
const MAGIC = 0x377f0682;
/** SQLite's own allowance for pages that were never written. */
const UNWRITTEN_BYTES = 64 << 10;

export function isTooSmallForWal(file: string): boolean {
  const wal = `${file}-wal`;
  if ((statSync(wal, { throwIfNoEntry: false })?.size ?? 0) <= HEAD_BYTES) return false;
  const descriptor = openSync(wal, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const head = readAt(descriptor, 0, HEAD_BYTES);
    if ((head.readUInt32BE(0) & ~1) >>> 0 !== MAGIC) return false;
    const pageBytes = head.readUInt32BE(8);
    let [frames, pages] = [0, 0];
    for (let at = HEAD_BYTES; at + FRAME_HEAD_BYTES + pageBytes <= size; at += FRAME_HEAD_BYTES + pageBytes) {
      const frame = readAt(descriptor, at, FRAME_HEAD_BYTES);
      if (!frame.subarray(8, 16).equals(head.subarray(16, 24))) break;
      frames += 1;
      pages = frame.readUInt32BE(4) || pages;
    }
    return pages * pageBytes > statSync(file).size + frames * pageBytes + UNWRITTEN_BYTES;
  } finally {
    closeSync(descriptor);
  }
}

function readAt(descriptor: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  readSync(descriptor, bytes, 0, length, at);
  return bytes;
}
