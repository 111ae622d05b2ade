/** Evaluations that wait for verdicts. Each is a waiter of the questions it waits for (`question-rows.ts`). */
import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { ConversationId } from '../../model/ids.ts';
import type { JudgeOutcome, JudgeRequest } from '../../model/judging.ts';
import type {
  EvaluationKey,
  HeldEvaluation,
  Labels,
  WaitingEvaluation,
  WaitingEvaluationStore,
} from '../engine-store.ts';
import { SAID_COLUMNS } from '../evaluation-columns.ts';
import type { WaitingQuestions } from '../question-store.ts';
import { insertSql, valuesOf } from './column-values.ts';
import { toEvaluation } from './evaluation-row.ts';

/** Evaluated again in one transaction; the others in the next. */
const ANSWERED_MAX = 200;
const OWN_COLUMNS = ['conversation', 'trace', 'scope', 'labels', 'counted', 'waits_for', 'created_at'];

export class WaitingEvaluations implements WaitingEvaluationStore {
  readonly #questions: WaitingQuestions;
  readonly #put: StatementSync;
  readonly #find: StatementSync;
  readonly #drop: StatementSync;
  readonly #wholes: StatementSync;
  readonly #placeOf: StatementSync;
  readonly #move: StatementSync;
  readonly #any: StatementSync;
  readonly #noteAsked: StatementSync;
  readonly #moveAsked: StatementSync;
  #hasAny: boolean | undefined;

  constructor(database: DatabaseSync, questions: WaitingQuestions) {
    this.#questions = questions;
    this.#put = database.prepare(
      `INSERT ${insertSql('waiting_evaluations', OWN_COLUMNS, SAID_COLUMNS)}
       ON CONFLICT (conversation, suite, turn_id) DO UPDATE SET trace = excluded.trace, scope = excluded.scope, labels = excluded.labels,
         counted = excluded.counted, waits_for = excluded.waits_for, ${SAID_COLUMNS.map(({ name }) => `${name} = excluded.${name}`).join(', ')}
       RETURNING id`,
    );
    this.#find = database.prepare(
      'SELECT * FROM waiting_evaluations WHERE conversation = ? AND suite = ? AND turn_id = ?',
    );
    this.#drop = database.prepare('DELETE FROM waiting_evaluations WHERE id = ?');
    this.#wholes = database.prepare(`SELECT id FROM waiting_evaluations WHERE conversation = ? AND turn_id = ''`);
    this.#placeOf = database.prepare('SELECT conversation FROM waiting_evaluations WHERE id = ?');
    this.#move = database.prepare(
      'UPDATE OR REPLACE waiting_evaluations SET conversation = ? WHERE conversation = ? AND trace = ?',
    );
    this.#moveAsked = database.prepare('UPDATE OR REPLACE asked_for SET conversation = ? WHERE conversation = ?');
    this.#noteAsked = database.prepare(
      'INSERT OR IGNORE INTO asked_for (conversation, question) SELECT ?, question FROM judge_waits WHERE waiter = ?',
    );
    this.#any = database.prepare('SELECT EXISTS (SELECT 1 FROM waiting_evaluations) AS any');
  }

  /** Its number as a waiter stays the same for as long as an evaluation of this suite and turn waits. */
  put({ evaluation, place, counted, requests }: WaitingEvaluation): readonly JudgeRequest[] {
    this.#hasAny = true;
    const row = this.#put.get(
      place.conversation,
      place.trace,
      evaluation.scope,
      JSON.stringify(place.labels),
      JSON.stringify(counted),
      JSON.stringify(evaluation.waitsFor ?? []),
      Date.now(),
      ...valuesOf(SAID_COLUMNS, evaluation),
    );
    const joined = this.#questions.waitFor(Number(row?.id), requests, Date.now());
    this.#noteAsked.run(place.conversation, Number(row?.id));
    return joined;
  }

  find(key: EvaluationKey): HeldEvaluation | undefined {
    const row = this.#row(key);
    if (row === undefined) return undefined;
    return {
      // Callers know the conversation by its row, so its id is not looked up.
      evaluation: toEvaluation(row, '' as ConversationId),
      // The casts hold because `put` wrote the texts.
      place: {
        conversation: key.conversation,
        trace: Number(row.trace),
        labels: JSON.parse(String(row.labels)) as Labels,
      },
      counted: JSON.parse(String(row.counted)) as readonly string[],
    };
  }

  drop(key: EvaluationKey): void {
    const waiter = this.#waiterOf(key);
    if (waiter !== undefined) this.#leave(waiter);
  }

  dropAnswered(conversation: number): void {
    for (const waiter of this.#questions.endedWaiters(ANSWERED_MAX))
      if (this.#conversationOf(waiter) === conversation) this.#leave(waiter);
  }

  outcomeOf(requestKey: string, evaluation: EvaluationKey): JudgeOutcome | undefined {
    const outcome = this.#questions.outcomeOf(requestKey, this.#waiterOf(evaluation));
    return outcome === 'waiting' ? undefined : outcome;
  }

  /** Conversations with an evaluation whose requests have all ended; some of them twice. */
  answered(): readonly number[] {
    return this.#questions.endedWaiters(ANSWERED_MAX).flatMap((waiter) => this.#conversationOf(waiter) ?? []);
  }

  /** Evaluations that wait for the conversation as a whole. */
  dropWhole(conversation: number): void {
    if (this.#isEmpty()) return;
    for (const { id } of this.#wholes.all(conversation)) this.#leave(Number(id));
  }

  moveTrace(trace: number, from: number, to: number): void {
    if (!this.#isEmpty()) this.#move.run(to, from, trace);
  }

  /** Questions that were asked for a conversation quote it, also once it is part of another. */
  moveAsked(from: number, to: number): void {
    this.#moveAsked.run(to, from);
  }

  /** After a rollback. */
  discard(): void {
    this.#hasAny = undefined;
  }

  #leave(waiter: number): void {
    this.#drop.run(waiter);
    this.#questions.leave(waiter);
  }

  #conversationOf(waiter: number): number | undefined {
    const row = this.#placeOf.get(waiter);
    return row === undefined ? undefined : Number(row.conversation);
  }

  #waiterOf(key: EvaluationKey): number | undefined {
    const row = this.#row(key);
    return row === undefined ? undefined : Number(row.id);
  }

  #row(key: EvaluationKey): Record<string, SQLOutputValue> | undefined {
    return this.#isEmpty() ? undefined : this.#find.get(key.conversation, key.suite, key.turnId ?? '');
  }

  #isEmpty(): boolean {
    this.#hasAny ??= this.#any.get()?.any === 1;
    return !this.#hasAny;
  }
}
