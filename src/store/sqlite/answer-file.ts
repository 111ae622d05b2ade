/**
 * Answers of judges in a file of their own, for commands that have no store to write to: what was paid for once is found by the next command.
 * Several commands may have the file open at once. It is made with the first answer.
 */
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { JudgeOutcome } from '../../model/judging.ts';

/** Its name in the data folder. */
export const ANSWER_FILE = 'judge-answers.db';

interface OpenFile {
  readonly database: DatabaseSync;
  readonly find: StatementSync;
  readonly keep: StatementSync;
}

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA busy_timeout = 5000;
  CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, outcome TEXT NOT NULL, ended_at INTEGER NOT NULL) WITHOUT ROWID;
`;

export class AnswerFile {
  readonly file: string;
  #open: OpenFile | undefined;

  private constructor(file: string) {
    this.file = file;
  }

  /** Older answers are forgotten. Throws where the file is there and cannot be used. */
  static open(file: string, { endedAfter }: { readonly endedAfter: number }): AnswerFile {
    const answers = new AnswerFile(file);
    if (existsSync(file)) answers.#opened().database.prepare('DELETE FROM answers WHERE ended_at < ?').run(endedAfter);
    return answers;
  }

  find(key: string): JudgeOutcome | undefined {
    const row = this.#open?.find.get(Buffer.from(key, 'hex'));
    // The cast holds because `keep` wrote the text.
    return row === undefined ? undefined : (JSON.parse(String(row.outcome)) as JudgeOutcome);
  }

  keep(key: string, outcome: JudgeOutcome, at: number): void {
    this.#opened().keep.run(Buffer.from(key, 'hex'), JSON.stringify(outcome), at);
  }

  close(): void {
    this.#open?.database.close();
    this.#open = undefined;
  }

  #opened(): OpenFile {
    if (this.#open !== undefined) return this.#open;
    mkdirSync(path.dirname(this.file), { recursive: true });
    const database = new DatabaseSync(this.file);
    database.exec(SCHEMA);
    this.#open = {
      database,
      find: database.prepare('SELECT outcome FROM answers WHERE key = ?'),
      keep: database.prepare('INSERT OR REPLACE INTO answers (key, outcome, ended_at) VALUES (?, ?, ?)'),
    };
    return this.#open;
  }
}
