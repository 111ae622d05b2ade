/** Writes to the segment that the journal appends to. */
import type { FileHandle } from 'node:fs/promises';
import { ALIGNMENT, writeRecordHead } from './record.ts';
import type { OpenSegment } from './segment-files.ts';

export async function writeAll(file: FileHandle, buffers: readonly Uint8Array[], at: number): Promise<void> {
  const expected = buffers.reduce((sum, buffer) => sum + buffer.length, 0);
  const { bytesWritten } = await file.writev([...buffers], at);
  if (bytesWritten === expected) return;
  // Full disks and very large groups write short; writing the rest in one piece shows which it was.
  const rest = Buffer.concat(buffers).subarray(bytesWritten);
  let written = 0;
  while (written < rest.length) {
    const part = await file.write(rest, written, rest.length - written, at + bytesWritten + written);
    written += part.bytesWritten;
  }
}

export async function sealSegment(segment: OpenSegment & { readonly offset: number }, logTime: number): Promise<void> {
  if (segment.offset + ALIGNMENT > segment.capacity) return;
  const head = writeRecordHead(segment.salt, {
    position: segment.base + segment.offset,
    logTime,
    kind: 'end',
    rows: 0,
    tableLength: 0,
    payloadLength: 0,
    bodyCrc: 0,
  });
  await segment.file.write(head, 0, head.length, segment.offset);
  // A recycled file may hold older bytes there, which no record will ever overwrite.
  const behind = segment.offset + ALIGNMENT;
  if (behind < segment.capacity) await writeAll(segment.file, [Buffer.alloc(segment.capacity - behind)], behind);
  await segment.file.datasync();
}
