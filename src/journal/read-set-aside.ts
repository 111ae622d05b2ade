/**
 * Reads the records in a file that was set aside from a journal: `<base>.segment` is a whole segment,
 * `<position>-<salt>.bin` a stretch of one (`<position>.bin` of an earlier version). Records that fail their checksum are left out, and their bytes are counted. The record at the beginning
 * of a stretch is the damaged one: it is read if one bit of it is wrong.
 */
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { Signal } from './journal-entry.ts';
import { tryMendRecord } from './mend-record.ts';
import { ALIGNMENT, recordLength } from './record.ts';
import { findSalt } from './segment-salt.ts';
import { readAt, scanSegment } from './segment-scan.ts';

interface SetAsideRecord {
  readonly signal: Signal;
  /** An export request in protobuf. */
  readonly bytes: Uint8Array;
  /** Spans or log records that it had; only where one wrong bit was corrected. */
  readonly mendedRows?: number;
}

const NAME = /^(\d+)(?:-([0-9a-f]{8}))?\.(segment|bin)$/;

export function isSetAside(file: string): boolean {
  return NAME.test(path.basename(file));
}

/** The name of a stretch. Its salt is that of its segment, without which one of its records cannot be corrected. */
export function stretchName(position: number, salt: number): string {
  return `${position}-${salt.toString(16).padStart(8, '0')}.bin`;
}

function parseName(name: string): { readonly base: number; readonly salt?: number; readonly kind: string } {
  const [, digits = '', salt, kind = ''] = NAME.exec(path.basename(name)) ?? [];
  return { base: Number(digits), kind, ...(salt !== undefined && { salt: Number.parseInt(salt, 16) }) };
}

/** Returns the bytes in which there is no whole record. */
export async function* readSetAside(name: string): AsyncGenerator<SetAsideRecord, number, undefined> {
  const { base, salt, kind } = parseName(name);
  const file = await open(name, 'r');
  try {
    const { size } = await file.stat();
    let read = 0;
    const mended =
      salt === undefined ? undefined : tryMendRecord(await readAt(file, 0, size), { salt, position: base });
    if (mended !== undefined) {
      const { head, payload } = mended;
      read += recordLength(head);
      yield { signal: head.kind === 'logs' ? 'logs' : 'traces', bytes: payload, mendedRows: head.rows };
    }
    const found = salt === undefined ? await findSalt(file, { base, size }) : { salt, logTime: 0 };
    if (found === undefined) return Math.max(0, size - read);
    let end = 0;
    const from = kind === 'bin' ? read : ALIGNMENT;
    for await (const one of scanSegment(file, { ...found, capacity: size, base }, from)) {
      if (one.found === 'end') end = one.offset;
      if (one.found !== 'record') continue;
      const { head, payload } = one;
      read += recordLength(head);
      yield { signal: head.kind === 'logs' ? 'logs' : 'traces', bytes: Buffer.from(payload) };
    }
    // A stretch was set aside whole; a segment may end before its file does.
    return kind === 'bin' ? size - read : Math.max(0, end - read - ALIGNMENT);
  } finally {
    await file.close();
  }
}
