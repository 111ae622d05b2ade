/**
 * The store: closed turns as their spans arrived, conversations, evaluations and running totals, in one SQLite file.
 *
 * One writer (the scoring thread), any number of readers (see `queries.ts`). Work is written in transactions of many
 * turns each; a commit is synced, because the journal lets go of a turn once it is committed here. After a crash the
 * last transaction is there whole or not at all.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { ConversationId, TraceId, TurnId } from '../model/ids.ts';
import { type Evaluation, OUTCOMES, type Outcome } from '../model/evaluation.ts';
import { decodeContent, encodeContent, type TraceContent } from './content-codec.ts';
import { ContentFiles } from './content-files.ts';
import { type ContentPlace, contentDirectory } from './content-reader.ts';
import { encodeVerdicts } from './verdict-codec.ts';
import { migrate } from './schema.ts';
import { type Labels, type Total, Totals } from './totals.ts';

export interface StoredTrace {
  readonly row: number;
  readonly traceId: TraceId;
  readonly conversation: number;
  readonly revision: number;
  /** Every span of the trace before this position of the log is in here. */
  readonly position: number;
  readonly closedAt: number;
  readonly spans: number;
  /** A turn that was closed for its size takes no more spans. */
  readonly sealed: boolean;
}

export interface StoredConversation {
  readonly row: number;
  readonly id: ConversationId;
  readonly firstClosedAt: number;
  readonly lastClosedAt: number;
  readonly turns: number;
  readonly turnsEvaluated: number;
  readonly dueAt: number | undefined;
  readonly dueCause: string | undefined;
  readonly revision: number;
}

export interface PreviousEvaluation {
  readonly revision: number;
  readonly score: number | undefined;
  readonly outcome: Outcome;
  /** The labels under which the first revision was counted. */
  readonly labels: Labels;
}

export class Store {
  readonly totals: Totals;
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  readonly #files: ContentFiles;
  /** Changes of this transaction, by file. */
  #fileChanges = new Map<number, { end: number; live: number }>();
  #inTransaction = false;
  #position = 0;
  #logTime = 0;
  #floorRaised = false;
  /** No conversation is due before this; kept so that most looks for due ones cost nothing. */
  #nothingDueBefore = Number.NEGATIVE_INFINITY;

