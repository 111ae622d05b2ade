/** The rows of results that wait for a backend. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ResultStore, TakenResults } from '../result-store.ts';
import type { OwnTransaction } from './own-transaction.ts';

export class ResultRows implements ResultStore {
  readonly #own: OwnTransaction;
  readonly #add: StatementSync;
  readonly #trim: StatementSync;
  readonly #take: StatementSync;
  readonly #forget: StatementSync;

  constructor(database: DatabaseSync, own: OwnTransaction) {
    this.#own = own;
    this.#add = database.prepare('INSERT INTO result_queue (payload) VALUES (?)');
    // By number rather than by counting: numbers have few gaps, and a million rows need not be looked at.
    this.#trim = database.prepare('DELETE FROM result_queue WHERE id <= (SELECT max(id) FROM result_queue) - ?');
    this.#take = database.prepare('SELECT id, payload FROM result_queue ORDER BY id LIMIT ?');
    this.#forget = database.prepare('DELETE FROM result_queue WHERE id = ?');
  }

  add(payload: string): void {
    this.#add.run(payload);
  }

  take({ limit, keep }: { readonly limit: number; readonly keep: number }): TakenResults {
    return this.#own('the taking of results', () => {
      const dropped = Number(this.#trim.run(keep).changes);
      const results = this.#take.all(limit).map(({ id, payload }) => ({ id: Number(id), payload: String(payload) }));
      return { results, dropped };
    });
  }

  forget(ids: readonly number[]): void {
    this.#own('the end of results', () => {
      for (const id of ids) this.#forget.run(id);
    });
  }
}
