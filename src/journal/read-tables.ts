/** The tables of all records that a start would read from a journal. Nothing is changed. */
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { readSegmentHead } from './recovery.ts';
import { listSegmentBases, segmentPath } from './segment-files.ts';
import { findSalt } from './segment-salt.ts';
import { scanSegment } from './segment-scan.ts';

export async function* readTables(directory: string): AsyncGenerator<Uint8Array, void, undefined> {
  if (!existsSync(directory)) return;
  for (const base of await listSegmentBases(directory)) {
    const file = await open(segmentPath(directory, base), 'r');
    try {
      const { size } = await file.stat();
      const read = await readSegmentHead(file, base);
      const found = read === undefined ? await findSalt(file, { base, size }) : undefined;
      const head = read ?? (found === undefined ? undefined : { ...found, capacity: size, base });
      if (head === undefined) continue;
      for await (const one of scanSegment(file, head)) if (one.found === 'record') yield one.table;
    } finally {
      await file.close();
    }
  }
}
