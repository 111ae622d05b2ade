/**
 * The rows of evaluations: each one once, whatever is replayed, with the verdicts and the labels it was counted under.
 *
 * They are written together, at the commit or when somebody asks: between the other work of a turn a row costs three times
 * what it costs among others, because SQLite's code and pages have left the processor's caches each time.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { ENDINGS } from '../../model/ending.ts';
import type { Evaluation } from '../../model/evaluation.ts';
import { namesOf } from '../column.ts';
import type { EvaluationKey, EvaluationPlace, EvaluationStore, Labels, PreviousEvaluation } from '../engine-store.ts';
import {
  EVALUATION_COLUMNS,
  failedCriteria,
  keeping,
  outcomeAt,
  SEEN_COLUMNS,
  seenFrom,
} from '../evaluation-columns.ts';
import { decodeVerdicts } from '../verdict-codec.ts';
import type { HeldConversations } from '../held-conversations.ts';
import { insertSql, valuesOf } from './column-values.ts';
import type { LabelRows } from './label-rows.ts';

interface Pending {
  readonly evaluation: Evaluation;
  readonly place: EvaluationPlace;
  readonly onNew: (evaluation: Evaluation) => void;
}

const SEEN = Object.values(SEEN_COLUMNS);
/** A transaction may hold turns with any number of evaluations. */
const PENDING_MAX = 1024;

export class Evaluations implements EvaluationStore {
  readonly #conversations: HeldConversations;
  readonly #labels: LabelRows;
  readonly #previous: StatementSync;
  readonly #insert: StatementSync;
  readonly #insertFailedVerdict: StatementSync;
  readonly #moveTrace: StatementSync;
  #pending: Pending[] = [];
  readonly #keep = keeping();

  constructor(database: DatabaseSync, conversations: HeldConversations, labels: LabelRows) {
    this.#conversations = conversations;
    this.#labels = labels;
    const last = 'WHERE conversation = ? AND suite = ? AND turn_id = ? ORDER BY revision DESC, id DESC LIMIT 1';
    this.#previous = database.prepare(
      `SELECT suite_version, revision, score, outcome, labels, decided_share, ending, verdicts, ${namesOf(SEEN)} FROM evaluations ${last}`,
    );
    this.#insert = database.prepare(
      `INSERT OR IGNORE ${insertSql('evaluations', ['conversation', 'trace', 'scope'], EVALUATION_COLUMNS)}`,
    );
    this.#moveTrace = database.prepare('UPDATE evaluations SET conversation = ? WHERE conversation = ? AND trace = ?');
    this.#insertFailedVerdict = database.prepare('INSERT INTO failed_verdicts (criterion, evaluation) VALUES (?, ?)');
  }

  previous(key: EvaluationKey): PreviousEvaluation | undefined {
    this.flush();
    const row = this.#previous.get(key.conversation, key.suite, key.turnId ?? '');
    if (row === undefined) return undefined;
    return {
      suiteVersion: String(row.suite_version),
      revision: Number(row.revision),
      score: row.score === null ? undefined : Number(row.score),
      outcome: outcomeAt(Number(row.outcome)),
      // The cast holds because `insert` wrote the text.
      labels: JSON.parse(String(row.labels)) as Labels,
      decidedShare: row.decided_share === null ? undefined : Number(row.decided_share),
      ending: ENDINGS[Number(row.ending ?? -1)],
      seen: seenFrom(SEEN.map(({ name }) => row[name])),
      said: () => decodeVerdicts(String(row.verdicts)),
    };
  }

  /** Written by the next `flush`, which says then whether it is new. */
  insert(evaluation: Evaluation, place: EvaluationPlace, onNew: (evaluation: Evaluation) => void): void {
    this.#pending.push({ evaluation, place, onNew });
    if (this.#pending.length >= PENDING_MAX) this.flush();
  }

  /** Belongs inside the transaction. */
  flush(): void {
    const pending = this.#pending;
    this.#pending = [];
    for (const { evaluation, place, onNew } of pending) {
      if (!this.#write(evaluation, place)) continue;
      if (!evaluation.shadow) this.#noteNew(evaluation, place.conversation);
      onNew(evaluation);
    }
  }

  /** After a rollback. */
  discard(): void {
    this.#pending = [];
  }

  #noteNew(evaluation: Evaluation, conversation: number): void {
    this.#conversations.noteEvaluation(conversation, evaluation);
    this.#labels.note(evaluation, Date.now());
  }

  /** False where it was in the store already. */
  #write(evaluation: Evaluation, place: EvaluationPlace): boolean {
    const { changes, lastInsertRowid } = this.#insert.run(
      place.conversation,
      place.trace,
      evaluation.scope,
      ...valuesOf(EVALUATION_COLUMNS, this.#keep(evaluation, place)),
    );
    if (changes === 0) return false;
    for (const criterion of failedCriteria(evaluation)) this.#insertFailedVerdict.run(criterion, lastInsertRowid);
    return true;
  }

  /** The turns of a trace turned out to belong to another conversation; what was said of them goes with them. */
  moveTrace(trace: number, from: number, to: number): void {
    this.flush();
    this.#moveTrace.run(to, from, trace);
  }
}
