/**
 * The store: closed turns as their spans arrived, conversations, evaluations and running totals, in one SQLite file and
 * the content files beside it.
 *
 * One writer (the scoring thread), any number of readers (see `store-reader.ts`). Work is written in transactions of many
 * turns each; a commit is synced, because the journal lets go of a turn once it is committed here. After a crash the
 * last transaction is there whole or not at all.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { type Evaluation, OUTCOMES, type Verdict } from '../../model/evaluation.ts';
import type { ConversationId, TraceId } from '../../model/ids.ts';
import type { Json } from '../../model/json.ts';
import type {
  ConversationJoin,
  ConversationKeys,
  ConversationResult,
  EngineStore,
  EvaluationKey,
  EvaluationPlace,
  NewTrace,
  PreviousEvaluation,
  StoredConversation,
  StoredTrace,
  Total,
  TraceContent,
} from '../engine-store.ts';
import type { DetectionRound, DetectionStore, WaitingObservation } from '../detection-store.ts';
import type { JudgeOutcome } from '../../model/judging.ts';
import type { EndedCall, PlannedCall, Reservation, Spent, WaitingQuestion } from '../../model/questions.ts';
import type { OverdueQuestions, QuestionDesk, QuestionStore, WaitingCount } from '../question-store.ts';
import type { LabelStore } from '../label-store.ts';
import type { HumanLabel } from '../../model/labels.ts';
import type { ResultStore, TakenResults } from '../result-store.ts';
import type { HeldEvaluation, TruthStore, WaitingEvaluation } from '../revisit.ts';
import { ConversationKeyRows } from './conversation-keys.ts';
import { ContentFiles } from './content-files.ts';
import { ContentInMemory } from './content-in-memory.ts';
import { contentDirectory } from './content-reader.ts';
import { Conversations } from './conversations.ts';
import { DetectionRows } from './detection-rows.ts';
import { QuestionRows } from './question-rows.ts';
import { ResultRows } from './result-rows.ts';
import { Evaluations } from './evaluations.ts';
import { LabelRows } from './label-rows.ts';
import { PostponedTurns } from './postponed-turns.ts';
import { Revisits } from './revisits.ts';
import { migrate } from './schema.ts';
import { StoreReader } from './store-reader.ts';
import { Totals } from './totals.ts';
import { Traces } from './traces.ts';
import { TruthRows } from './truth-rows.ts';
import { WaitingEvaluations } from './waiting-evaluations.ts';

/** Looked at again in one transaction; the others in the next. */
const REVISITS_MAX = 200;
const IN_MEMORY = ':memory:';

export class Store implements EngineStore, DetectionStore, ResultStore, QuestionStore, TruthStore, LabelStore {
  readonly totals: Totals;
  readonly #database: DatabaseSync;
  readonly #file: string;
  readonly #conversations: Conversations;
  readonly #traces: Traces;
  readonly #evaluations: Evaluations;
  readonly #keys: ConversationKeyRows;
  readonly #postponed: PostponedTurns;
  readonly #detection: DetectionRows;
  readonly #results: ResultRows;
  readonly #questions: QuestionRows;
  readonly #truths: TruthRows;
  readonly #labels: LabelRows;
  readonly #revisits: Revisits;
  readonly #waiting: WaitingEvaluations;
  readonly #metaValue: StatementSync;
  readonly #raiseMeta: StatementSync;
  #inTransaction = false;
  #position = 0;
  #logTime = 0;
  #floorRaised = false;

