/** Calls of the archive's relay to the thread that reads the store and talks to object storage. */
import type { ArchiveBatch } from '../../store/archive-store.ts';
import type { StorePlace } from '../store-place/open-reader.ts';

export interface ArchiveStart {
  readonly store: StorePlace;
  /** A folder or the URL of a bucket. */
  readonly url: string;
  readonly idKeys: readonly string[];
}

/** Each may be called again after a failure. All reject if the store or object storage fails. */
export interface ArchiveCalls {
  /**
   * Reads conversations and makes their files, in memory, until these are large. `taken`: how many of the conversations
   * are done; `gone`: how many of those are not in the store any more.
   */
  build(conversations: readonly string[]): Promise<{ readonly taken: number; readonly gone: number }>;
  /** Writes the files that were built last. Gives the packed keys of their conversations. */
  put(batch: ArchiveBatch): Promise<Uint8Array>;
  /** Batches that object storage has files of. */
  places(): Promise<readonly ArchiveBatch[]>;
  /** Packed keys of the conversations in the files of a batch. */
  keysOf(batch: ArchiveBatch): Promise<Uint8Array>;
  /** Rewrites the files of a batch without conversations of these keys. Gives the packed keys that are left. */
  forget(batch: ArchiveBatch, keys: readonly string[]): Promise<Uint8Array>;
  /** Keys of the conversations in a batch whose spans name one of the users. */
  search(batch: ArchiveBatch, users: readonly string[]): Promise<readonly string[]>;
}

export type ArchiveCall = {
  readonly [Name in keyof ArchiveCalls]: { readonly name: Name; readonly given: Parameters<ArchiveCalls[Name]> };
}[keyof ArchiveCalls];

export type FromArchive =
  | { readonly is: 'done'; readonly result: unknown }
  | { readonly is: 'failed'; readonly error: string };
