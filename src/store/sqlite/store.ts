/**
 * The store: closed turns as their spans arrived, conversations, evaluations and running totals, in one SQLite file and
 * the content files beside it.
 *
 * One writer (the scoring thread), any number of readers (see `store-reader.ts`). Work is written in transactions of
 * many turns each; a commit is synced, because the journal deletes a turn once it is committed here. After a crash the
 * last transaction is there whole or not at all.
 */
import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { EngineStore, Total } from '../engine-store.ts';
import { HeldConversations } from '../held-conversations.ts';
import type { ConversationId, TraceId } from '../../model/ids.ts';
import type { Writing } from '../rules/writer.ts';
import type { Rule } from '../sql.ts';
import { TotalsInMemory } from '../running-totals.ts';
import { ConversationKeyRows } from './conversation-keys.ts';
import { CountedCommits } from './counted-commits.ts';
import { ContentFiles } from './content-files.ts';
import { ContentInMemory } from './content-in-memory.ts';
import { ConversationRows } from './conversation-rows.ts';
import { type QuestionRows, questionRows } from './question-rows.ts';
import { Evaluations } from './evaluations.ts';
import { HistoryRows } from './history-rows.ts';
import { LabelRows } from './label-rows.ts';
import { PostponedTurns } from './postponed-turns.ts';
import { Revisits } from './revisits.ts';
import { ForgottenRows } from './forgotten-rows.ts';
import { isNew, migrate } from './migrate.ts';
import { Statements } from './statements.ts';
import { StoreReader } from './store-reader.ts';
import { TotalRows } from './total-rows.ts';
import { Traces } from './traces.ts';
import { SaidRows } from './said-rows.ts';
import { WaitingEvaluations } from './waiting-evaluations.ts';

const IN_MEMORY = ':memory:';

/** The log as the store knows it. */
export interface LogFloor {
  readonly position: number;
  readonly logTime: number;
  /** Rows before this position are stored or not wanted, so that nobody needs to read them again. */
  readonly readFrom: number;
  /** Position behind what was durable in the log. */
  readonly logEnd: number;
}

export class Store implements EngineStore {
  readonly totals = new TotalsInMemory();
  readonly traces: Traces;
  readonly forgotten: ForgottenRows;
  readonly conversations: HeldConversations;
  readonly keys: ConversationKeyRows;
  readonly postponed: PostponedTurns;
  readonly evaluations: Evaluations;
  readonly waiting: WaitingEvaluations;
  readonly questions: QuestionRows;
  readonly revisits: Revisits;
  readonly truths: SaidRows['truths'];
  readonly feedbackRows: SaidRows['feedback'];
  readonly feedback: SaidRows['book'];
  readonly said: SaidRows;
  readonly labels: LabelRows;
  readonly readings: Writing<'now'>['readings'];
  readonly failures: Writing<'now'>['failures'];
  readonly detection: Writing<'now'>['detection'] & EngineStore['detection'];
  readonly results: Writing<'now'>['results'] & EngineStore['results'];
  readonly archive: Writing<'now'>['archive'] & EngineStore['archive'];
  readonly #database: DatabaseSync;
  readonly #file: string;
  readonly #conversationRows: ConversationRows;
  readonly #totalRows: TotalRows;
  readonly historyRows: HistoryRows;
  readonly history: HistoryRows['changes'];
  readonly words: ConversationRows['words'];
  readonly #metaValue: StatementSync;
  readonly #raiseMeta: StatementSync;
  readonly #totalChanges: StatementSync;
  /** Undefined for a store that is thrown away. */
  readonly #commits: CountedCommits | undefined;
  #changesBefore = 0;
  #inTransaction = false;
  #position = 0;
  #logTime = 0;
  #readFrom = 0;
  #logEnd = 0;
  #floorRaised = false;

