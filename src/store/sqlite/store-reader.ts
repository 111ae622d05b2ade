/**
 * Reads the store beside its writer, from any thread or process: for the API, `assay explain` and the tests. SQLite's
 * write-ahead log lets readers see the last commit without waiting for the writer.
 */
import { feedbackFrom, truthFrom } from '../said-of-conversation.ts';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { readCloseCause } from '../../model/causes.ts';
import type { Evaluation, Verdict } from '../../model/evaluation.ts';
import type { ConversationId, TraceId } from '../../model/ids.ts';
import {
  type ConversationQuery,
  type ConversationReader,
  type EvaluationsOptions,
  type EvaluationSummary,
  searchFor,
  type TraceRow,
} from '../conversation-reader.ts';
import type { ConversationRow } from '../conversation-row.ts';
import type { JudgeOutcome } from '../../model/judging.ts';
import type { TraceContent } from '../engine-store.ts';
import { type SummaryCells, summaryFrom } from '../evaluation-columns.ts';
import type { EvaluationScanner, LatestBasis, ScannedEvaluation, ScanQuery } from '../evaluation-scan.ts';
import type { Labelled, LabelReader } from '../label-store.ts';
import { ContentReader, contentDirectory } from './content-reader.ts';
import { readLabelled } from './label-rows.ts';
import type { NamedOutcome } from '../../model/validity.ts';
import type { OutcomeLabelReader, OutcomeName } from '../outcome-label-store.ts';
import { OUTCOMES_OF, outcomesNamed, readOutcomeNames, toOutcome } from './outcome-label-rows.ts';
import { decodeVerdicts } from '../verdict-codec.ts';
import { evaluationBeside, latestBases, scanEvaluations } from './evaluation-scan.ts';
import { readContent } from './traces.ts';
import { toConversationRow } from './conversation-row.ts';
import { toEvaluation } from './evaluation-row.ts';
import { SqlitePages } from './page-reads.ts';
import {
  type HistoryCells,
  type HistoryQuery,
  type HistoryRow,
  type HistorySumQuery,
  historyRowFrom,
  historyStatement,
  type SummedCells,
  type SummedHistory,
  summedFrom,
} from '../history.ts';
import { Statements } from './statements.ts';

export class StoreReader implements ConversationReader, LabelReader, OutcomeLabelReader, EvaluationScanner {
  readonly #database: DatabaseSync;
  readonly #files: ContentReader;
  readonly #statements: Statements;
  readonly pages: SqlitePages;

  private constructor(database: DatabaseSync, file: string) {
    this.#database = database;
    this.#statements = new Statements(database);
    this.pages = new SqlitePages(this.#statements);
    this.#files = new ContentReader(contentDirectory(file));
  }

  static open(file: string): StoreReader {
    const database = new DatabaseSync(file, { readOnly: true });
    database.exec('PRAGMA busy_timeout = 5000');
    return new StoreReader(database, file);
  }

  /** On a connection that somebody else has and closes. */
  static on(database: DatabaseSync, file: string): StoreReader {
    return new StoreReader(database, file);
  }

  close(): void {
    this.#files.close();
    if (this.#database.isOpen) this.#database.close();
  }

  find(conversationId: string): ConversationRow | undefined {
    const row = this.#prepared('SELECT * FROM conversations WHERE conversation_id = ?').get(conversationId);
    return row === undefined ? undefined : toConversationRow(row);
  }

  /** Latest first; one page. */
  list(query: ConversationQuery): readonly ConversationRow[] {
    return this.pages.search(searchFor(query)).rows;
  }

  /** The last revision of each suite and turn, or all of them, in the order in which they were made; then those that wait. */
  evaluations(conversation: ConversationRow, { revisions, of = 'live' }: EvaluationsOptions): readonly Evaluation[] {
    const wanted = of === 'live' ? IS_LIVE : `NOT ${IS_LIVE}`;
    const rows = this.#prepared(
      `SELECT * FROM evaluations e WHERE conversation = ? AND ${wanted} ${revisions === 'last' ? `AND ${IS_LAST}` : ''} ORDER BY id`,
    ).all(conversation.row);
    const waiting = this.#prepared(
      `SELECT * FROM waiting_evaluations e WHERE conversation = ? AND ${wanted} ORDER BY id`,
    ).all(conversation.row);
    return [...rows, ...waiting].map((row) => toEvaluation(row, conversation.conversationId));
  }

