/** The content of a store that no row refers to, and the content of its rows, while nobody has the store open. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { TraceId } from '../../model/ids.ts';
import { decodeContent } from '../content-codec.ts';
import { DamagedContent } from '../damaged-content.ts';
import type { TraceContent } from '../engine-store.ts';
import { beginsLikePiece, findPieces, PIECE_HEAD_BYTES } from './content-piece.ts';
import { contentDirectory, contentFile, ContentReader } from './content-reader.ts';
import type { Unreferenced } from './examine-store.ts';
import { readUnchanged } from './read-unchanged.ts';
import { readContent } from './traces.ts';

export interface UnreferencedStretch {
  readonly name: string;
  /** Its place in its file. */
  readonly offset: number;
  readonly end: number;
  readonly pieces: readonly TraceContent[];
  /** Whether one transaction may have written it: its pieces lie one behind the other from the beginning on. */
  readonly isOfOneTransaction: boolean;
}

/** One after the other: a stretch has at most the size of a file of content. */
export function* readUnreferenced(
  storeFile: string,
  { files, tail }: Pick<Unreferenced, 'files' | 'tail'>,
): Generator<UnreferencedStretch> {
  const directory = contentDirectory(storeFile);
  const stretches = [...files.map((file) => ({ file, offset: 0 })), ...(tail === undefined ? [] : [tail])];
  for (const { file, offset } of stretches) {
    const name = contentFile(directory, file);
    const bytes = readFrom(name, offset);
    const found = [...findPieces(bytes)];
    const begins = found.map((piece) => piece.offset);
    const ends = found.map((piece) => piece.offset + PIECE_HEAD_BYTES + piece.spans.length + piece.logs.length);
    yield {
      name,
      offset,
      end: offset + bytes.length,
      pieces: found.map(({ spans, logs }) => ({
        traces: decodeContent(spans),
        logs: logs.length === 0 ? undefined : decodeContent(logs),
      })),
      isOfOneTransaction:
        // The system may have made the file longer, and died before it wrote to it.
        (beginsLikePiece(bytes) || bytes.every((byte) => byte === 0)) &&
        begins.every((begin, index) => begin === (index === 0 ? 0 : ends[index - 1])),
    };
  }
}

function readFrom(name: string, offset: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, statSync(name).size - offset));
  const descriptor = openSync(name, 'r');
  try {
    for (let filled = 0; filled < bytes.length; ) {
      const count = readSync(descriptor, bytes, filled, bytes.length - filled, offset + filled);
      if (count === 0) return bytes.subarray(0, filled);
      filled += count;
    }
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}

/** The content of these traces that is intact, and `deleted` for those that retention or a person has deleted. */
export function readStored(
  storeFile: string,
  traceIds: ReadonlySet<TraceId>,
): ReadonlyMap<TraceId, TraceContent | 'deleted'> {
  return readUnchanged(
    storeFile,
    (database) => storedIn(database, storeFile, traceIds),
    new Map<TraceId, TraceContent>(),
  );
}

function storedIn(
  database: DatabaseSync,
  storeFile: string,
  traceIds: ReadonlySet<TraceId>,
): ReadonlyMap<TraceId, TraceContent | 'deleted'> {
  const found = new Map<TraceId, TraceContent | 'deleted'>();
  const ofTrace = database.prepare('SELECT * FROM traces WHERE trace_id = ?');
  const pruned = database.prepare('SELECT 1 FROM pruned_traces WHERE trace_id = ?');
  const reader = new ContentReader(contentDirectory(storeFile));
  try {
    for (const traceId of traceIds) {
      const id = Buffer.from(traceId, 'hex');
      const row = ofTrace.get(id);
      const content = row === undefined ? undefined : tryRead(reader, row);
      if (content !== undefined) found.set(traceId, content);
      else if (pruned.get(id) !== undefined) found.set(traceId, 'deleted');
    }
    return found;
  } finally {
    reader.close();
  }
}

function tryRead(reader: ContentReader, row: Record<string, unknown>): TraceContent | undefined {
  try {
    return readContent(row, (place) => reader.read(place));
  } catch (error) {
    if (error instanceof DamagedContent) return undefined;
    throw error;
  }
}
