/** Conversations that wait to be re-evaluated. Most often there is none, and asking costs nothing. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { WaitingEvaluations } from './waiting-evaluations.ts';

export class Revisits {
  readonly #waiting: WaitingEvaluations;
  readonly #add: StatementSync;
  readonly #take: StatementSync;
  /** Whether there may be any: after a start, after a rollback and after each that is added. */
  #mayBeAny = true;

  constructor(database: DatabaseSync, waiting: WaitingEvaluations) {
    this.#waiting = waiting;
    this.#add = database.prepare(
      'INSERT OR IGNORE INTO revisits (conversation) SELECT id FROM conversations WHERE conversation_id = ?',
    );
    // Rows of conversations that have gone in the meantime go with it.
    this.#take = database.prepare(
      'DELETE FROM revisits RETURNING conversation, EXISTS (SELECT 1 FROM conversations c WHERE c.id = conversation) AS there',
    );
  }

  add(conversationId: string): void {
    this.#add.run(conversationId);
    this.#mayBeAny = true;
  }

  /** In the order of the rows, so that the same log and the same answers give the same store. */
  take(): readonly number[] {
    const answered = this.#waiting.answered();
    const asked = this.#takeAsked();
    return answered.length === 0 ? asked : [...new Set([...asked, ...answered])].sort((a, b) => a - b);
  }

  #takeAsked(): readonly number[] {
    if (!this.#mayBeAny) return [];
    this.#mayBeAny = false;
    return this.#take
      .all()
      .filter(({ there }) => there === 1)
      .map(({ conversation }) => Number(conversation))
      .sort((a, b) => a - b);
  }

  /** After a rollback. */
  discard(): void {
    this.#mayBeAny = true;
  }
}
