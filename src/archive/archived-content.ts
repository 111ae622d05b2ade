/** Recorded conversations of an archive, for commands that read recordings. The oldest day comes first. */
import { keyOf, tablePrefix, tryReadKey } from './archive-keys.ts';
import type { ObjectStore } from './object-store.ts';
import { rowsIn } from './parquet-rows.ts';

interface ArchivedContent {
  /** An OTLP TracesData message. */
  readonly traces: Uint8Array;
  /** An OTLP LogsData message. */
  readonly logs: Uint8Array | undefined;
}

/** A turn that was archived more than once comes as often: who reads spans drops duplicates by their ids. */
export async function* archivedContent(store: ObjectStore): AsyncGenerator<ArchivedContent> {
  for await (const keys of store.list(tablePrefix('content'))) {
    for (const key of keys) {
      const place = tryReadKey(key);
      if (place === undefined || keyOf('content', place) !== key) continue;
      const bytes = await store.get(key);
      // Deleted since it was listed: by forgetting, or by a rule of the bucket.
      if (bytes !== undefined) yield* contentIn(bytes);
    }
  }
}

/** Content in one file of the archive. Throws where it is not Parquet or has other columns. */
async function* contentIn(bytes: Uint8Array<ArrayBuffer>): AsyncGenerator<ArchivedContent> {
  for (const { spans, log_records } of await rowsIn(bytes, ['spans', 'log_records'])) {
    if (!(spans instanceof Uint8Array)) throw new Error('no column "spans" of bytes is in it');
    yield { traces: spans, logs: log_records instanceof Uint8Array ? log_records : undefined };
  }
}
