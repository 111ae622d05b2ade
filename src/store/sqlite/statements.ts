/**
 * Statements of one connection, prepared once for each text. Preparing takes longer than most reads run. Texts of a
 * search differ by its conditions, so there are few of them; beyond the limit the oldest goes.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';

const STATEMENTS_MAX = 200;

export class Statements {
  readonly #database: DatabaseSync;
  readonly #byText = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  of(sql: string): StatementSync {
    const known = this.#byText.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    if (this.#byText.size >= STATEMENTS_MAX)
      for (const oldest of [...this.#byText.keys()].slice(0, 1)) this.#byText.delete(oldest);
    this.#byText.set(sql, statement);
    return statement;
  }
}
