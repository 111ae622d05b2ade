/**
 * Recovers the journal when it is opened: the entries in order, the segments that hold them, and the place at which
 * writing goes on. A torn end is cut by writing over it; a corrupt stretch is copied to `quarantine/` and covered, and
 * so is an end that lies before the journal's mark, because it was synced. A segment whose head is damaged is read by
 * its records, and gets a new head; one that was cut gets its size back, so that both are reported once.
 */
import { type FileHandle, mkdir, open, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { JournalEvent } from '../model/events/journal-events.ts';
import type { JournalEntry } from './journal-entry.ts';
import type { MarkedSegment } from './journal-mark.ts';
import {
  ALIGNMENT,
  RECORD_HEAD_BYTES,
  recordLength,
  type SegmentHead,
  tryReadSegmentHead,
  writeRecordHead,
  writeSegmentHead,
} from './record.ts';
import { stretchName } from './read-set-aside.ts';
import { listSegmentBases, type OpenSegment, segmentPath } from './segment-files.ts';
import { findSalt } from './segment-salt.ts';
import { readAt, scanSegment } from './segment-scan.ts';

interface RecoveryOptions {
  readonly directory: string;
  readonly onEvent: (event: JournalEvent) => void;
}

export interface Segment {
  readonly base: number;
  readonly capacity: number;
  /** Rows that somebody still needs. */
  live: number;
  /** Positions of its last record and behind it. */
  last: number;
  end: number;
  /** Log time of its head: nothing in it was accepted before. */
  readonly since: number;
  /** True if the segment ended because a record did not fit. */
  isFull: boolean;
}

export interface Recovered {
  readonly entries: JournalEntry[];
  readonly segments: Segment[];
  readonly current: (OpenSegment & { offset: number }) | undefined;
  readonly endPosition: number;
  /** Position behind the last record, or behind what was set aside in its place. */
  readonly syncedEnd: number;
  readonly lastLogTime: number | undefined;
}

/** `synced`: what lies before these positions was synced. */
export async function recover(
  options: RecoveryOptions,
  synced: { readonly floor: number; readonly segments: readonly MarkedSegment[] } = { floor: 0, segments: [] },
): Promise<Recovered> {
  const startedAt = performance.now();
  const entries: JournalEntry[] = [];
  const segments: Segment[] = [];
  let current: (OpenSegment & { offset: number }) | undefined;
  let endPosition = 0;
  let syncedEnd = 0;
  let lastLogTime: number | undefined;
  let cutBytes = 0;

  const bases = await listSegmentBases(options.directory);
  for (const [index, base] of bases.entries()) {
    const file = await open(segmentPath(options.directory, base), 'r+');
    const { size } = await file.stat();
    const head = (await readSegmentHead(file, base)) ?? (await mendHead(options, file, { base, size }));
    if (head === undefined) {
      endPosition = Math.max(endPosition, base + size);
      await file.close();
      await setSegmentAside(options, { base, size });
      continue;
    }
    if (size < head.capacity) {
      options.onEvent({ type: 'journal-segment-short', position: base, size, capacity: head.capacity });
      await file.truncate(head.capacity);
    }
    const { capacity, logTime: since } = head;
    const segment: Segment = { base, capacity, live: 0, last: base, end: base, since, isFull: false };
    segments.push(segment);
    lastLogTime = Math.max(lastLogTime ?? 0, head.logTime);
    const isLast = index === bases.length - 1;
    let end = ALIGNMENT;
    let sealed = false;
    for await (const found of scanSegment(file, head)) {
      if (found.found === 'record') {
        const { head: record, offset, table } = found;
        segment.live += record.rows;
        segment.last = record.position;
        segment.end = record.position + recordLength(record);
        lastLogTime = Math.max(lastLogTime, record.logTime);
        entries.push({
          signal: record.kind === 'logs' ? 'logs' : 'traces',
          position: record.position,
          nextPosition: record.position + recordLength(record),
          logTime: record.logTime,
          rows: record.rows,
          sender: record.sender,
          table,
          payloadPosition: base + offset + RECORD_HEAD_BYTES + record.tableLength,
        });
      } else if (found.found === 'corrupt') {
        await setStretchAside(options, file, head, found);
      } else if (found.found === 'end') {
        end = found.offset;
        sealed = found.sealed;
      }
    }
    const markedEnd = syncedIn(head, synced);
    if (!sealed && base + end < markedEnd) {
      await setStretchAside(options, file, head, { offset: end, length: markedEnd - base - end });
      end = markedEnd - base;
      segment.end = markedEnd;
    }
    if (end > ALIGNMENT) syncedEnd = base + end;
    // A file that was cut is read and not written to any more.
    if (isLast && !sealed && size >= head.capacity) {
      cutBytes = await tornBytes(file, head, end);
      current = { base, salt: head.salt, capacity: head.capacity, file, offset: end };
      endPosition = base + end;
    } else {
      await file.close();
      endPosition = base + head.capacity;
    }
  }
  const rows = entries.reduce((sum, entry) => sum + entry.rows, 0);
  if (bases.length > 0) {
    const tookMs = performance.now() - startedAt;
    options.onEvent({ type: 'journal-recovered', entries: entries.length, rows, cutBytes, tookMs });
  }
  return { entries, segments, current, endPosition, syncedEnd, lastLogTime };
}

/** The end of what was synced in a segment, as far as it is known. */
function syncedIn(
  { base, capacity }: SegmentHead,
  { floor, segments }: { readonly floor: number; readonly segments: readonly MarkedSegment[] },
): number {
  const marked = segments.find((one) => one.base === base)?.end ?? base;
  // The store may know more than an old mark.
  const isHere = floor > base && floor <= base + capacity && floor % ALIGNMENT === base % ALIGNMENT;
  return isHere ? Math.max(marked, floor) : marked;
}

export async function readSegmentHead(file: FileHandle, base: number): Promise<SegmentHead | undefined> {
  const bytes = Buffer.alloc(ALIGNMENT);
  await file.read(bytes, 0, ALIGNMENT, 0);
  const head = tryReadSegmentHead(bytes);
  return head?.base === base ? head : undefined;
}

/** Gives a segment whose head is damaged another one, if it has a record that belongs to it. */
async function mendHead(
  options: RecoveryOptions,
  file: FileHandle,
  { base, size }: { readonly base: number; readonly size: number },
): Promise<SegmentHead | undefined> {
  const found = await findSalt(file, { base, size });
  if (found === undefined) return undefined;
  const head: SegmentHead = { ...found, capacity: size, base };
  await setBytesAside(options, file, { position: base, offset: 0, length: ALIGNMENT, salt: head.salt });
  await file.write(writeSegmentHead(head), 0, ALIGNMENT, 0);
  await file.datasync();
  return head;
}

/** How much of a record that was being written lies behind the good end, for the report. */
async function tornBytes(file: FileHandle, head: SegmentHead, end: number): Promise<number> {
  const bytes = Buffer.alloc(Math.min(ALIGNMENT, head.capacity - end));
  await file.read(bytes, 0, bytes.length, end);
  return bytes.some((byte) => byte !== 0) ? head.capacity - end : 0;
}

async function setSegmentAside(
  options: RecoveryOptions,
  { base, size }: { readonly base: number; readonly size: number },
): Promise<void> {
  const target = path.join(await quarantineOf(options), `${base}.segment`);
  await rename(segmentPath(options.directory, base), target);
  // An empty file is a loss, too, and must be counted.
  options.onEvent({
    type: 'journal-corrupt',
    position: base,
    length: Math.max(size, ALIGNMENT),
    quarantinedAt: target,
  });
}

/** Copies a corrupt stretch to `quarantine/` and covers it with a hole, so that it is reported once. */
async function setStretchAside(
  options: RecoveryOptions,
  file: FileHandle,
  segment: SegmentHead,
  { offset, length }: { readonly offset: number; readonly length: number },
): Promise<void> {
  const position = segment.base + offset;
  await setBytesAside(options, file, { position, offset, length, salt: segment.salt });
  const hole = writeRecordHead(segment.salt, {
    position,
    logTime: segment.logTime,
    kind: 'hole',
    rows: 0,
    tableLength: 0,
    payloadLength: length - RECORD_HEAD_BYTES,
    bodyCrc: 0,
  });
  await file.write(hole, 0, hole.length, offset);
  await file.datasync();
}

async function setBytesAside(
  options: RecoveryOptions,
  file: FileHandle,
  {
    position,
    offset,
    length,
    salt,
  }: { readonly position: number; readonly offset: number; readonly length: number; readonly salt: number },
): Promise<void> {
  const target = path.join(await quarantineOf(options), stretchName(position, salt));
  await writeFile(target, await readAt(file, offset, length), { flush: true, mode: 0o600 });
  options.onEvent({ type: 'journal-corrupt', position, length, quarantinedAt: target });
}

async function quarantineOf({ directory }: RecoveryOptions): Promise<string> {
  const quarantine = path.join(directory, 'quarantine');
  await mkdir(quarantine, { recursive: true, mode: 0o700 });
  return quarantine;
}