  private constructor(
    database: DatabaseSync,
    file: string,
    {
      openContent,
      durable,
    }: Pick<ConstructorParameters<typeof Traces>[1], 'openContent'> & { readonly durable: boolean },
  ) {
    const own = <T>(what: string, work: () => T): T => this.#between(what, work);
    const statements = new Statements(database);
    this.#database = database;
    this.#file = file;
    this.#totalRows = new TotalRows(database, this.totals);
    this.historyRows = new HistoryRows(database);
    this.history = this.historyRows.changes;
    this.forgotten = new ForgottenRows(this, database, own);
    this.traces = new Traces(database, { openContent, pruned: this.pruned });
    this.#conversationRows = new ConversationRows(database);
    this.words = this.#conversationRows.words;
    this.conversations = new HeldConversations(this.#conversationRows, { lots: durable ? 'drawn' : 'of ids' });
    this.keys = new ConversationKeyRows(database, this.conversations);
    this.postponed = new PostponedTurns(database, this.traces);
    this.labels = new LabelRows(statements, own);
    this.evaluations = new Evaluations(database, this.conversations, this.labels);
    this.questions = questionRows(statements, own);
    this.waiting = new WaitingEvaluations(database, this.questions);
    this.revisits = new Revisits(database, this.waiting);
    const { conversations, revisits } = this;
    this.said = new SaidRows(statements, { conversations, revisits, own });
    this.readings = this.said.written.readings;
    this.failures = this.said.written.failures;
    this.truths = this.said.truths;
    this.feedbackRows = this.said.feedback;
    this.feedback = this.said.book;
    const observe = database.prepare('INSERT INTO detection_queue (at, evaluation, payload) VALUES (?, ?, ?)');
    const send = database.prepare('INSERT INTO result_queue (payload) VALUES (?)');
    this.detection = {
      ...this.said.written.detection,
      add: ({ at, evaluation, payload }) => void observe.run(at, evaluation, payload),
    };
    this.results = { ...this.said.written.results, add: (payload) => void send.run(payload) };
    const archive = database.prepare('INSERT INTO archive_queue (at, conversation_id) VALUES (?, ?)');
    const archived = this.said.written.archive;
    this.archive = {
      ...archived,
      add: (id) => void archive.run(Date.now(), id),
      forgotten: (forgets) => {
        // Names of users are in the WAL still.
        this.note('forget_unsettled', 1);
        archived.forgotten(forgets);
      },
    };
    this.#metaValue = database.prepare('SELECT value FROM meta WHERE key = ?');
    this.#raiseMeta = database.prepare(
      'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = max(value, excluded.value)',
    );
    this.#totalChanges = database.prepare('SELECT total_changes() AS changes');
    if (durable) this.#commits = new CountedCommits(database, file);
  }

  /** `durable: false` is for a store that is thrown away: it survives neither power loss nor need it. */
  static open(file: string, options: { readonly durable: boolean } = { durable: true }): Store {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const database = new DatabaseSync(file);
    database.exec('PRAGMA journal_mode = WAL');
    database.exec(`PRAGMA synchronous = ${options.durable ? 'FULL' : 'OFF'}`);
    database.exec('PRAGMA cache_size = -65536');
    database.exec('PRAGMA wal_autocheckpoint = 4000');
    database.exec('PRAGMA temp_store = MEMORY');
    database.exec('PRAGMA busy_timeout = 5000');
    // Deleted rows are overwritten, also in pages that are free (docs/decisions/0035).
    database.exec('PRAGMA secure_delete = ON');
    const wasEmpty = isNew(database);
    migrate(database);
    if (wasEmpty) database.exec(`INSERT INTO meta (key, value) VALUES ('overwrites_deleted', 1)`);
    return new Store(database, file, {
      openContent: (last) => ContentFiles.beside(file, { durable: options.durable, last }),
      durable: options.durable,
    });
  }

