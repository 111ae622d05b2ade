/**
 * Conversations that wait to be re-evaluated, at once or at a log time. Most often there is none, and asking costs nothing.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { RevisitStore } from '../engine-store.ts';
import type { WaitingEvaluations } from './waiting-evaluations.ts';

/** More of them wait for the next call, so that a transaction stays short. */
const TAKEN_MAX = 500;
const NEVER = Number.POSITIVE_INFINITY;

export class Revisits implements RevisitStore {
  readonly #waiting: WaitingEvaluations;
  readonly #ask: StatementSync;
  readonly #take: StatementSync;
  readonly #next: StatementSync;
  /** No row is due before this log time. Unknown, and so 0, after a start and after a rollback. */
  #nextAt = 0;

  constructor(database: DatabaseSync, waiting: WaitingEvaluations) {
    this.#waiting = waiting;
    this.#ask = database.prepare(
      'INSERT INTO revisits (conversation, due_at) VALUES (?, ?) ON CONFLICT (conversation) DO NOTHING',
    );
    // Rows of conversations that have gone in the meantime go with it.
    this.#take = database.prepare(
      `DELETE FROM revisits WHERE conversation IN (
         SELECT conversation FROM revisits WHERE due_at <= ? ORDER BY due_at, conversation LIMIT ${TAKEN_MAX})
       RETURNING conversation, EXISTS (SELECT 1 FROM conversations c WHERE c.id = conversation) AS there`,
    );
    this.#next = database.prepare('SELECT min(due_at) AS at FROM revisits');
  }

  ask(conversation: number, logTime: number): void {
    this.#ask.run(conversation, logTime);
    this.#nextAt = Math.min(this.#nextAt, logTime);
  }

  /** In the order of the rows, so that the same log and the same answers give the same store. */
  take(logTime: number): readonly number[] {
    const answered = this.#waiting.answered();
    const asked = this.#takeAsked(logTime);
    return answered.length === 0 ? asked : [...new Set([...asked, ...answered])].sort((a, b) => a - b);
  }

  #takeAsked(logTime: number): readonly number[] {
    if (this.#nextAt > logTime) return [];
    const taken = this.#take.all(logTime);
    this.#nextAt = Number(this.#next.get()?.at ?? NEVER);
    return taken
      .filter(({ there }) => there === 1)
      .map(({ conversation }) => Number(conversation))
      .sort((a, b) => a - b);
  }

  /** After a rollback, and where rows were added by others. */
  discard(): void {
    this.#nextAt = 0;
  }
}
