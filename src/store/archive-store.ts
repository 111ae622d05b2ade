/**
 * Port of the store for the archive (`serve/archiving/archive-relay.ts`): conversations that wait for it, batches of
 * them, and an index of the batches that object storage has.
 */
export interface ArchiveBatch {
  /** Unique for all time, and part of the keys of its objects. */
  readonly name: string;
  /** Days since 1970, in UTC: when its conversations were evaluated. */
  readonly day: number;
}

export interface PlannedBatch extends ArchiveBatch {
  readonly conversations: readonly string[];
}

/** A batch that object storage has. */
export interface KeptBatch extends ArchiveBatch {
  /** Beginnings of the hashes of its conversations' ids (`archived-keys.ts`). */
  readonly keys: Uint8Array;
}

export interface PlanOptions {
  /** Name of a new batch. */
  readonly name: string;
  readonly limit: number;
  /** Wall-clock time in milliseconds. */
  readonly now: number;
  /** A batch with room for more waits for as long. */
  readonly everyMs: number;
}

export interface ArchivePlan {
  /** One that is not kept yet, else a new one; undefined while too little waits. */
  readonly batch: PlannedBatch | undefined;
  /** When the first conversation that is not archived was evaluated. */
  readonly oldestAt: number | undefined;
}

/** Conversations and users that the archive has to lose. */
export interface ArchiveForgets {
  /** Hashes of ids, in hexadecimal. */
  readonly conversations: readonly string[];
  readonly users: readonly string[];
}

type Awaitable<T> = T | Promise<T>;

export interface ArchiveStore {
  /** Takes or renews the lease. False where another holder has it. */
  lease(holder: string, ms: number): Awaitable<boolean>;
  endLease(holder: string): Awaitable<void>;
  plan(options: PlanOptions): Awaitable<ArchivePlan>;
  /** Puts conversations of a planned batch back, for a later one. */
  release(batch: string, conversations: readonly string[]): Awaitable<void>;
  /** Object storage has the batch. False where the holder has lost the lease, and nothing is noted. */
  keep(holder: string, batch: KeptBatch): Awaitable<boolean>;
  /** Batches that object storage has, in the order of their names. */
  kept(options: { readonly after: string; readonly limit: number }): Awaitable<readonly KeptBatch[]>;
  /** Object storage has files of these that no row names: of a store that was restored or copied. */
  adopt(batches: readonly KeptBatch[]): Awaitable<void>;
  /** The batch lost conversations. Without keys it is gone. */
  rewritten(batch: KeptBatch): Awaitable<void>;
  forgets(limit: number): Awaitable<ArchiveForgets>;
  /** Conversations of a user were found in the archive. */
  alsoForget(conversations: readonly string[]): Awaitable<void>;
  forgotten(forgets: ArchiveForgets): Awaitable<void>;
  /** Number of conversations and users that the archive has to lose. */
  toForget(): Awaitable<number>;
}
