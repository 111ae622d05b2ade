/**
 * What was forgotten and may still arrive: hashes of the ids of conversations and users, and the ids of traces. Nothing
 * of what was said is in it. Rows go when the journal cannot give their spans any more and clients would not send them
 * again.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { TraceId } from '../../model/ids.ts';
import type { ForgettableNames, ForgottenStore, StoredTrace } from '../engine-store.ts';
import { keyHash } from '../key-hash.ts';
import type { Reach } from './pruned-traces.ts';

/** The log at that moment. */
export interface LogPlace {
  readonly position: number;
  readonly logTime: number;
}

export class ForgottenRows implements ForgottenStore {
  readonly #database: DatabaseSync;
  readonly #dropConversation: (row: number) => void;
  readonly #any: StatementSync;
  readonly #find: StatementSync;
  readonly #findTrace: StatementSync;
  readonly #note: StatementSync;
  readonly #noteTrace: StatementSync;
  readonly #wipe: StatementSync;
  readonly #toWipe: StatementSync;
  readonly #wiped: StatementSync;
  /** Unknown after anything that may have changed it. */
  #hasAny: boolean | undefined;

  /** Forgets a conversation by its row, inside the transaction. */
  constructor(database: DatabaseSync, dropConversation: (row: number) => void) {
    this.#database = database;
    this.#dropConversation = dropConversation;
    this.#any = database.prepare(
      `SELECT EXISTS (SELECT 1 FROM forgotten) OR EXISTS (SELECT 1 FROM pruned_traces WHERE forgotten = 1) AS any`,
    );
    this.#find = database.prepare('SELECT 1 FROM forgotten WHERE key = ?');
    this.#findTrace = database.prepare('SELECT 1 FROM pruned_traces WHERE trace_id = ? AND forgotten = 1');
    this.#note = database.prepare(
      `INSERT INTO forgotten (key, position, at) VALUES (?, ?, ?) ON CONFLICT (key)
       DO UPDATE SET position = max(position, excluded.position), at = max(at, excluded.at)`,
    );
    this.#noteTrace = database.prepare(
      `INSERT INTO pruned_traces (trace_id, position, closed_at, forgotten) VALUES (?, ?, ?, 1) ON CONFLICT (trace_id)
       DO UPDATE SET position = max(position, excluded.position), closed_at = max(closed_at, excluded.closed_at),
         forgotten = 1`,
    );
    this.#wipe = database.prepare('INSERT OR IGNORE INTO journal_wipes (trace_id) VALUES (?)');
    this.#toWipe = database.prepare('SELECT trace_id FROM journal_wipes');
    this.#wiped = database.prepare('DELETE FROM journal_wipes WHERE trace_id = ?');
  }

  get hasAny(): boolean {
    this.#hasAny ??= this.#any.get()?.any === 1;
    return this.#hasAny;
  }

  hasTrace(traceId: TraceId): boolean {
    return this.#findTrace.get(bytesOf(traceId)) !== undefined;
  }

  has(names: ForgettableNames): boolean {
    return keysOf(names).some((key) => this.#find.get(key) !== undefined);
  }

  drop({ traceId, position, closedAt }: Pick<StoredTrace, 'traceId' | 'position' | 'closedAt'>, known: StoredTrace | undefined): void {
    if (known !== undefined) this.#dropConversation(known.conversation);
    this.#noteTrace.run(bytesOf(traceId), position, closedAt);
    this.#wipe.run(bytesOf(traceId));
    this.#hasAny = true;
  }

  /** Spans of these that arrive from now on are dropped. Belongs inside the transaction, as all that follows. */
  noteNames(names: ForgettableNames, { position, logTime }: LogPlace): void {
    for (const key of keysOf(names)) this.#note.run(key, position, logTime);
    this.#hasAny = undefined;
  }

  /** Traces that are in the journal only. */
  noteUnstored(traceIds: readonly TraceId[], { position, logTime }: LogPlace): void {
    for (const traceId of traceIds) {
      this.#noteTrace.run(bytesOf(traceId), position, logTime);
      this.#wipe.run(bytesOf(traceId));
    }
    this.#hasAny = undefined;
  }

  /** Rows of `traces` that meet the condition are about to go. */
  noteTraces(condition: string): void {
    this.#database.exec(
      `INSERT INTO pruned_traces (trace_id, position, closed_at, forgotten)
         SELECT trace_id, position, closed_at, 1 FROM traces WHERE ${condition}
         ON CONFLICT (trace_id) DO UPDATE SET forgotten = 1;
       INSERT OR IGNORE INTO journal_wipes (trace_id) SELECT trace_id FROM traces WHERE ${condition}`,
    );
    this.#hasAny = undefined;
  }

  /** Traces whose bytes the journal has to lose. */
  get toWipe(): readonly TraceId[] {
    // The cast is the brand: these bytes came from a trace id.
    return this.#toWipe.all().map((row) => Buffer.from(row.trace_id as Uint8Array).toString('hex') as TraceId);
  }

  wiped(traceIds: readonly TraceId[]): void {
    for (const traceId of traceIds) this.#wiped.run(bytesOf(traceId));
  }

  /** Drops names out of reach; traces go with those that retention remembers. */
  expire(reach: Reach): void {
    this.#database
      .prepare('DELETE FROM forgotten WHERE at < ? AND position <= ?')
      .run(reach.closedAt, reach.position);
    this.#hasAny = undefined;
  }

  /** After a rollback. */
  discard(): void {
    this.#hasAny = undefined;
  }
}

function keysOf({ conversation, users }: ForgettableNames): readonly Buffer[] {
  const named = conversation === undefined ? [] : [keyHash(`conversation:${conversation}`)];
  return [...named, ...users.map((user) => keyHash(`user:${user}`))];
}

function bytesOf(traceId: TraceId): Buffer {
  return Buffer.from(traceId, 'hex');
}