  private constructor(database: DatabaseSync, file: string, openContent: ConstructorParameters<typeof Traces>[1]) {
    this.#database = database;
    this.#file = file;
    this.#conversations = new Conversations(database);
    this.#traces = new Traces(database, openContent);
    this.#evaluations = new Evaluations(database);
    this.#keys = new ConversationKeyRows(database);
    this.#postponed = new PostponedTurns(database);
    this.#detection = new DetectionRows(database);
    this.#results = new ResultRows(database);
    this.#questions = new QuestionRows(database);
    this.#truths = new TruthRows(database);
    this.#labels = new LabelRows(database);
    this.#revisits = new Revisits(database);
    this.#waiting = new WaitingEvaluations(database);
    this.totals = new Totals(database);
    this.#metaValue = database.prepare('SELECT value FROM meta WHERE key = ?');
    this.#raiseMeta = database.prepare(
      'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = max(value, excluded.value)',
    );
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
    return new Store(
      database,
      file,
      (last) => new ContentFiles(contentDirectory(file), { durable: options.durable, last }),
    );
  }

  /** Small, and gone when it is closed: opening files takes longer than scoring a conversation. */
  static inMemory(): Store {
    const database = new DatabaseSync(IN_MEMORY);
    database.exec('PRAGMA temp_store = MEMORY');
    migrate(database);
    return new Store(database, IN_MEMORY, () => new ContentInMemory());
  }

  /** On the writer's own connection, between transactions. It is closed with the store, and has no content of one in memory. */
  reader(): StoreReader {
    return StoreReader.on(this.#database, this.#file);
  }

  begin(): void {
    if (this.#inTransaction) return;
    this.#database.exec('BEGIN IMMEDIATE');
    this.#inTransaction = true;
  }

  /** Makes everything since `begin` durable, and says which totals it changed. */
  commit(): readonly Total[] {
    if (!this.#inTransaction) return [];
    this.#writeRows();
    this.totals.flush();
    this.#writeFloor();
    this.#traces.flush();
    this.#database.exec('COMMIT');
    this.#inTransaction = false;
    return this.totals.committed();
  }

  rollback(): void {
    if (!this.#inTransaction) return;
    this.#inTransaction = false;
    this.#evaluations.discard();
    this.totals.discard();
    this.#floorRaised = false;
    // After some failures (a full disk among them) SQLite has rolled back already.
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
    // These look for the last row that is left.
    this.#traces.discard();
    this.#conversations.discard();
    this.#postponed.discard();
    this.#truths.discard();
    this.#labels.discard();
    this.#revisits.discard();
    this.#waiting.discard();
  }

  close(): void {
    if (!this.#database.isOpen) return;
    this.rollback();
    this.#traces.close();
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

  findTrace(traceId: TraceId): StoredTrace | undefined {
    return this.#traces.find(traceId);
  }

  contentOf(trace: number): TraceContent {
    return this.#traces.contentOf(trace);
  }

  /** The traces of a conversation in the order in which they were stored first. */
  tracesOf(conversation: number): readonly StoredTrace[] {
    return this.#traces.ofConversation(conversation);
  }

  insertTrace(trace: NewTrace): number {
    return this.#traces.insert(trace);
  }

  reviseTrace(trace: NewTrace & { readonly row: number }): void {
    this.#traces.revise(trace);
  }

  /** The trace has been looked at up to `position`, and nothing new was there. */
  passTrace(row: number, position: number): void {
    this.#traces.pass(row, position);
  }

  /**
   * A turn joined the conversation, or one of its turns changed. Where there is no cause to score it now, it is due
   * `idleMs` later, or at its maximum age if that comes first.
   */
  joinConversation(join: ConversationJoin): StoredConversation {
    return this.#conversations.join(join);
  }

  /** The conversation is due at this time instead. */
  scheduleConversation(row: number, due: { readonly at: number; readonly cause: string }): void {
    this.#conversations.schedule(row, due);
  }

  conversationAt(row: number): StoredConversation {
    return this.#conversations.at(row);
  }

  /** The conversations of turns without an id that refer to one another, oldest first. */
  findConversationsBy(keys: ConversationKeys): readonly StoredConversation[] {
    return this.#keys.find(keys).map((row) => this.#conversations.at(row));
  }

  /** Whether any turn came without a conversation id, so that others may belong to it. */
  get hasConversationKeys(): boolean {
    return this.#keys.hasAny;
  }

  /** The turn that this trace is a part of is to be judged once all that closes at that time is stored. */
  postponeTurn(trace: number, closedAt: number): void {
    this.#postponed.add(trace, closedAt);
  }

  /** Those that closed at or before that time, once. */
  takePostponed(logTime: number): readonly StoredTrace[] {
    return this.#postponed.take(logTime).flatMap((row) => this.#traces.at(row) ?? []);
  }

  addConversationKeys(conversation: number, keys: ConversationKeys): void {
    this.#keys.add(conversation, keys);
  }

  /** A turn turned out to belong to another conversation, and what was said of it goes with it. */
  moveTrace(trace: number, turns: number, place: { readonly from: number; readonly to: number }): void {
    this.#evaluations.moveTrace(trace, place.from, place.to);
    this.#waiting.moveTrace(trace, place.from, place.to);
    this.#conversations.leave(place.from, turns);
    this.#conversations.leave(place.to, -turns);
  }

  /** What went by a name of our own turned out to be a part of another conversation: turns, evaluations and keys move. */
  absorbConversation(from: number, to: number): void {
    // An evaluation that waits would look for the row that goes.
    this.#evaluations.flush();
    for (const { row } of this.#traces.ofConversation(from)) {
      this.#traces.move(row, to);
      this.#evaluations.moveTrace(row, from, to);
      this.#waiting.moveTrace(row, from, to);
    }
    for (const waiter of this.#waiting.wholesOf(from)) {
      this.#waiting.drop(waiter);
      this.#questions.leave(waiter);
    }
    this.#keys.move(from, to);
    this.#conversations.absorb(from, to);
  }

  /** The conversation that is due first, at or before `logTime`. */
  nextDue(logTime: number): StoredConversation | undefined {
    return this.#conversations.nextDue(logTime);
  }

  conversationEvaluated(row: number, result: ConversationResult): void {
    this.#conversations.evaluated(row, result);
  }

  previousEvaluation(key: EvaluationKey): PreviousEvaluation | undefined {
    return this.#evaluations.previous(key);
  }

  /** Calls `onNew` before the commit, unless this evaluation is in the store already: then it has been counted. */
  insertEvaluation(evaluation: Evaluation, place: EvaluationPlace, onNew: (evaluation: Evaluation) => void): void {
    this.#evaluations.insert(evaluation, place, (written, isNew) => {
      if (!isNew) return;
      if (written.shadow) {
        onNew(written);
        return;
      }
      if (written.outcome !== 'unscored')
        this.#conversations.worsen(place.conversation, OUTCOMES.indexOf(written.outcome));
      this.#labels.note(written, Date.now());
      onNew(written);
    });
  }

  verdictsOf(key: EvaluationKey): ReadonlyMap<string, Verdict> | undefined {
    return this.#evaluations.verdictsOf(key);
  }

  truthOf(conversation: ConversationId): Json | undefined {
    return this.#truths.find(conversation);
  }

  putTruth(conversationId: string, truth: Json | undefined): boolean {
    return this.#between('the truth of a conversation', () => {
      const isNew = this.#truths.put(conversationId, truth);
      if (isNew) this.#revisits.addNamed(conversationId);
      return isNew;
    });
  }

  putLabels(labels: readonly HumanLabel[]): number {
    return this.#between('labels', () => this.#labels.put(labels, Date.now()));
  }

  takeRevisits(): readonly number[] {
    const answered = this.#questions
      .endedWaiters(REVISITS_MAX)
      .flatMap((waiter) => this.#waiting.conversationOf(waiter) ?? []);
    const asked = this.#revisits.take();
    return answered.length === 0 ? asked : [...new Set([...asked, ...answered])].sort((a, b) => a - b);
  }

  putWaiting(waiting: WaitingEvaluation): void {
    const waiter = this.#waiting.put(waiting);
    this.#questions.waitFor(waiter, waiting.requests, Date.now());
  }

  waitingEvaluation(key: EvaluationKey): HeldEvaluation | undefined {
    return this.#waiting.find(key);
  }

  dropWaiting(key: EvaluationKey): void {
    const held = this.#waiting.find(key);
    if (held === undefined) return;
    this.#waiting.drop(held.waiter);
    this.#questions.leave(held.waiter);
  }

  dropAnswered(conversation: number): void {
    for (const waiter of this.#questions.endedWaiters(REVISITS_MAX)) {
      if (this.#waiting.conversationOf(waiter) !== conversation) continue;
      this.#waiting.drop(waiter);
      this.#questions.leave(waiter);
    }
  }

  outcomeOf(requestKey: string, waiting: EvaluationKey): JudgeOutcome | undefined {
    const outcome = this.#questions.outcomeOf(requestKey, this.#waiting.find(waiting)?.waiter);
    return outcome === 'waiting' ? undefined : outcome;
  }

  queueObservation(observation: WaitingObservation): void {
    this.#detection.add(observation);
  }

  /** A transaction of its own, between others. */
  detect(limit: number, work: (round: DetectionRound) => Uint8Array | undefined): void {
    this.#between('a round of detection', () => this.#detection.finish(work(this.#detection.take(limit))));
  }

  queueResult(payload: string): void {
    this.#results.add(payload);
  }

  takeResults(options: { readonly limit: number; readonly keep: number }): TakenResults {
    return this.#between('the taking of results', () => this.#results.take(options));
  }

  forgetResults(ids: readonly number[]): void {
    this.#between('the end of results', () => this.#results.forget(ids));
  }

  /** For what is evaluated; the engine's ways to it are above. */
  get questions(): QuestionDesk {
    return this.#questions;
  }

  waitingQuestions(judge: string, limit: number): readonly WaitingQuestion[] {
    return this.#questions.waiting(judge, limit);
  }

  overdueQuestions(overdue: OverdueQuestions): readonly string[] {
    return this.#questions.overdue(overdue);
  }

  countWaiting(): ReadonlyMap<string, WaitingCount> {
    return this.#questions.countWaiting();
  }

  reserve(call: PlannedCall): Reservation {
    return this.#between('a reservation', () => this.#questions.reserve(call));
  }

  settle(call: EndedCall): void {
    this.#between('the end of a call', () => this.#questions.settle(call));
  }

  endQuestions(ends: readonly { readonly key: string; readonly outcome: JudgeOutcome }[], at: number): void {
    this.#between('the end of questions', () => {
      for (const { key, outcome } of ends) this.#questions.end(key, outcome, at);
    });
  }

  spent(at: number): Spent {
    return this.#questions.spent(at);
  }

  forgetQuestions(before: { readonly answeredAt: number; readonly spentAt: number }): number {
    return this.#between('the forgetting of questions', () => this.#questions.forget(before));
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

  /** Rows that meet the condition are about to go; what they hold in files is free. */
  freeContentOf(condition: string): void {
    this.#traces.freeContentOf(condition);
  }

  /** Removes the files that no row refers to. Only between transactions: a rollback must find them. */
  removeEmptyFiles(): number {
    return this.#traces.removeEmptyFiles();
  }

  /** Copies forward what is left in the emptiest file, where that is less than `share` of it. */
  compactOne(share: number): boolean {
    return this.#traces.compactOne(share);
  }

  /** Runs a piece of housekeeping on the writer's connection. */
  run(sql: string, ...values: SQLInputValue[]): number {
    this.#writeRows();
    return Number(this.#database.prepare(sql).run(...values).changes);
  }

  count(table: 'traces' | 'conversations' | 'evaluations'): number {
    this.#writeRows();
    return this.#number(`SELECT count(*) AS rows FROM ${table}`, 'rows');
  }

  get usedBytes(): number {
    const pages =
      this.#number('PRAGMA page_count', 'page_count') - this.#number('PRAGMA freelist_count', 'freelist_count');
    return pages * this.#number('PRAGMA page_size', 'page_size');
  }

  /** What waits in memory. In this order: an evaluation changes the row of its conversation. */
  #writeRows(): void {
    this.#traces.writeWaiting();
    this.#evaluations.flush();
    this.#conversations.flush();
  }

  #writeFloor(): void {
    if (!this.#floorRaised) return;
    this.#raiseMeta.run('position', this.#position);
    this.#raiseMeta.run('log_time', this.#logTime);
    this.#floorRaised = false;
  }

  #meta(key: string): number {
    return Number(this.#metaValue.get(key)?.value ?? 0);
  }

  #number(sql: string, column: string): number {
    return Number(this.#database.prepare(sql).get()?.[column] ?? 0);
  }
}
