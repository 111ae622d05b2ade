/**
 * Removes bytes from a segment without moving a record: positions name bytes of the log permanently.
 *
 * States, and what a crash does there:
 *   copied      `rewrite-<base>` is being written    a start removes it; the segment is as it was
 *   renamed     it has taken the segment's place     the segment is whole, and the removed bytes are in no file
 *
 * Bytes of no record (behind the last one, under a hole) are read by nobody and are overwritten in place. Corrupt
 * stretches stay as they are: the next start sets them aside.
 */
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import {
  ALIGNMENT,
  bodyChecksum,
  RECORD_HEAD_BYTES,
  recordLength,
  type SegmentHead,
  writeRecordHead,
  writeSegmentHead,
} from './record.ts';
import { readSegmentHead } from './recovery.ts';
import { REWRITE_PREFIX, segmentPath, syncDirectory } from './segment-files.ts';
import { readAt, type Scanned, scanSegment } from './segment-scan.ts';

/** A record as its editor gets it. Both arrays may be changed in place. */
interface EditedRecord {
  readonly table: Uint8Array;
  readonly payload: Uint8Array;
}

/** `cover`: nothing of the record is needed any more. */
export type EditRecord = (record: EditedRecord) => 'keep' | 'changed' | 'cover';

const CHUNK_BYTES = 1 << 20;
const ZEROS = Buffer.alloc(CHUNK_BYTES);

interface Rewriting {
  readonly directory: string;
  readonly base: number;
  /** Offset behind the last record of a segment that is being written; others end where their records do. */
  readonly end: number | undefined;
  readonly edit: EditRecord;
}

interface Change {
  readonly offset: number;
  readonly length: number;
  /** Undefined where the record is covered by a hole. */
  readonly bytes: readonly Uint8Array[];
}

/** True if the segment is another file now. */
export async function rewriteSegment({ directory, base, end, edit }: Rewriting): Promise<boolean> {
  const source = segmentPath(directory, base);
  const file = await open(source, 'r+');
  try {
    const head = await readSegmentHead(file, base);
    if (head === undefined) return false;
    const { changes, behind } = await changesIn(file, head, { end, edit });
    // First: what is copied is clean then.
    await clear(file, behind, head.capacity);
    if (changes.length === 0) return false;
    const target = path.join(directory, `${REWRITE_PREFIX}${base}`);
    await copy(file, head, { target, changes });
    await rename(target, source);
    await syncDirectory(directory);
    return true;
  } finally {
    await file.close();
  }
}

async function changesIn(
  file: FileHandle,
  head: SegmentHead,
  { end, edit }: Pick<Rewriting, 'end' | 'edit'>,
): Promise<{ readonly changes: readonly Change[]; readonly behind: number }> {
  const changes: Change[] = [];
  let behind = end;
  // Behind a known end nothing is searched for.
  for await (const found of scanSegment(file, { ...head, capacity: end ?? head.capacity })) {
    if (found.found === 'hole') {
      await clear(file, found.offset + RECORD_HEAD_BYTES, found.offset + recordLength(found.head));
    } else if (found.found === 'record') {
      const change = changeOf(head, found, edit);
      if (change !== undefined) changes.push(change);
    } else if (found.found === 'end') {
      // The record that closes a segment is as long as its alignment.
      behind ??= found.offset + (found.sealed ? ALIGNMENT : 0);
    }
  }
  return { changes, behind: behind ?? head.capacity };
}

function changeOf(
  { salt }: SegmentHead,
  { offset, head, table, payload }: Extract<Scanned, { readonly found: 'record' }>,
  edit: EditRecord,
): Change | undefined {
  const length = recordLength(head);
  const edited = edit({ table, payload });
  if (edited === 'keep') return undefined;
  if (edited === 'changed') {
    const written = writeRecordHead(salt, { ...head, bodyCrc: bodyChecksum(salt, table, payload) });
    return { offset, length, bytes: [written, table, payload] };
  }
  const payloadLength = length - RECORD_HEAD_BYTES;
  const hole = { ...head, kind: 'hole', rows: 0, tableLength: 0, payloadLength, bodyCrc: 0 } as const;
  return { offset, length, bytes: [writeRecordHead(salt, hole)] };
}

/** Writes a copy of the segment with the changed records, synced. */
async function copy(
  from: FileHandle,
  head: SegmentHead,
  { target, changes }: { readonly target: string; readonly changes: readonly Change[] },
): Promise<void> {
  const to = await open(target, 'w', 0o600);
  try {
    let at = 0;
    for (const { offset, length, bytes } of changes) {
      await copyBytes(from, to, { from: at, to: offset });
      const record = Buffer.alloc(length);
      let filled = 0;
      for (const part of bytes) {
        record.set(part, filled);
        filled += part.length;
      }
      await writeAt(to, record, offset);
      at = offset + length;
    }
    await copyBytes(from, to, { from: at, to: head.capacity });
    // A head that was mended is written as it is read.
    await writeAt(to, writeSegmentHead(head), 0);
    await to.sync();
  } catch (error) {
    await rm(target, { force: true });
    throw error;
  } finally {
    await to.close();
  }
}

async function copyBytes(
  source: FileHandle,
  target: FileHandle,
  range: { readonly from: number; readonly to: number },
): Promise<void> {
  for (let at = range.from; at < range.to; at += CHUNK_BYTES) {
    const chunk = await readAt(source, at, Math.min(CHUNK_BYTES, range.to - at));
    await writeAt(target, chunk, at);
  }
}

/** Overwrites what is not zero already, so that a segment that was cleared before is only read. */
async function clear(file: FileHandle, from: number, to: number): Promise<void> {
  let isChanged = false;
  for (let at = from; at < to; at += CHUNK_BYTES) {
    const chunk = await readAt(file, at, Math.min(CHUNK_BYTES, to - at));
    if (chunk.equals(ZEROS.subarray(0, chunk.length))) continue;
    await writeAt(file, chunk.fill(0), at);
    isChanged = true;
  }
  if (isChanged) await file.datasync();
}

async function writeAt(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const part = await file.write(bytes, written, bytes.length - written, at + written);
    written += part.bytesWritten;
  }
}
