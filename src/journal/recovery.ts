/**
 * Recovers the journal when it is opened: the entries in order, the segments that hold them, and the place at which
 * writing goes on. A torn end is cut by writing over it; a corrupt stretch is copied to `quarantine/` and covered.
 */
import { type FileHandle, mkdir, open, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { JournalEvent } from '../model/events/journal-events.ts';
import type { JournalEntry } from './journal-entry.ts';
import {
  ALIGNMENT,
  RECORD_HEAD_BYTES,
  recordLength,
  type SegmentHead,
  tryReadSegmentHead,
  writeRecordHead,
} from './record.ts';
import { listSegmentBases, type OpenSegment, segmentPath } from './segment-files.ts';
import { scanSegment } from './segment-scan.ts';

interface RecoveryOptions {
  readonly directory: string;
  readonly segmentBytes: number;
  readonly onEvent: (event: JournalEvent) => void;
}

export interface Segment {
  readonly base: number;
  readonly capacity: number;
  /** Rows that somebody still needs. */
  live: number;
}

export interface Recovered {
  readonly entries: readonly JournalEntry[];
  readonly segments: Segment[];
  readonly current: (OpenSegment & { offset: number }) | undefined;
  readonly endPosition: number;
  readonly lastLogTime: number | undefined;
}

export async function recover(options: RecoveryOptions): Promise<Recovered> {
  const startedAt = performance.now();
  const entries: JournalEntry[] = [];
  const segments: Segment[] = [];
  let current: (OpenSegment & { offset: number }) | undefined;
  let endPosition = 0;
  let lastLogTime: number | undefined;
  let cutBytes = 0;

  const bases = await listSegmentBases(options.directory);
  for (const [index, base] of bases.entries()) {
    const file = await open(segmentPath(options.directory, base), 'r+');
    const head = await readSegmentHead(file, base);
    if (head === undefined) {
      endPosition = base + (await file.stat()).size;
      await file.close();
      await setSegmentAside(options, base);
      continue;
    }
    const segment: Segment = { base, capacity: head.capacity, live: 0 };
    segments.push(segment);
    lastLogTime = Math.max(lastLogTime ?? 0, head.logTime);
    const isLast = index === bases.length - 1;
    let end = ALIGNMENT;
    let sealed = false;
    for await (const found of scanSegment(file, head)) {
      if (found.found === 'record') {
        const { head: record, offset, table } = found;
        segment.live += record.rows;
        lastLogTime = Math.max(lastLogTime, record.logTime);
        entries.push({
          signal: record.kind === 'logs' ? 'logs' : 'traces',
          position: record.position,
          nextPosition: record.position + recordLength(record),
          logTime: record.logTime,
          rows: record.rows,
          table,
          payloadPosition: base + offset + RECORD_HEAD_BYTES + record.tableLength,
        });
      } else if (found.found === 'corrupt') {
        await setStretchAside(options, file, head, found);
      } else {
        end = found.offset;
        sealed = found.sealed;
      }
    }
    if (isLast && !sealed) {
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
  return { entries, segments, current, endPosition, lastLogTime };
}

async function readSegmentHead(file: FileHandle, base: number): Promise<SegmentHead | undefined> {
  const bytes = Buffer.alloc(ALIGNMENT);
  await file.read(bytes, 0, ALIGNMENT, 0);
  const head = tryReadSegmentHead(bytes);
  return head?.base === base ? head : undefined;
}

/** How much of a record that was being written lies behind the good end, for the report. */
async function tornBytes(file: FileHandle, head: SegmentHead, end: number): Promise<number> {
  const bytes = Buffer.alloc(Math.min(ALIGNMENT, head.capacity - end));
  await file.read(bytes, 0, bytes.length, end);
  return bytes.some((byte) => byte !== 0) ? head.capacity - end : 0;
}

async function setSegmentAside(options: RecoveryOptions, base: number): Promise<void> {
  const quarantine = path.join(options.directory, 'quarantine');
  await mkdir(quarantine, { recursive: true });
  const target = path.join(quarantine, `${base}.segment`);
  await rename(segmentPath(options.directory, base), target);
  options.onEvent({ type: 'journal-corrupt', position: base, length: options.segmentBytes, quarantinedAt: target });
}

/** Copies a corrupt stretch to `quarantine/` and covers it with a hole, so that it is reported once. */
async function setStretchAside(
  options: RecoveryOptions,
  file: FileHandle,
  segment: SegmentHead,
  stretch: { readonly offset: number; readonly length: number },
): Promise<void> {
  const quarantine = path.join(options.directory, 'quarantine');
  await mkdir(quarantine, { recursive: true });
  const position = segment.base + stretch.offset;
  const target = path.join(quarantine, `${position}.bin`);
  const bytes = Buffer.alloc(stretch.length);
  await file.read(bytes, 0, stretch.length, stretch.offset);
  await writeFile(target, bytes, { flush: true });
  const hole = writeRecordHead(segment.salt, {
    position,
    logTime: segment.logTime,
    kind: 'hole',
    rows: 0,
    tableLength: 0,
    payloadLength: stretch.length - RECORD_HEAD_BYTES,
    bodyCrc: 0,
  });
  await file.write(hole, 0, hole.length, stretch.offset);
  await file.datasync();
  options.onEvent({ type: 'journal-corrupt', position, length: stretch.length, quarantinedAt: target });
}
