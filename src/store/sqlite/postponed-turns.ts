/**
 * Parts of turns that have been stored and whose turn is to be scored once everything that closes at the same time is
 * there. Kept in the store, because the journal deletes stored turns: a crash in between must not lose them.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { PostponedTurnStore, StoredTrace } from '../engine-store.ts';
import type { Traces } from './traces.ts';

export class PostponedTurns implements PostponedTurnStore {
  readonly #traces: Traces;
  readonly #insert: StatementSync;
  readonly #next: StatementSync;
  readonly #delete: StatementSync;
  /** None was closed before this; kept so that looking costs nothing where turns are not spread over traces. */
  #noneBefore = Number.NEGATIVE_INFINITY;

  constructor(database: DatabaseSync, traces: Traces) {
    this.#traces = traces;
    this.#insert = database.prepare('INSERT OR REPLACE INTO postponed_turns (trace, closed_at) VALUES (?, ?)');
    this.#next = database.prepare('SELECT trace, closed_at FROM postponed_turns ORDER BY closed_at, trace');
    this.#delete = database.prepare('DELETE FROM postponed_turns WHERE closed_at <= ?');
  }

  add(trace: number, closedAt: number): void {
    this.#insert.run(trace, closedAt);
    this.#noneBefore = Math.min(this.#noneBefore, closedAt);
  }

  take(logTime: number): readonly StoredTrace[] {
    if (logTime < this.#noneBefore) return [];
    const taken: number[] = [];
    this.#noneBefore = Number.POSITIVE_INFINITY;
    for (const row of this.#next.iterate()) {
      if (Number(row.closed_at) > logTime) {
        this.#noneBefore = Number(row.closed_at);
        break;
      }
      taken.push(Number(row.trace));
    }
    if (taken.length > 0) this.#delete.run(logTime);
    return taken.flatMap((row) => this.#traces.at(row) ?? []);
  }

  /** After a rollback. */
  discard(): void {
    this.#noneBefore = Number.NEGATIVE_INFINITY;
  }
}
