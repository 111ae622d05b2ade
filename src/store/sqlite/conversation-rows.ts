/**
 * The rows of conversations in SQLite. Conversations of the open transaction are held in memory
 * (`held-conversations.ts`).
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ConversationId } from '../../model/ids.ts';
import { namesOf } from '../column.ts';
import { CONVERSATION_COLUMNS, type ConversationCells, headFrom } from '../conversation-columns.ts';
import type { StoredConversation } from '../engine-store.ts';
import type { ConversationTable, Due } from '../held-conversations.ts';
import { insertSql, valuesOf } from './column-values.ts';
import { WordRows } from './word-rows.ts';

interface Row extends ConversationCells {
  readonly id: number;
  readonly conversation_id: string;
  readonly first_closed_at: number;
}

/** About as many as are scored in a transaction. */
const DUE_TOGETHER = 64;

export class ConversationRows implements ConversationTable {
  readonly words: WordRows;
  readonly #findById: StatementSync;
  readonly #findByRow: StatementSync;
  readonly #inOrderOfDue: StatementSync;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #delete: StatementSync;
  readonly #lastRowOf: StatementSync;
  #lastRow: number;

  constructor(database: DatabaseSync) {
    this.words = new WordRows(database);
    const columns = `id, conversation_id, ${namesOf(CONVERSATION_COLUMNS)}`;
    this.#findById = database.prepare(`SELECT ${columns} FROM conversations WHERE conversation_id = ?`);
    this.#findByRow = database.prepare(`SELECT ${columns} FROM conversations WHERE id = ?`);
    this.#inOrderOfDue = database.prepare(
      `SELECT id, due_at FROM conversations WHERE due_at IS NOT NULL AND (due_at, id) > (?, ?)
       ORDER BY due_at, id LIMIT ${DUE_TOGETHER}`,
    );
    this.#insert = database.prepare(
      `INSERT ${insertSql('conversations', ['id', 'conversation_id'], CONVERSATION_COLUMNS)}`,
    );
    this.#update = database.prepare(
      `UPDATE conversations SET ${CONVERSATION_COLUMNS.map(({ name }) => `${name} = ?`).join(', ')} WHERE id = ?`,
    );
    this.#delete = database.prepare('DELETE FROM conversations WHERE id = ?');
    this.#lastRowOf = database.prepare('SELECT max(id) AS row FROM conversations');
    this.#lastRow = Number(this.#lastRowOf.get()?.row ?? 0);
  }

  find(id: ConversationId): StoredConversation | undefined {
    const found = this.#findById.get(id);
    return found === undefined ? undefined : toConversation(found);
  }

  at(row: number): StoredConversation | undefined {
    const found = this.#findByRow.get(row);
    return found === undefined ? undefined : toConversation(found);
  }

  dueAfter(last: Due | undefined): readonly Due[] {
    const rows = this.#inOrderOfDue.all(last?.dueAt ?? Number.MIN_SAFE_INTEGER, last?.row ?? 0);
    return rows.map((found) => ({ row: Number(found.id), dueAt: Number(found.due_at) }));
  }

  newRow(): number {
    this.#lastRow += 1;
    return this.#lastRow;
  }

  write(conversation: StoredConversation, how: 'insert' | 'update'): void {
    const values = valuesOf(CONVERSATION_COLUMNS, conversation);
    if (how === 'insert') this.#insert.run(conversation.row, conversation.id, ...values);
    else this.#update.run(...values, conversation.row);
  }

  remove({ row }: StoredConversation): void {
    this.#delete.run(row);
  }

  /** After a rollback. */
  discard(): void {
    this.#lastRow = Number(this.#lastRowOf.get()?.row ?? 0);
  }
}

export function toConversation(found: Record<string, unknown>): StoredConversation {
  // The casts hold because `write` wrote the row.
  const row = found as unknown as Row;
  const head = headFrom(row.conversation_id as ConversationId, row, (stored) => stored);
  return { ...head, row: row.id, firstClosedAt: row.first_closed_at };
}
