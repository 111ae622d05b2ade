/**
 * Reads the records in a file that was set aside from a journal: `<base>.segment` is a whole segment, `<position>.bin` a
 * stretch of one. Records that fail their checksum are left out, and their bytes are counted.
 */
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { Signal } from './journal-entry.ts';
import { ALIGNMENT, RECORD_HEAD_BYTES, recordLength } from './record.ts';
import { findSalt } from './segment-salt.ts';
import { readAt, scanSegment } from './segment-scan.ts';

interface SetAsideRecord {
  readonly signal: Signal;
  /** An export request in protobuf. */
  readonly bytes: Uint8Array;
}

const NAME = /^(\d+)\.(segment|bin)$/;

export function isSetAside(file: string): boolean {
  return NAME.test(path.basename(file));
}

/** Returns the bytes in which there is no whole record. */
export async function* readSetAside(name: string): AsyncGenerator<SetAsideRecord, number, undefined> {
  const [, digits = '', kind] = NAME.exec(path.basename(name)) ?? [];
  const base = Number(digits);
  const file = await open(name, 'r');
  try {
    const { size } = await file.stat();
    const found = await findSalt(file, { base, size });
    if (found === undefined) return size;
    let read = 0;
    let end = 0;
    for await (const one of scanSegment(file, { ...found, capacity: size, base }, kind === 'bin' ? 0 : ALIGNMENT)) {
      if (one.found === 'end') end = one.offset;
      if (one.found !== 'record') continue;
      const { head, offset } = one;
      read += recordLength(head);
      const at = offset + RECORD_HEAD_BYTES + head.tableLength;
      yield { signal: head.kind === 'logs' ? 'logs' : 'traces', bytes: await readAt(file, at, head.payloadLength) };
    }
    return Math.max(0, end - read - (kind === 'bin' ? 0 : ALIGNMENT));
  } finally {
    await file.close();
  }
}