  private constructor(database: DatabaseSync, file: string, durable: boolean) {
    this.#database = database;
    const last = database.prepare('SELECT file, end_offset FROM content_files ORDER BY file DESC LIMIT 1').get();
    this.#files = new ContentFiles(contentDirectory(file), {
      durable,
      last: { file: Number(last?.file ?? 0), end: Number(last?.end_offset ?? 0) },
    });
    this.#statements = prepare(database);
    this.totals = new Totals(database);
  }

  /** `durable: false` is for a store that is thrown away: it survives neither power loss nor need it. */
  static open(file: string, options: { readonly durable: boolean } = { durable: true }): Store {
    mkdirSync(path.dirname(file), { recursive: true });
    const database = new DatabaseSync(file);
    database.exec('PRAGMA journal_mode = WAL');
    database.exec(`PRAGMA synchronous = ${options.durable ? 'FULL' : 'OFF'}`);
    database.exec('PRAGMA cache_size = -65536');
    database.exec('PRAGMA wal_autocheckpoint = 4000');
    database.exec('PRAGMA temp_store = MEMORY');
    database.exec('PRAGMA busy_timeout = 5000');
    migrate(database);
    return new Store(database, file, options.durable);
  }

  begin(): void {
    if (this.#inTransaction) return;
    this.#database.exec('BEGIN IMMEDIATE');
    this.#inTransaction = true;
  }

  /** Makes everything since `begin` durable, and says which totals it changed. */
  commit(): readonly Total[] {
    if (!this.#inTransaction) return [];
    this.totals.flush();
    this.#writeFloor();
    this.#files.flush();
    for (const [file, { end, live }] of this.#fileChanges) this.#statements.changeFile.run(file, end, live);
    this.#fileChanges.clear();
    this.#database.exec('COMMIT');
    this.#inTransaction = false;
    return this.totals.committed();
  }

  rollback(): void {
    if (!this.#inTransaction) return;
    this.#inTransaction = false;
    this.totals.discard();
    this.#files.discard();
    this.#fileChanges.clear();
    this.#floorRaised = false;
    this.#nothingDueBefore = Number.NEGATIVE_INFINITY;
    // After some failures (a full disk among them) SQLite has rolled back already.
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }

  close(): void {
    if (!this.#database.isOpen) return;
    this.rollback();
    this.#files.close();
    this.#database.close();
  }

  /** How far the log had come when the last transaction was committed. */
  get floor(): { readonly position: number; readonly logTime: number } {
    return { position: this.#meta('position'), logTime: this.#meta('log_time') };
  }

  /** Remembered with the next commit. */
  raiseFloor(floor: { readonly position: number; readonly logTime: number }): void {
    this.#position = Math.max(this.#position, floor.position);
    this.#logTime = Math.max(this.#logTime, floor.logTime);
    this.#floorRaised = true;
  }

  #writeFloor(): void {
    if (!this.#floorRaised) return;
    this.#statements.raiseMeta.run('position', this.#position);
    this.#statements.raiseMeta.run('log_time', this.#logTime);
    this.#floorRaised = false;
  }

  findTrace(traceId: TraceId): StoredTrace | undefined {
    const row = this.#statements.findTrace.get(Buffer.from(traceId, 'hex'));
    return row === undefined ? undefined : toTrace(row, traceId);
  }

  contentOf(trace: number): TraceContent {
    const row = this.#statements.placeOf.get(trace);
    if (row === undefined) throw new Error(`store: no trace has row ${trace}`);
    return readContent(row, (place) => this.#files.read(place));
  }

  /** The traces of a conversation in the order in which they were stored first. */
  tracesOf(conversation: number): readonly StoredTrace[] {
    return (
      this.#statements.tracesOf
        .all(conversation)
        // The cast is the brand: these bytes came from a trace id.
        .map((row) => toTrace(row, toBuffer(row.trace_id).toString('hex') as TraceId))
    );
  }

  insertTrace(trace: Omit<StoredTrace, 'row'> & { readonly cause: string; readonly content: TraceContent }): number {
    const { lastInsertRowid } = this.#statements.insertTrace.run(
      Buffer.from(trace.traceId, 'hex'),
      trace.conversation,
      trace.revision,
      trace.position,
      trace.closedAt,
      Date.now(),
      trace.cause,
      trace.spans,
      trace.sealed ? 1 : 0,
      ...this.#appendContent(trace.content),
    );
    return Number(lastInsertRowid);
  }

  reviseTrace(trace: StoredTrace & { readonly cause: string; readonly content: TraceContent }): void {
    this.#freeContent(trace.row);
    this.#statements.reviseTrace.run(
      trace.conversation,
      trace.revision,
      trace.position,
      trace.closedAt,
      trace.cause,
      trace.spans,
      trace.sealed ? 1 : 0,
      ...this.#appendContent(trace.content),
      trace.row,
    );
  }

  /** The trace has been looked at up to `position`, and nothing new was there. */
  passTrace(row: number, position: number): void {
    this.#statements.passTrace.run(position, row);
  }

  /**
   * A turn joined the conversation, or one of its turns changed. Where there is no cause to score it now, it is due
   * `idleMs` later, or at its maximum age if that comes first.
   */
  joinConversation(join: {
    readonly id: ConversationId;
    readonly labels: ConversationLabels;
    readonly at: number;
    readonly turnsAdded: number;
    readonly dueNowBecause: string | undefined;
    readonly idleMs: number;
    readonly maxAgeMs: number;
  }): StoredConversation {
    const { id, labels, at, turnsAdded, dueNowBecause, idleMs, maxAgeMs } = join;
    const row = this.#statements.joinConversation.get({
      id,
      agent: labels.agent,
      version: labels.agentVersion,
      environment: labels.environment,
      at,
      now: Date.now(),
      turns: turnsAdded,
      dueAt: dueNowBecause === undefined ? at + idleMs : at,
      dueCause: dueNowBecause ?? 'idle',
      // Never earlier than what is due now.
      maxAge: dueNowBecause === undefined ? maxAgeMs : Number.MAX_SAFE_INTEGER / 4,
    });
    if (row === undefined) throw new Error('store: joining a conversation gave no row');
    const conversation = toConversation(row);
    this.#nothingDueBefore = Math.min(this.#nothingDueBefore, conversation.dueAt ?? Number.POSITIVE_INFINITY);
    return conversation;
  }

  /** The conversation is due at this time instead. */
  scheduleConversation(row: number, due: { readonly at: number; readonly cause: string }): void {
    this.#statements.scheduleConversation.run(due.at, due.cause, row);
    this.#nothingDueBefore = Math.min(this.#nothingDueBefore, due.at);
  }

  /** A turn turned out to belong to another conversation. */
  leaveConversation(row: number, turns: number): void {
    this.#statements.leaveConversation.run(turns, row);
  }

  /** The conversation that is due first, at or before `logTime`. */
  nextDue(logTime: number): StoredConversation | undefined {
    if (logTime < this.#nothingDueBefore) return undefined;
    const row = this.#statements.nextDue.get();
    const next = row === undefined ? undefined : toConversation(row);
    this.#nothingDueBefore = next?.dueAt ?? Number.POSITIVE_INFINITY;
    return next?.dueAt !== undefined && next.dueAt <= logTime ? next : undefined;
  }

  conversationEvaluated(
    row: number,
    result: {
      readonly revision: number;
      readonly cause: string;
      readonly turns: number;
      readonly unscoredBecause: string | undefined;
    },
  ): void {
    this.#statements.conversationEvaluated.run(
      result.revision,
      result.cause,
      result.turns,
      result.unscoredBecause ?? null,
      Date.now(),
      row,
    );
  }

  previousEvaluation(key: {
    readonly conversation: number;
    readonly suite: string;
    readonly turnId: TurnId | undefined;
  }): PreviousEvaluation | undefined {
    const row = this.#statements.previousEvaluation.get(key.conversation, key.suite, key.turnId ?? '');
    if (row === undefined) return undefined;
    return {
      revision: Number(row.revision),
      score: row.score === null ? undefined : Number(row.score),
      outcome: outcomeAt(Number(row.outcome)),
      // The cast holds because `insertEvaluation` wrote the text.
      labels: JSON.parse(String(row.labels)) as Labels,
    };
  }

  /** False where this evaluation is in the store already: it has been counted. */
  insertEvaluation(
    evaluation: Evaluation,
    place: { readonly conversation: number; readonly trace: number; readonly labels: Labels },
  ): boolean {
    const outcome = OUTCOMES.indexOf(evaluation.outcome);
    const { changes, lastInsertRowid } = this.#statements.insertEvaluation.run(
      place.conversation,
      place.trace,
      evaluation.turnId ?? '',
      evaluation.suite,
      evaluation.suiteVersion,
      evaluation.scope,
      evaluation.revision,
      evaluation.score ?? null,
      outcome,
      evaluation.explanation,
      encodeVerdicts(evaluation.verdicts),
      JSON.stringify(place.labels),
      Date.now(),
    );
    if (changes === 0) return false;
    for (const [criterion, verdict] of evaluation.verdicts) {
      if (verdict.verdict === 'fail') this.#statements.insertFailedVerdict.run(criterion, lastInsertRowid);
    }
    if (evaluation.outcome !== 'unscored') this.#statements.worsenConversation.run(outcome, place.conversation);
    return true;
  }

  /** Rows of these conversations are about to go; what they hold in files is free. */
  freeContentOf(condition: string): void {
    const rows = this.#database
      .prepare(
        `SELECT content_file AS file, sum(spans_length + logs_length) AS bytes FROM traces WHERE ${condition} GROUP BY content_file`,
      )
      .all();
    for (const { file, bytes } of rows) this.#changeFile(Number(file), { end: 0, live: -Number(bytes) });
  }

  /** Removes the files that no row refers to. Only between transactions: a rollback must find them. */
  removeEmptyFiles(): number {
    const empty = this.#database.prepare('SELECT file FROM content_files WHERE live_bytes <= 0').all();
    let removed = 0;
    for (const { file } of empty) {
      if (this.#files.isCurrent(Number(file))) continue;
      this.#database.prepare('DELETE FROM content_files WHERE file = ?').run(file ?? null);
      this.#files.remove(Number(file));
      removed += 1;
    }
    return removed;
  }

  /** Copies forward what is left in the emptiest file, where that is less than `share` of it. */
  compactOne(share: number): boolean {
    const row = this.#database
      .prepare(
        `SELECT file FROM content_files WHERE live_bytes > 0 AND live_bytes < end_offset * ?
         AND file < (SELECT max(file) FROM content_files) ORDER BY live_bytes LIMIT 1`,
      )
      .get(share);
    if (row === undefined) return false;
    const traces = this.#database
      .prepare(`SELECT id, ${PLACE_COLUMNS} FROM traces WHERE content_file = ?`)
      .all(Number(row.file));
    const move = this.#database.prepare('UPDATE traces SET content_file = ?, content_offset = ? WHERE id = ?');
    for (const trace of traces) {
      const length = Number(trace.spans_length) + Number(trace.logs_length);
      const bytes = this.#files.read({
        file: Number(trace.content_file),
        offset: Number(trace.content_offset),
        length,
      });
      const place = this.#files.append(bytes);
      this.#changeFile(Number(trace.content_file), { end: 0, live: -length });
      this.#changeFile(place.file, { end: place.offset + length, live: length });
      move.run(place.file, place.offset, Number(trace.id));
    }
    return true;
  }

  /** Runs a piece of housekeeping on the writer's connection. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#database.prepare(sql).run(...values).changes);
  }

  count(table: 'traces' | 'conversations' | 'evaluations'): number {
    return this.#number(`SELECT count(*) AS rows FROM ${table}`, 'rows');
  }

  get usedBytes(): number {
    const pages =
      this.#number('PRAGMA page_count', 'page_count') - this.#number('PRAGMA freelist_count', 'freelist_count');
    return pages * this.#number('PRAGMA page_size', 'page_size');
  }

  #appendContent(content: TraceContent): [file: number, offset: number, spans: number, logs: number] {
    const spans = encodeContent(content.traces);
    const logs = content.logs === undefined ? undefined : encodeContent(content.logs);
    // As one piece, so that both lie in one file.
    const { file, offset, length } = logs === undefined ? this.#files.append(spans) : this.#files.append(spans, logs);
    this.#changeFile(file, { end: offset + length, live: length });
    return [file, offset, spans.length, logs?.length ?? 0];
  }

  #freeContent(trace: number): void {
    const row = this.#statements.placeOf.get(trace);
    if (row === undefined) return;
    const length = Number(row.spans_length) + Number(row.logs_length);
    this.#changeFile(Number(row.content_file), { end: 0, live: -length });
  }

  #changeFile(file: number, change: { readonly end: number; readonly live: number }): void {
    const changes = this.#fileChanges.get(file) ?? { end: 0, live: 0 };
    changes.end = Math.max(changes.end, change.end);
    changes.live += change.live;
    this.#fileChanges.set(file, changes);
  }

  #meta(key: string): number {
    return Number(this.#statements.meta.get(key)?.value ?? 0);
  }

  #number(sql: string, column: string): number {
    return Number(this.#database.prepare(sql).get()?.[column] ?? 0);
  }
}

export interface ConversationLabels {
  readonly agent: string;
  readonly agentVersion: string;
  readonly environment: string;
}

type Row = Record<string, unknown>;
type Statements = ReturnType<typeof prepare>;

const CONVERSATION_COLUMNS =
  'id, conversation_id, first_closed_at, last_closed_at, turns, turns_evaluated, due_at, due_cause, revision';
const PLACE_COLUMNS = 'content_file, content_offset, spans_length, logs_length';
/** A conversation that came back after its maximum age is idle or not like any other. */
const COMES_OF_AGE = 'first_closed_at + $maxAge > $at AND first_closed_at + $maxAge < $dueAt';
const TRACE_COLUMNS = 'id, trace_id, conversation, revision, position, closed_at, spans, sealed';

function prepare(database: DatabaseSync) {
  const statement = (sql: string): StatementSync => database.prepare(sql);
  return {
    meta: statement('SELECT value FROM meta WHERE key = ?'),
    raiseMeta: statement(
      'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = max(value, excluded.value)',
    ),
    findTrace: statement(`SELECT ${TRACE_COLUMNS} FROM traces WHERE trace_id = ?`),
    tracesOf: statement(`SELECT ${TRACE_COLUMNS} FROM traces WHERE conversation = ? ORDER BY id`),
    placeOf: statement(`SELECT ${PLACE_COLUMNS} FROM traces WHERE id = ?`),
    changeFile: statement(
      `INSERT INTO content_files (file, end_offset, live_bytes) VALUES (?, ?, ?) ON CONFLICT (file)
       DO UPDATE SET end_offset = max(end_offset, excluded.end_offset), live_bytes = live_bytes + excluded.live_bytes`,
    ),
    insertTrace: statement(
      `INSERT INTO traces
         (trace_id, conversation, revision, position, closed_at, stored_at, cause, spans, sealed, ${PLACE_COLUMNS})
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    reviseTrace: statement(
      `UPDATE traces SET conversation = ?, revision = ?, position = ?, closed_at = ?, cause = ?, spans = ?, sealed = ?,
         content_file = ?, content_offset = ?, spans_length = ?, logs_length = ? WHERE id = ?`,
    ),
    passTrace: statement('UPDATE traces SET position = ? WHERE id = ?'),
    joinConversation: statement(
      `INSERT INTO conversations
         (conversation_id, agent, agent_version, environment, first_closed_at, last_closed_at, updated_at, turns, due_at, due_cause)
       VALUES ($id, $agent, $version, $environment, $at, $at, $now, $turns,
         min($dueAt, $at + $maxAge), CASE WHEN $at + $maxAge < $dueAt THEN 'max_age' ELSE $dueCause END)
       ON CONFLICT (conversation_id) DO UPDATE SET
         agent = $agent, agent_version = $version, environment = $environment,
         last_closed_at = max(last_closed_at, $at), updated_at = $now, turns = turns + $turns,
         due_at = CASE WHEN ${COMES_OF_AGE} THEN first_closed_at + $maxAge ELSE $dueAt END,
         due_cause = CASE WHEN ${COMES_OF_AGE} THEN 'max_age' ELSE $dueCause END
       RETURNING ${CONVERSATION_COLUMNS}`,
    ),
    scheduleConversation: statement('UPDATE conversations SET due_at = ?, due_cause = ? WHERE id = ?'),
    leaveConversation: statement('UPDATE conversations SET turns = turns - ? WHERE id = ?'),
    nextDue: statement(
      `SELECT ${CONVERSATION_COLUMNS} FROM conversations WHERE due_at IS NOT NULL ORDER BY due_at, id LIMIT 1`,
    ),
    conversationEvaluated: statement(
      `UPDATE conversations
       SET revision = ?, cause = ?, turns_evaluated = ?, unscored_because = ?, updated_at = ?, due_at = NULL, due_cause = NULL
       WHERE id = ?`,
    ),
    previousEvaluation: statement(
      `SELECT revision, score, outcome, labels FROM evaluations
       WHERE conversation = ? AND suite = ? AND turn_id = ? ORDER BY revision DESC, id DESC LIMIT 1`,
    ),
    insertEvaluation: statement(
      `INSERT OR IGNORE INTO evaluations
         (conversation, trace, turn_id, suite, suite_version, scope, revision, score, outcome, explanation, verdicts, labels, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    insertFailedVerdict: statement('INSERT INTO failed_verdicts (criterion, evaluation) VALUES (?, ?)'),
    worsenConversation: statement('UPDATE conversations SET worst_outcome = max(worst_outcome, ?) WHERE id = ?'),
  };
}

function toTrace(row: Row, traceId: TraceId): StoredTrace {
  return {
    row: Number(row.id),
    traceId,
    conversation: Number(row.conversation),
    revision: Number(row.revision),
    position: Number(row.position),
    closedAt: Number(row.closed_at),
    spans: Number(row.spans),
    sealed: row.sealed === 1,
  };
}

function toConversation(row: Row): StoredConversation {
  return {
    row: Number(row.id),
    // The cast is the brand: `insertConversation` wrote it.
    id: String(row.conversation_id) as ConversationId,
    firstClosedAt: Number(row.first_closed_at),
    lastClosedAt: Number(row.last_closed_at),
    turns: Number(row.turns),
    turnsEvaluated: Number(row.turns_evaluated),
    dueAt: row.due_at === null ? undefined : Number(row.due_at),
    dueCause: row.due_cause === null ? undefined : String(row.due_cause),
    revision: Number(row.revision),
  };
}

/** From a row with the columns of a place. */
export function readContent(row: Row, read: (place: ContentPlace) => Uint8Array): TraceContent {
  const [file, offset] = [Number(row.content_file), Number(row.content_offset)];
  const [spans, logs] = [Number(row.spans_length), Number(row.logs_length)];
  const bytes = read({ file, offset, length: spans + logs });
  return {
    traces: decodeContent(bytes.subarray(0, spans)),
    logs: logs === 0 ? undefined : decodeContent(bytes.subarray(spans)),
  };
}

function outcomeAt(index: number): Outcome {
  const outcome = OUTCOMES[index];
  if (outcome === undefined) throw new Error(`store: ${index} is not the number of an outcome`);
  return outcome;
}

function toBuffer(value: unknown): Buffer {
  if (!(value instanceof Uint8Array)) throw new Error('store: expected bytes');
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}
