/**
 * Whether a WAL belongs to a database of this size. An older copy of the database beside a newer WAL lacks the pages in
 * between. SQLite does not find that in the structure, and fails when it moves the WAL into the file.
 *
 *   WAL = magic, version, page size u32, checkpoint u32, salts 2 x u32, ... (32 bytes), frame*
 *   frame = page's number u32, size of the database in pages after a commit or 0 u32, salts, ... (24 bytes), page
 *
 * Frames with other salts are from before.
 */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

const HEAD_BYTES = 32;
const FRAME_HEAD_BYTES = 24;
/** SQLite's own allowance for pages that were never written. */
const UNWRITTEN_BYTES = 64 << 10;

/** True where the database is too small for its WAL. */
export function isWalOfLarger(file: string): boolean {
  const wal = `${file}-wal`;
  if ((statSync(wal, { throwIfNoEntry: false })?.size ?? 0) <= HEAD_BYTES) return false;
  const descriptor = openSync(wal, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const head = readAt(descriptor, 0, HEAD_BYTES);
    const frameBytes = FRAME_HEAD_BYTES + head.readUInt32BE(8);
    let pages = 0;
    for (let at = HEAD_BYTES; at + frameBytes <= size; at += frameBytes) {
      const frame = readAt(descriptor, at, FRAME_HEAD_BYTES);
      if (!frame.subarray(8, 16).equals(head.subarray(16, 24))) break;
      pages = frame.readUInt32BE(4) || pages;
    }
    return pages * head.readUInt32BE(8) > statSync(file).size + size + UNWRITTEN_BYTES;
  } finally {
    closeSync(descriptor);
  }
}

function readAt(descriptor: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  readSync(descriptor, bytes, 0, length, at);
  return bytes;
}
