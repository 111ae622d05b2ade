/** Holds the segments of a journal and its mark against each other, without changing anything. */
import { existsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Damage } from '../model/damage.ts';
import { type JournalMark, type MarkedSegment, type MarkedStore, readJournalMark } from './journal-mark.ts';
import { ALIGNMENT, RECORD_HEAD_BYTES, recordLength, type SegmentHead, tryReadRecordHead } from './record.ts';
import { readSegmentHead } from './recovery.ts';
import { listSegmentBases, segmentPath } from './segment-files.ts';
import { findSalt } from './segment-salt.ts';
import { readAt, scanSegment } from './segment-scan.ts';

export interface ExaminedJournal {
  readonly damage: readonly Damage[];
  readonly isThere: boolean;
  /** Position at which the first segment begins. */
  readonly base: number;
  /** Position behind the last record, by what is there and by the mark. */
  readonly end: number;
  /** Bytes that a start sets aside and reports. */
  readonly corruptBytes: number;
  /** The store that has what was released, by the mark. */
  readonly store: MarkedStore | undefined;
}

interface ExamineOptions {
  readonly directory: string;
  readonly markFile: string;
  /** A start reads all records anyway when it opens the journal. */
  readonly depth: 'quick' | 'whole';
}

export async function examineJournal({ directory, markFile, depth }: ExamineOptions): Promise<ExaminedJournal> {
  const mark = readJournalMark(markFile);
  const bases = existsSync(directory) ? await listSegmentBases(directory) : [];
  const damage: Damage[] = [...missing({ directory, bases, mark })];
  let end = mark?.end ?? 0;
  let corruptBytes = 0;
  for (const [index, base] of bases.entries()) {
    const isLast = index === bases.length - 1;
    const file = await open(segmentPath(directory, base), 'r');
    try {
      const found = await examineSegment(file, { base, isLast, mark, depth });
      damage.push(...found.damage.map((one) => ({ ...one, what: `${segmentPath(directory, base)} ${one.what}` })));
      end = Math.max(end, found.end);
      corruptBytes += found.corruptBytes;
    } finally {
      await file.close();
    }
  }
  const isThere = bases.length > 0 || mark !== undefined;
  return { damage, isThere, base: bases[0] ?? 0, end, corruptBytes, store: mark?.store };
}

function missing(found: {
  readonly directory: string;
  readonly bases: readonly number[];
  readonly mark: JournalMark | undefined;
}): readonly Damage[] {
  const { directory, bases, mark } = found;
  const gone = (mark?.segments ?? []).map(({ base }) => base).filter((base) => !bases.includes(base));
  if (gone.length === 0) return [];
  const key = `segment-missing:${mark?.end ?? 0}:${gone.join(',')}`;
  if (bases.length === 0)
    return [
      { kind: 'journal-missing', what: `${directory} has none of its ${gone.length} segments`, losesData: true, key },
    ];
  const names = gone.map((base) => segmentPath(directory, base)).join(', ');
  return [{ kind: 'segment-missing', what: `${names} missing`, losesData: true, key }];
}

interface ExaminedSegment {
  readonly damage: readonly Damage[];
  readonly end: number;
  readonly corruptBytes: number;
}

async function examineSegment(
  file: FileHandle,
  of: {
    readonly base: number;
    readonly isLast: boolean;
    readonly mark: JournalMark | undefined;
    readonly depth: ExamineOptions['depth'];
  },
): Promise<ExaminedSegment> {
  const { base, isLast, mark, depth } = of;
  const marked = mark?.segments.find((one) => one.base === base);
  const { size } = await file.stat();
  const read = await readSegmentHead(file, base);
  const found = read === undefined ? await findSalt(file, { base, size }) : undefined;
  const head: SegmentHead | undefined = read ?? (found === undefined ? undefined : { ...found, capacity: size, base });
  if (head === undefined) {
    // A segment that its mark does not name may have been recycled when the process died.
    const losesData = mark === undefined || marked !== undefined;
    const kind = size === 0 ? 'segment-short' : 'segment-unreadable';
    const what = size === 0 ? 'is empty' : 'has no record that can be read';
    return { damage: [{ kind, what, losesData, key: `${kind}:${base}:${size}` }], end: base, corruptBytes: size };
  }
  const headBytes = read === undefined ? ALIGNMENT : 0;
  const isShort = size < head.capacity;
  const isTrusted = !isLast && !isShort && (marked === undefined || (await hasRecord(file, head, marked)));
  if (isTrusted && depth === 'quick') return { damage: [], end: base, corruptBytes: headBytes };
  const scanned = await scan(file, head);
  const end = base + scanned.end;
  // Each segment before the last is taken for full if the journal has no mark.
  const expected = marked?.end ?? (isLast || mark !== undefined ? end : base + head.capacity);
  const isCut = !scanned.isSealed && expected > end;
  const corruptBytes = headBytes + scanned.corruptBytes + (marked !== undefined && isCut ? expected - end : 0);
  if (isShort) {
    const losesData = isCut || (mark === undefined && !scanned.isSealed);
    const what = `has ${size} of its ${head.capacity} bytes`;
    return {
      damage: [{ kind: 'segment-short', what, losesData, key: `segment-short:${base}:${size}` }],
      end,
      corruptBytes,
    };
  }
  if (isCut && marked !== undefined && (await isBlank(file, scanned.end))) {
    const what = `ends at position ${end}, and records up to ${expected} were accepted: it is an older copy, or was overwritten`;
    return {
      damage: [{ kind: 'journal-behind', what, losesData: true, key: `journal-behind:${base}:${end}` }],
      end,
      corruptBytes,
    };
  }
  return { damage: [], end, corruptBytes };
}

/** Whether the last record is where its mark says. */
async function hasRecord(
  file: FileHandle,
  { salt, base }: SegmentHead,
  { last, end }: MarkedSegment,
): Promise<boolean> {
  if (end === base) return true;
  const head = await readAt(file, last - base, RECORD_HEAD_BYTES);
  return tryReadRecordHead(head, 0, { salt, position: last }) !== undefined;
}

async function scan(
  file: FileHandle,
  head: SegmentHead,
): Promise<{ readonly end: number; readonly isSealed: boolean; readonly corruptBytes: number }> {
  let corruptBytes = 0;
  let end = ALIGNMENT;
  let isSealed = false;
  for await (const found of scanSegment(file, head)) {
    if (found.found === 'corrupt') corruptBytes += found.length;
    else if (found.found === 'record') end = found.offset + recordLength(found.head);
    else if (found.found === 'end') {
      end = Math.max(end, found.offset);
      isSealed = found.sealed;
    }
  }
  return { end, isSealed, corruptBytes };
}

/** A damaged record leaves something; a file that never had it does not. */
async function isBlank(file: FileHandle, offset: number): Promise<boolean> {
  return (await readAt(file, offset, ALIGNMENT)).every((byte) => byte === 0);
}
