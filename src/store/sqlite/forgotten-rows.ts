/**
 * Forgets conversations, and recognises what arrives later of them: by hashes of the ids of conversations and users, and
 * by the ids of traces. Nothing of what was said is kept. These rows go when the journal cannot give their spans any more
 * and clients would not send them again. docs/decisions/0035 has the states.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ConversationId, TraceId } from '../../model/ids.ts';
import type { ForgettableNames, ForgottenStore, StoredTrace } from '../engine-store.ts';
import { keyHash } from '../key-hash.ts';
import { countSaid, forgetSaid } from '../rules/dropping.ts';
import { chooseNone, DROPPING, type DroppingStore, forgetChosen } from './drop-conversations.ts';
import type { SaidCounts } from '../said-counts.ts';
import type { OwnTransaction } from './own-transaction.ts';
import { PrunedTraces, type Reach } from './pruned-traces.ts';
import type { Traces } from './traces.ts';

/** The log at that moment. */
export interface LogPlace {
  readonly position: number;
  readonly logTime: number;
}

/** Conversations to forget, and by which names and traces they are recognised. */
export interface Forgetting {
  readonly conversations: readonly ConversationId[];
  /** As their ids are kept: hashed, where redaction hashes them. */
  readonly users: readonly string[];
  /** Traces that may be in the journal only. */
  readonly traces: readonly TraceId[];
  readonly place: LogPlace;
}

/** Pieces of content that are overwritten before their rows are deleted. */
const WIPED_AT_ONCE = 1000;
interface ForgettingStore extends DroppingStore {
  readonly traces: Pick<Traces, 'freeContentOf' | 'wipeFreed' | 'removeEmptyFiles'>;
  noted(name: string): number;
  note(name: string, value: number): void;
  truncateWal(): boolean;
  discardRemembered(): void;
}

export class ForgottenRows implements ForgottenStore {
  readonly pruned: PrunedTraces;
  readonly #database: DatabaseSync;
  readonly #store: ForgettingStore;
  readonly #own: OwnTransaction;
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

  constructor(store: ForgettingStore, database: DatabaseSync, own: OwnTransaction) {
    this.#store = store;
    this.#database = database;
    this.#own = own;
    this.pruned = new PrunedTraces(database);
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

  drop(
    { traceId, position, closedAt }: Pick<StoredTrace, 'traceId' | 'position' | 'closedAt'>,
    known: StoredTrace | undefined,
  ): void {
    if (known !== undefined) {
      chooseNone(this.#store);
      this.#store.run('INSERT INTO temp.dropped VALUES (?)', known.conversation);
      this.#forgetChosen();
    }
    this.#noteTrace.run(bytesOf(traceId), position, closedAt);
    this.#wipe.run(bytesOf(traceId));
    this.#hasAny = true;
  }

  /** Deletes conversations in a transaction of its own, with those that have one of the traces. */
  forget(what: Forgetting): { readonly conversations: number; readonly traces: number; readonly said: SaidCounts } {
    const store = this.#store;
    return this.#own('forgetting', () => {
      this.#noteAll(what);
      chooseNone(store);
      store.run(
        `INSERT INTO temp.dropped SELECT id FROM conversations WHERE conversation_id IN (SELECT value FROM json_each(?))
         UNION SELECT conversation FROM traces WHERE trace_id IN (SELECT unhex(value) FROM json_each(?))`,
        JSON.stringify(what.conversations),
        JSON.stringify(what.traces),
      );
      const conversationIds = [...new Set([...what.conversations, ...store.chosenIds()])];
      const said = store.inside(countSaid(DROPPING, conversationIds));
      store.inside(forgetSaid(DROPPING, { conversations: conversationIds, users: what.users }));
      const count = (from: string) =>
        Number(this.#database.prepare(`SELECT count(*) AS rows FROM ${from}`).get()?.rows);
      const conversations = count('temp.dropped');
      const traces = count('traces WHERE conversation IN temp.dropped');
      this.#forgetChosen();
      store.note('forget_unsettled', 1);
      return { conversations, traces, said };
    });
  }

  /** Counts what was said of these. Only between transactions. */
  saidOf(conversations: readonly ConversationId[]): SaidCounts {
    return this.#store.inside(countSaid(DROPPING, conversations));
  }

  /**
   * Removes from the files what a transaction deleted from the tables. Only between transactions. False where a reader
   * keeps the WAL: then it is to be done again. The same after a crash.
   */
  settle(): boolean {
    const store = this.#store;
    if (store.noted('forget_unsettled') === 0) return true;
    while (store.traces.wipeFreed(WIPED_AT_ONCE) > 0);
    store.traces.removeEmptyFiles();
    // A store of an earlier version did not overwrite what it deleted.
    if (store.noted('overwrites_deleted') === 0) {
      this.#database.exec('PRAGMA temp_store = FILE; VACUUM; PRAGMA temp_store = MEMORY');
      store.note('overwrites_deleted', 1);
    }
    // Noted before, so that the WAL is empty afterwards.
    store.note('forget_unsettled', 0);
    if (store.truncateWal()) return true;
    store.note('forget_unsettled', 1);
    return false;
  }

  #noteAll({ conversations, users, traces, place }: Forgetting): void {
    const { position, logTime } = place;
    const names = conversations.map((conversation) => ({ conversation, users: [] }));
    for (const key of [...names, { conversation: undefined, users }].flatMap(keysOf))
      this.#note.run(key, position, logTime);
    for (const traceId of traces) {
      this.#noteTrace.run(bytesOf(traceId), position, logTime);
      this.#wipe.run(bytesOf(traceId));
    }
    this.#hasAny = undefined;
  }

  #forgetChosen(): void {
    forgetChosen(this.#store);
    this.#store.discardRemembered();
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

  /** The journal has lost them. */
  wiped(traceIds: readonly TraceId[]): void {
    this.#own('the end of wipes', () => {
      for (const traceId of traceIds) this.#wiped.run(bytesOf(traceId));
    });
  }

  /** Drops names out of reach; traces go with those that retention remembers. */
  expire(reach: Reach): void {
    this.#database.prepare('DELETE FROM forgotten WHERE at < ? AND position <= ?').run(reach.closedAt, reach.position);
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
