/** Which conversations are to be looked at again. Most often there is none, and asking costs nothing. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';

export class Revisits {
  readonly #add: StatementSync;
  readonly #addNamed: StatementSync;
  readonly #take: StatementSync;
  /** Whether there may be any: after a start, after a rollback and after each that is added. */
  #mayBeAny = true;

  constructor(database: DatabaseSync) {
    this.#add = database.prepare('INSERT OR IGNORE INTO revisits (conversation) VALUES (?)');
    this.#addNamed = database.prepare(
      'INSERT OR IGNORE INTO revisits (conversation) SELECT id FROM conversations WHERE conversation_id = ?',
    );
    // Rows of conversations that have gone in the meantime go with it.
    this.#take = database.prepare(
      'DELETE FROM revisits RETURNING conversation, EXISTS (SELECT 1 FROM conversations c WHERE c.id = conversation) AS there',
    );
  }

  add(conversation: number): void {
    this.#add.run(conversation);
    this.#mayBeAny = true;
  }

  addNamed(conversationId: string): void {
    this.#addNamed.run(conversationId);
    this.#mayBeAny = true;
  }

  /** In the order of the rows, so that the same log and the same answers give the same store. */
  take(): readonly number[] {
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