  summaries(conversations: readonly ConversationRow[]): ReadonlyMap<number, readonly EvaluationSummary[]> {
    const made = this.#prepared(SUMMARIES);
    const waiting = this.#prepared(WAITING_SUMMARIES);
    return new Map(
      conversations.map(({ row }) => [row, [...made.all(row), ...waiting.all(row)].map((cells) => toSummary(cells))]),
    );
  }

  /** Every conversation's last evaluations, in the order of the conversations. For tests and reports. */
  *allEvaluations(): Generator<Evaluation> {
    const rows = this.#database
      .prepare(
        `SELECT e.*, c.conversation_id FROM evaluations e JOIN conversations c ON c.id = e.conversation
         WHERE ${IS_LIVE} AND ${IS_LAST} ORDER BY c.conversation_id, e.suite, e.turn_id`,
      )
      .iterate();
    // The cast is the brand: the store's writer wrote it.
    for (const row of rows) yield toEvaluation(row, String(row.conversation_id) as ConversationId);
  }

  truthOf({ conversationId }: ConversationRow): ReturnType<typeof truthFrom> {
    const row = this.#prepared('SELECT truth FROM truths WHERE conversation_id = ?').get(conversationId);
    return truthFrom(row === undefined ? undefined : String(row.truth));
  }

  feedbackOf({ conversationId }: ConversationRow): ReturnType<typeof feedbackFrom> {
    const rows = this.#prepared('SELECT body FROM feedback WHERE conversation_id = ?').all(conversationId);
    return feedbackFrom(
      conversationId,
      rows.map(({ body }) => String(body)),
    );
  }

