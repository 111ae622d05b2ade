/** Gives all that a store of this machine holds, conversation by conversation, oldest first. */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { readCloseCause } from '../../model/causes.ts';
import type { ConversationId, TraceId, TurnId } from '../../model/ids.ts';
import type { StoredLabel, StoredLabelKind } from '../../model/labels.ts';
import { namesOf } from '../column.ts';
import type { CopiedRow, CopiedTable } from '../copied-tables.ts';
import type { StoredTotal } from '../conversation-reader.ts';
import type { StoredConversation } from '../engine-store.ts';
import { SEEN_COLUMNS, seenFrom } from '../evaluation-columns.ts';
import { type HistoryCells, type HistoryRow, historyRowFrom } from '../history.ts';
import type { WholeConversation, WholeEvaluation, WholeTrace } from '../whole-conversation.ts';
import { ContentReader, contentDirectory } from './content-reader.ts';
import { toConversation } from './conversation-rows.ts';
import { toEvaluation } from './evaluation-row.ts';
import { migrate } from './migrate.ts';
import { readContent } from './traces.ts';

type Row = Record<string, unknown>;

export interface StoreCounts {
  readonly conversations: number;
  readonly traces: number;
  readonly evaluations: number;
}

export class StoreExport {
  readonly #database: DatabaseSync;
  readonly #files: ContentReader;

  private constructor(database: DatabaseSync, file: string) {
    this.#database = database;
    this.#files = new ContentReader(contentDirectory(file));
  }

  static open(file: string): StoreExport {
    if (!existsSync(file)) throw new Error(`no store at ${file}`);
    const database = new DatabaseSync(file);
    database.exec('PRAGMA busy_timeout = 5000');
    // An older Assay may have written it.
    migrate(database);
    return new StoreExport(database, file);
  }

