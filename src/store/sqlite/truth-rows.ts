/** Ground truth that people attach, by conversation id; often before the conversation exists. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Json } from '../../model/json.ts';
import type { TruthStore } from '../truth-store.ts';
import type { OwnTransaction } from './own-transaction.ts';
import type { Revisits } from './revisits.ts';

export class TruthRows implements TruthStore {
  readonly #revisits: Revisits;
  readonly #own: OwnTransaction;
  readonly #put: StatementSync;
  readonly #remove: StatementSync;
  readonly #find: StatementSync;
  readonly #any: StatementSync;
  #hasAny: boolean | undefined;

  constructor(database: DatabaseSync, revisits: Revisits, own: OwnTransaction) {
    this.#revisits = revisits;
    this.#own = own;
    this.#put = database.prepare(
      `INSERT INTO truths (conversation_id, truth, put_at) VALUES (?, ?, ?)
       ON CONFLICT (conversation_id) DO UPDATE SET truth = excluded.truth, put_at = excluded.put_at WHERE truth <> excluded.truth`,
    );
    this.#remove = database.prepare('DELETE FROM truths WHERE conversation_id = ?');
    this.#find = database.prepare('SELECT truth FROM truths WHERE conversation_id = ?');
    this.#any = database.prepare('SELECT EXISTS (SELECT 1 FROM truths) AS any');
  }

  put(conversationId: string, truth: Json | undefined): boolean {
    return this.#own('the truth of a conversation', () => {
      const isNew = this.#write(conversationId, truth);
      if (isNew) this.#revisits.add(conversationId);
      return isNew;
    });
  }

  /** False where this was known already. */
  #write(conversationId: string, truth: Json | undefined): boolean {
    this.#hasAny = undefined;
    if (truth === undefined) return this.#remove.run(conversationId).changes !== 0;
    return this.#put.run(conversationId, JSON.stringify(truth), Date.now()).changes !== 0;
  }

  find(conversationId: string): Json | undefined {
    this.#hasAny ??= this.#any.get()?.any === 1;
    if (!this.#hasAny) return undefined;
    const row = this.#find.get(conversationId);
    // The cast holds because `put` wrote the text.
    return row === undefined ? undefined : (JSON.parse(String(row.truth)) as Json);
  }

  /** After a rollback. */
  discard(): void {
    this.#hasAny = undefined;
  }
}