  outcomeNames(): readonly OutcomeName[] {
    return readOutcomeNames(this.#statements);
  }

  outcomesNamed(label: string): Generator<readonly NamedOutcome[]> {
    return outcomesNamed(this.#statements, label);
  }

  outcomesOf({ conversationId }: ConversationRow): readonly NamedOutcome[] {
    return this.#prepared(OUTCOMES_OF).all(conversationId).map(toOutcome);
  }

  traces(conversation: ConversationRow): readonly TraceRow[] {
    return this.#prepared('SELECT id, trace_id, revision, cause, spans FROM traces WHERE conversation = ? ORDER BY id')
      .all(conversation.row)
      .map((row) => ({
        row: Number(row.id),
        // The cast is the brand: the store's writer took these bytes from a trace id.
        traceId: Buffer.from(row.trace_id as Uint8Array).toString('hex') as TraceId,
        revision: Number(row.revision),
        cause: readCloseCause(String(row.cause)),
        spans: Number(row.spans),
      }));
  }

  content(trace: TraceRow): TraceContent | undefined {
    const row = this.#prepared(`SELECT * FROM traces WHERE id = ?`).get(trace.row);
    return row === undefined ? undefined : readContent(row, (place) => this.#files.read(place));
  }

  *allContent(): Generator<{ readonly traceId: TraceId; readonly content: TraceContent }> {
    for (const row of this.#database.prepare('SELECT * FROM traces').iterate()) {
      if (!(row.trace_id instanceof Uint8Array)) continue;
      // The cast is the brand, as above.
      const traceId = Buffer.from(row.trace_id).toString('hex') as TraceId;
      yield { traceId, content: readContent(row, (place) => this.#files.read(place)) };
    }
  }

  scanEvaluations(query: ScanQuery): Generator<readonly ScannedEvaluation[]> {
    this.pages.needUpToDate();
    return scanEvaluations(this.#statements, query);
  }

  latestBases(conversationsMax: number): Generator<readonly LatestBasis[]> {
    return latestBases(this.#statements, conversationsMax);
  }

  besideOf(evaluation: ScannedEvaluation, suiteKey: string): ScannedEvaluation | undefined {
    return evaluationBeside(this.#statements, evaluation, suiteKey);
  }

  verdictsOf({ row }: ScannedEvaluation): ReadonlyMap<string, Verdict> {
    const found = this.#prepared('SELECT verdicts FROM evaluations WHERE id = ?').get(row);
    return found === undefined ? new Map() : decodeVerdicts(String(found.verdicts)).verdicts;
  }

  conversationOf({ conversation }: Pick<ScannedEvaluation, 'conversation'>): ConversationRow | undefined {
    const row = this.#prepared('SELECT * FROM conversations WHERE id = ?').get(conversation);
    return row === undefined ? undefined : toConversationRow(row);
  }

  answerOf(requestKey: string): JudgeOutcome | undefined {
    const row = this.#prepared('SELECT outcome FROM questions WHERE key = ? AND answered = 1').get(
      Buffer.from(requestKey, 'hex'),
    );
    // The cast holds because whoever ended the question wrote the text.
    return row === undefined ? undefined : (JSON.parse(String(row.outcome)) as JudgeOutcome);
  }

  #prepared(sql: string): StatementSync {
    return this.#statements.of(sql);
  }

  labelled(...[limits, of]: Parameters<LabelReader['labelled']>): Labelled {
    return readLabelled(this.#statements, limits, of);
  }

  history({ suite, width, since, until }: HistoryQuery): readonly HistoryRow[] {
    const rows = this.#prepared(
      'SELECT * FROM history WHERE suite = ? AND width = ? AND begins >= ? AND begins < ? ORDER BY begins',
    ).all(suite, width, since, until);
    // The cast holds because they are the table's own columns.
    return rows.map((row) => historyRowFrom(row as HistoryCells, (stored) => stored));
  }

  summedHistory(query: HistorySumQuery): readonly SummedHistory[] {
    const { sql, values } = historyStatement(query, {
      among: (column) => `${column} IN (SELECT value FROM json_each(?))`,
      texts: (texts) => JSON.stringify(texts),
    });
    // The cast holds because they are the statement's own columns.
    return this.#prepared(sql)
      .all(...values)
      .map((row) => summedFrom(row as SummedCells, (stored) => stored));
  }

  totals(): readonly { readonly metric: string; readonly labels: string; readonly value: number }[] {
    return this.#prepared('SELECT metric, labels, value FROM totals ORDER BY metric, labels')
      .all()
      .map((row) => ({ metric: String(row.metric), labels: String(row.labels), value: Number(row.value) }));
  }
}

const IS_LAST = `NOT EXISTS (
  SELECT 1 FROM evaluations n
  WHERE n.conversation = e.conversation AND n.suite = e.suite AND n.turn_id = e.turn_id AND n.revision > e.revision)`;
/** Rows of shadows are marked by their name (suite-key.ts). */
const IS_LIVE = `e.suite NOT LIKE 'shadow:%'`;
const SUMMARIES = `SELECT suite, turn_id, score, outcome, because, explanation, decided_share, about FROM evaluations e
  WHERE conversation = ? AND ${IS_LIVE} AND ${IS_LAST} ORDER BY id`;
const WAITING_SUMMARIES = `SELECT suite, turn_id, score, outcome, because, explanation, waits_for FROM waiting_evaluations e
  WHERE conversation = ? AND ${IS_LIVE} ORDER BY id`;

function toSummary(row: Record<string, unknown>): EvaluationSummary {
  // The casts hold because the store's writer wrote the row and the text.
  const summary = summaryFrom(row as unknown as SummaryCells, (stored) => stored);
  return typeof row.waits_for === 'string'
    ? { ...summary, waitsFor: JSON.parse(row.waits_for) as readonly string[] }
    : summary;
}
