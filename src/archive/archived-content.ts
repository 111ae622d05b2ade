/** Recorded conversations of an archive, for commands that read recordings. The oldest day comes first. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { keyOf, tablePrefix, tryReadKey } from './archive-keys.ts';
import type { AwsVariables } from './object-store.ts';
import { isBucketUrl, openObjectStore } from './open-object-store.ts';
import { rowsIn } from './parquet-rows.ts';

interface ArchivedContent {
  /** An OTLP TracesData message. */
  readonly traces: Uint8Array;
  /** An OTLP LogsData message. */
  readonly logs: Uint8Array | undefined;
}

const CONTENT = tablePrefix('content');

/**
 * `place` is an archive, or a day of its content. A turn that was archived more than once comes as often: readers of
 * spans drop duplicates by their ids.
 */
export async function* archivedContent(place: string, variables?: AwsVariables): AsyncGenerator<ArchivedContent> {
  const at = `${place}/`.indexOf(`/${CONTENT}`);
  const store = openObjectStore(at === -1 ? place : place.slice(0, at), variables);
  for await (const keys of store.list(at === -1 ? CONTENT : place.slice(at + 1))) {
    for (const key of keys) {
      const place = tryReadKey(key);
      if (place === undefined || keyOf('content', place) !== key) continue;
      const bytes = await store.get(key);
      // Deleted since it was listed: by forgetting, or by a rule of the bucket.
      if (bytes !== undefined) yield* contentIn(bytes, key);
    }
  }
}

/** Content in one file of the archive. Throws where it is not Parquet or has other columns. */
export async function* contentIn(bytes: Uint8Array<ArrayBuffer>, of: string): AsyncGenerator<ArchivedContent> {
  for (const { spans, log_records } of await rowsIn(bytes, { columns: ['spans', 'log_records'], of })) {
    if (spans instanceof Uint8Array)
      yield { traces: spans, logs: log_records instanceof Uint8Array ? log_records : undefined };
  }
}

/** Whether recordings are read from there. A bucket is not asked before. */
export function isArchive(place: string): boolean {
  return (
    isBucketUrl(place) || existsSync(path.join(place, CONTENT)) || `${path.resolve(place)}/`.includes(`/${CONTENT}`)
  );
}

/** A Parquet file begins and ends with these bytes. */
export function isParquet(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, 4).toString('latin1') === 'PAR1';
}