  close(): void {
    this.#files.close();
    if (this.#database.isOpen) this.#database.close();
  }

  counts(): StoreCounts {
    const count = (table: string) => Number(this.#one(`SELECT count(*) AS n FROM ${table}`)?.n ?? 0);
    return { conversations: count('conversations'), traces: count('traces'), evaluations: count('evaluations') };
  }

  /** The wall-clock times between which traces and evaluations were stored. */
  storedBetween(): { readonly first: number; readonly last: number } | undefined {
    const row = this.#one(`SELECT min(first) AS first, max(last) AS last FROM (
      SELECT min(stored_at) AS first, max(stored_at) AS last FROM traces
      UNION ALL SELECT min(created_at), max(created_at) FROM evaluations)`);
    if (row === undefined || row.first === null) return undefined;
    return { first: Number(row.first), last: Number(row.last) };
  }

  /** Rows after this one. */
  conversations(after: number, limit: number): readonly WholeConversation[] {
    return this.#all('SELECT * FROM conversations WHERE id > ? ORDER BY id LIMIT ?', after, limit).map((row) =>
      this.#whole(toConversation(row)),
    );
  }

  totals(): readonly StoredTotal[] {
    return this.#all('SELECT metric, labels, value FROM totals ORDER BY metric, labels').map((row) => ({
      metric: String(row.metric),
      labels: String(row.labels),
      value: Number(row.value),
    }));
  }

  /** Times of the log in milliseconds; see `first-times.ts`. */
  history(): readonly HistoryRow[] {
    // The cast holds because they are the table's own columns.
    return this.#all('SELECT * FROM history').map((row) => historyRowFrom(row as HistoryCells, (stored) => stored));
  }

  firstTimes(): readonly StoredTotal[] {
    return this.#all('SELECT metric, labels, at FROM first_times ORDER BY metric, labels').map((row) => ({
      metric: String(row.metric),
      labels: String(row.labels),
      value: Number(row.at),
    }));
  }

  /** Evaluations that wait for verdicts: with them go questions and the money for them, which nobody copies. */
  waiting(): number {
    return Number(this.#one('SELECT count(*) AS n FROM waiting_evaluations')?.n ?? 0);
  }

  /** All rows of a table that is copied as it is. */
  rowsOf({ name, columns }: CopiedTable): readonly CopiedRow[] {
    const statement = this.#database.prepare(`SELECT ${namesOf(columns)} FROM ${name} ORDER BY 1, 2`);
    statement.setReturnArrays(true);
    // The cast holds because these columns have texts and numbers.
    return statement.all() as unknown as readonly CopiedRow[];
  }

  /** Words that were said (spoken-words.ts), of conversations after this row. */
  words(
    after: number,
    limit: number,
  ): readonly { readonly row: number; readonly id: string; readonly words: string }[] {
    return this.#all(
      `SELECT c.id, c.conversation_id, trim(coalesce(o.words, s.words)) AS words FROM conversations c
       LEFT JOIN open_words o ON o.conversation = c.id LEFT JOIN spoken s ON s.rowid = c.id
       WHERE c.id > ? AND coalesce(o.words, s.words) IS NOT NULL ORDER BY c.id LIMIT ?`,
      after,
      limit,
    ).map((row) => ({
      row: Number(row.id),
      id: String(row.conversation_id),
      words: String(row.words),
    }));
  }

  /** In the order in which they were put. */
  labels(): readonly StoredLabel[] {
    return this.#all('SELECT * FROM labels ORDER BY id').map((row) => ({
      // The casts are the brands, and hold because the store's writer wrote them.
      conversationId: String(row.conversation_id),
      turnId: row.turn_id === '' ? undefined : (String(row.turn_id) as TurnId),
      suite: String(row.suite),
      criterion: String(row.criterion),
      label: String(row.label) as StoredLabelKind,
      by: String(row.person),
      note: optionalText(row.note),
      ...(row.seen === 1 ? { seen: true } : {}),
    }));
  }

  #whole(conversation: StoredConversation): WholeConversation {
    const { row: number, id } = conversation;
    const traces = this.#all('SELECT * FROM traces WHERE conversation = ? ORDER BY id', number);
    const traceIds = new Map(traces.map((trace) => [Number(trace.id), toTraceId(trace.trace_id)]));
    const keys = this.#all('SELECT key, wanted FROM conversation_keys WHERE conversation = ?', number);
    return {
      ...conversation,
      traces: traces.map((trace) => this.#trace(trace)),
      evaluations: this.#all('SELECT * FROM evaluations WHERE conversation = ? ORDER BY id', number).map((evaluation) =>
        toWhole(evaluation, id, traceIds.get(Number(evaluation.trace))),
      ),
      has: keys.filter(({ wanted }) => wanted === 0).map(({ key }) => toBytes(key)),
      wants: keys.filter(({ wanted }) => wanted === 1).map(({ key }) => toBytes(key)),
    };
  }

  #trace(row: Row): WholeTrace {
    return {
      traceId: toTraceId(row.trace_id),
      revision: Number(row.revision),
      closedAt: Number(row.closed_at),
      storedAt: Number(row.stored_at),
      cause: readCloseCause(String(row.cause)),
      spans: Number(row.spans),
      sealed: row.sealed === 1,
      content: readContent(row, (place) => this.#files.read(place)),
    };
  }

  #one(sql: string): Row | undefined {
    return this.#database.prepare(sql).get();
  }

  #all(sql: string, ...values: number[]): Row[] {
    return this.#database.prepare(sql).all(...values);
  }
}

function toWhole(row: Row, conversationId: ConversationId, traceId: TraceId | undefined): WholeEvaluation {
  return {
    evaluation: toEvaluation(row, conversationId),
    traceId,
    labels: String(row.labels),
    createdAt: Number(row.created_at),
    basis: optionalText(row.basis),
    seen: seenFrom(Object.values(SEEN_COLUMNS).map(({ name }) => row[name])),
    subAgents: optionalText(row.sub_agents),
  };
}

function toBytes(value: unknown): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new Error('store: expected bytes');
  return value;
}

/** The cast is the brand: the store's writer took these bytes from a trace id. */
function toTraceId(value: unknown): TraceId {
  return Buffer.from(toBytes(value)).toString('hex') as TraceId;
}

function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
