/**
 * Counts the commits of a store that changed something, in the store and in its mark beside it. It also notes when
 * another WAL has begun, so that a start can find a database and a WAL of different times (`wal-match.ts`).
 */
import { randomInt } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StoreMarkWriter } from './store-mark.ts';
import { WAL_FROM, WAL_SALT, WalHead } from './wal-match.ts';

const ID_MAX = 2 ** 47;

export class CountedCommits {
  readonly #set: StatementSync;
  readonly #mark: StoreMarkWriter;
  readonly #wal: WalHead;
  #count: number;
  /** Salt of the WAL that is noted, or was there at the opening. The number of commits before that one is not known. */
  #salt: number | undefined;
  /** Noted in this transaction. */
  #noting: number | undefined;

  constructor(database: DatabaseSync, file: string) {
    const number = (key: string) =>
      Number(database.prepare('SELECT value FROM meta WHERE key = ?').get(key)?.value ?? 0);
    database.prepare('INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)').run('id', randomInt(1, ID_MAX));
    this.#set = database.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)');
    this.#count = number('commits');
    this.#mark = new StoreMarkWriter(file, number('id'));
    this.#mark.write(this.#count);
    this.#wal = new WalHead(file);
    this.#salt = this.#wal.salt();
  }

  /** To be called inside the transaction. */
  begin(): void {
    this.#set.run('commits', this.#count + 1);
    const salt = this.#wal.salt();
    if (salt === undefined || salt === this.#salt) return;
    this.#noting = salt;
    this.#set.run(WAL_SALT, salt);
    // The last commit may be the first in it. The database had all before that one.
    this.#set.run(WAL_FROM, Math.max(0, this.#count - 1));
  }

  /** After the commit, so that the mark is never ahead. */
  committed(): void {
    this.#count += 1;
    this.#salt = this.#noting ?? this.#salt;
    this.#noting = undefined;
    this.#mark.write(this.#count);
  }

  /** Forgets notes that may have been rolled back. */
  discard(): void {
    this.#noting = undefined;
  }

  close(): void {
    this.#mark.close();
    this.#wal.close();
  }
}
