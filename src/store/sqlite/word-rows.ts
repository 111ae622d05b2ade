/** The index of words that were said (spoken-words.ts): a row of FTS5 for each conversation, under its row number. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ConversationId } from '../../model/ids.ts';
import { AddedWords, type SpokenWordStore, WORDS_OF_CONVERSATION_MAX } from '../spoken-words.ts';

/** Rows that go together where words are no longer kept. */
const CLEARED_TOGETHER = 2000;

export class WordRows implements SpokenWordStore {
  readonly #added = new AddedWords();
  readonly #rowOf: StatementSync;
  readonly #known: StatementSync;
  readonly #write: StatementSync;
  readonly #delete: StatementSync;
  readonly #clear: StatementSync;

  constructor(database: DatabaseSync) {
    this.#rowOf = database.prepare('SELECT id FROM conversations WHERE conversation_id = ?');
    this.#known = database.prepare('SELECT words FROM spoken WHERE rowid = ?');
    this.#write = database.prepare('INSERT OR REPLACE INTO spoken (rowid, words) VALUES (?, ?)');
    this.#delete = database.prepare('DELETE FROM spoken WHERE rowid = ?');
    this.#clear = database.prepare(
      `DELETE FROM spoken WHERE rowid IN (SELECT id FROM spoken_content LIMIT ${CLEARED_TOGETHER})`,
    );
  }

  add(id: ConversationId, words: readonly string[]): void {
    this.#added.add(id, words);
  }

  /** At once: the row of the conversation may go in the same transaction. */
  move(from: ConversationId, to: ConversationId): void {
    this.#added.add(to, this.#added.take(from));
    const row = this.#row(from);
    if (row === undefined) return;
    this.#added.add(to, this.#wordsAt(row));
    this.#delete.run(row);
  }

  /** Belongs inside the transaction, after the rows of conversations. */
  flush(): void {
    for (const { id, words } of this.#added.all()) {
      const row = this.#row(id);
      if (row === undefined) continue;
      const known = this.#wordsAt(row);
      const all = new Set([...known, ...words].slice(0, WORDS_OF_CONVERSATION_MAX));
      if (all.size > known.length) this.#write.run(row, [...all].join(' '));
    }
    this.#added.clear();
  }

  /** Some of them, where words are no longer kept. */
  clearSome(): void {
    this.#clear.run();
  }

  /** After a rollback. */
  discard(): void {
    this.#added.clear();
  }

  #wordsAt(row: number): readonly string[] {
    const words = this.#known.get(row)?.words;
    return typeof words === 'string' && words !== '' ? words.split(' ') : [];
  }

  #row(id: string): number | undefined {
    const row = this.#rowOf.get(id)?.id;
    return row === undefined ? undefined : Number(row);
  }
}
