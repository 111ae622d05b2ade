/**
 * Words that were said (spoken-words.ts). A conversation that is over has them in a row of FTS5's index. As long as it
 * goes on they are a row of `open_words`, which a search reads through: FTS5 needs several times as long to replace a row
 * as to add one. Such a row has all words, also those that the index knows from before the conversation went on.
 *
 *   open_words -- the conversation is over ---> spoken
 *   spoken     -- a turn brings other words --> spoken as it was, and open_words
 *
 * Rows have the number of the conversation's row.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ConversationId } from '../../model/ids.ts';
import { AddedWords, type SpokenWordStore, WORDS_OF_CONVERSATION_MAX } from '../spoken-words.ts';

export class WordRows implements SpokenWordStore {
  readonly #added = new AddedWords();
  readonly #closed = new Set<ConversationId>();
  readonly #rowOf: StatementSync;
  readonly #indexed: StatementSync;
  readonly #index: StatementSync;
  readonly #deleteIndexed: StatementSync;
  readonly #open: StatementSync;
  readonly #keepOpen: StatementSync;
  readonly #deleteOpen: StatementSync;

  constructor(database: DatabaseSync) {
    this.#rowOf = database.prepare('SELECT id FROM conversations WHERE conversation_id = ?');
    this.#indexed = database.prepare('SELECT words FROM spoken WHERE rowid = ?');
    this.#index = database.prepare('INSERT OR REPLACE INTO spoken (rowid, words) VALUES (?, ?)');
    this.#deleteIndexed = database.prepare('DELETE FROM spoken WHERE rowid = ?');
    this.#open = database.prepare('SELECT words FROM open_words WHERE conversation = ?');
    this.#keepOpen = database.prepare('INSERT OR REPLACE INTO open_words (conversation, words) VALUES (?, ?)');
    this.#deleteOpen = database.prepare('DELETE FROM open_words WHERE conversation = ?');
  }

  add(id: ConversationId, words: string): void {
    this.#added.add(id, words);
  }

  close(id: ConversationId): void {
    this.#closed.add(id);
  }

  /** At once: the row of the conversation may go in the same transaction. */
  move(from: ConversationId, to: ConversationId): void {
    this.#added.add(to, this.#added.take(from));
    const row = this.#row(from);
    if (row === undefined) return;
    this.#added.add(to, this.#known(row).trim());
    this.#deleteIndexed.run(row);
    this.#deleteOpen.run(row);
  }

  /** Belongs inside the transaction, after the rows of conversations. */
  flush(): void {
    const closed = [...this.#closed].flatMap((id) => {
      const [row, words] = [this.#row(id), this.#added.take(id)];
      return row === undefined ? [] : { row, words };
    });
    this.#closed.clear();
    // FTS5 collects rows in memory as long as their numbers ascend, and writes a segment for each that does not.
    closed.sort((a, b) => a.row - b.row);
    for (const { row, words } of closed) this.#settle(row, words);
    for (const { id, words } of this.#added.all()) {
      const row = this.#row(id);
      if (row !== undefined) this.#keepOpen.run(row, joined(this.#known(row), words));
    }
    this.#added.clear();
  }

  /** After a rollback. */
  discard(): void {
    this.#added.clear();
    this.#closed.clear();
  }

  #settle(row: number, added: string): void {
    const open = textOf(this.#open.get(row));
    if (open === '' && added === '') return;
    this.#index.run(row, joined(open === '' ? textOf(this.#indexed.get(row)) : open, added));
    if (open !== '') this.#deleteOpen.run(row);
  }

  #known(row: number): string {
    return textOf(this.#open.get(row) ?? this.#indexed.get(row));
  }

  #row(id: string): number | undefined {
    const row = this.#rowOf.get(id)?.id;
    return row === undefined ? undefined : Number(row);
  }
}

/** So much holds few words more than once; more than that is looked through for them. */
const CHARACTERS_MAX = 8 * WORDS_OF_CONVERSATION_MAX;

/** With a blank on each side of a word, so that a search finds it as a whole. */
function joined(known: string, added: string): string {
  const all = `${known.trim()} ${added}`.trim();
  if (all.length <= CHARACTERS_MAX) return ` ${all} `;
  return ` ${[...new Set(all.split(' '))].slice(0, WORDS_OF_CONVERSATION_MAX).join(' ')} `;
}

/** Rows from before they had blanks on both sides get them. */
function textOf(found: Record<string, unknown> | undefined): string {
  const words = found?.words;
  return typeof words !== 'string' || words === '' ? '' : ` ${words.trim()} `;
}