  /** Small, and gone when it is closed: opening files takes longer than scoring a conversation. */
  static inMemory(): Store {
    const database = new DatabaseSync(IN_MEMORY);
    database.exec('PRAGMA temp_store = MEMORY');
    migrate(database);
    return new Store(database, IN_MEMORY, { openContent: () => new ContentInMemory(), durable: false });
  }

  /** On the writer's own connection, between transactions. It is closed with the store, and has no content of one in memory. */
  reader(): StoreReader {
    return StoreReader.on(this.#database, this.#file);
  }

  begin(): void {
    if (this.#inTransaction) return;
    this.#database.exec('BEGIN IMMEDIATE');
    this.#changesBefore = this.#changes;
    this.#inTransaction = true;
  }

  /** Makes everything since `begin` durable, and says which totals it changed. */
  commit(): readonly Total[] {
    if (!this.#inTransaction) return [];
    this.#writeRows();
    this.#totalRows.flush();
    this.historyRows.flush();
    this.words.flush();
    this.#writeFloor();
    this.traces.flush();
    // An idle service commits every second and must not wake the disk.
    const isChanged = this.#changes !== this.#changesBefore;
    if (isChanged) this.#commits?.begin();
    this.#database.exec('COMMIT');
    this.#inTransaction = false;
    if (isChanged) this.#commits?.committed();
    return this.totals.committed();
  }

  rollback(): void {
    if (!this.#inTransaction) return;
    this.#inTransaction = false;
    this.evaluations.discard();
    this.totals.discard();
    this.history.clear();
    this.words.discard();
    this.#floorRaised = false;
    // After some failures (a full disk among them) SQLite has rolled back already.
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
    // These look for the last row that is left.
    this.traces.discard();
    this.#conversationRows.discard();
    this.conversations.discard();
    this.discardRemembered();
    this.forgotten.discard();
    this.#commits?.discard();
  }

  /** Conversations were deleted: what parts remember of their tables may be wrong. */
  discardRemembered(): void {
    this.totals.dropExemplars();
    this.conversations.discard();
    this.postponed.discard();
    this.said.discard();
    this.labels.discard();
    this.revisits.discard();
    this.waiting.discard();
  }

  idOfConversation(row: number): ConversationId | undefined {
    return this.#conversationRows.at(row)?.id;
  }

  close(): void {
    if (!this.#database.isOpen) return;
    this.rollback();
    this.traces.close();
    // A copy of a stopped service that forgets the WAL is whole, although a reader may still be there.
    if (this.#commits !== undefined) this.truncateWal();
    this.#commits?.close();
    this.#database.close();
  }

  /** How far the log had come when the last transaction was committed. */
  get floor(): LogFloor {
    const readFrom = this.#meta('read_from');
    // A log that was lost must not begin where rows are thought to be stored.
    const position = Math.max(this.#meta('position'), readFrom);
    return { position, logTime: this.#meta('log_time'), readFrom, logEnd: Math.max(this.#meta('log_end'), position) };
  }

  /** As `floor` will say once this transaction is committed. */
  get readFrom(): number {
    return Math.max(this.#meta('read_from'), this.#floorRaised ? this.#readFrom : 0);
  }

  /** Stored with the next commit: how far the log had come. */
  raiseFloor({ position = 0, logTime = 0, readFrom = 0, logEnd = 0 }: Partial<LogFloor>): void {
    this.#position = Math.max(this.#position, position);
    this.#logTime = Math.max(this.#logTime, logTime);
    this.#readFrom = Math.max(this.#readFrom, readFrom);
    this.#logEnd = Math.max(this.#logEnd, logEnd);
    this.#floorRaised = true;
  }

  /** A number that was noted under a name, else 0. */
  noted(name: string): number {
    return this.#meta(name);
  }

  note(name: string, value: number): void {
    this.run('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)', name, value);
  }

  moveTrace(trace: number, { from, to }: { readonly from: number; readonly to: number }): void {
    this.evaluations.moveTrace(trace, from, to);
    this.waiting.moveTrace(trace, from, to);
  }

  moveConversation(from: number, to: number): void {
    // An evaluation that waits would look for the row that goes.
    this.evaluations.flush();
    for (const { row } of this.traces.ofConversation(from)) {
      this.traces.move(row, to);
      this.moveTrace(row, { from, to });
    }
    this.waiting.dropWhole(from);
    this.waiting.moveAsked(from, to);
    this.keys.move(from, to);
  }

  #between<T>(what: string, work: () => T): T {
    if (this.#inTransaction) throw new Error(`store: ${what} was begun inside another transaction`);
    this.begin();
    try {
      const done = work();
      this.commit();
      return done;
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  /** Conversations in `temp.dropped`. */
  chosenIds(): readonly string[] {
    this.#writeRows();
    return this.#database
      .prepare('SELECT conversation_id FROM conversations WHERE id IN temp.dropped')
      .all()
      .map((row) => String(row.conversation_id));
  }

  /** Runs a piece of housekeeping on the writer's connection. */
  run(sql: string, ...values: SQLInputValue[]): number {
    this.#writeRows();
    return Number(this.#database.prepare(sql).run(...values).changes);
  }

  /** The same for a rule. */
  inside<T>(rule: Rule<T>): T {
    this.#writeRows();
    return this.said.sql.inside(rule);
  }

  count(table: 'traces' | 'conversations' | 'evaluations'): number {
    this.#writeRows();
    return this.#number(`SELECT count(*) AS rows FROM ${table}`, 'rows');
  }

  /** Traces of deleted conversations. */
  get pruned() {
    return this.forgotten.pruned;
  }

  /** Position up to which the log's rows of this trace are stored, or were before retention deleted them. */
  storedUpTo(traceId: TraceId): number | undefined {
    return this.traces.find(traceId)?.position ?? this.pruned.positionOf(traceId);
  }

  /**
   * Bytes of conversations, in the database and in the files of content. Counters are apart: there are as many as label
   * sets, and no conversation that is deleted makes them fewer.
   */
  get usedBytes(): number {
    return Math.max(0, this.#databaseBytes - this.totals.bytes) + this.traces.liveBytes;
  }

  /** Room on the disk, with the WAL, and with what nothing is in any more and which is used again. */
  get diskBytes(): number {
    const wal = statSync(`${this.#file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    return this.#number('PRAGMA page_count', 'page_count') * this.#pageBytes + wal + this.traces.fileBytes;
  }

  /** Gives the room of the WAL back. Only between transactions; a reader that is busy keeps it until the next time: false. */
  truncateWal(): boolean {
    return this.#database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0;
  }

  get #databaseBytes(): number {
    const pages =
      this.#number('PRAGMA page_count', 'page_count') - this.#number('PRAGMA freelist_count', 'freelist_count');
    return pages * this.#pageBytes;
  }

  get #pageBytes(): number {
    return this.#number('PRAGMA page_size', 'page_size');
  }

  /** Writes that wait in memory. In this order: an evaluation changes the row of its conversation. */
  #writeRows(): void {
    this.traces.writeWaiting();
    this.evaluations.flush();
    this.conversations.flush();
  }

  #writeFloor(): void {
    if (!this.#floorRaised) return;
    this.#raiseMeta.run('position', this.#position);
    this.#raiseMeta.run('log_time', this.#logTime);
    this.#raiseMeta.run('read_from', this.#readFrom);
    this.#raiseMeta.run('log_end', this.#logEnd);
    this.#floorRaised = false;
  }

  get #changes(): number {
    return Number(this.#totalChanges.get()?.changes ?? 0);
  }

  #meta(key: string): number {
    return Number(this.#metaValue.get(key)?.value ?? 0);
  }

  #number(sql: string, column: string): number {
    return Number(this.#database.prepare(sql).get()?.[column] ?? 0);
  }
}
