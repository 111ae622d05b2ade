/** Evaluations that wait for verdicts. Each is a waiter of the questions it waits for (`question-rows.ts`). */
import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { ConversationId } from '../../model/ids.ts';
import type { EvaluationKey, Labels } from '../engine-store.ts';
import type { HeldEvaluation, WaitingEvaluation } from '../revisit.ts';
import { EVALUATION_COLUMNS, evaluationValues, toEvaluation } from './evaluation-row.ts';

export class WaitingEvaluations {
  readonly #put: StatementSync;
  readonly #find: StatementSync;
  readonly #drop: StatementSync;
  readonly #wholes: StatementSync;
  readonly #conversationOf: StatementSync;
  readonly #move: StatementSync;
  readonly #any: StatementSync;
  #hasAny: boolean | undefined;

  constructor(database: DatabaseSync) {
    this.#put = database.prepare(
      `INSERT INTO waiting_evaluations (${EVALUATION_COLUMNS}, labels, counted, waits_for, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (conversation, suite, turn_id) DO UPDATE SET trace = excluded.trace, suite_version = excluded.suite_version,
         scope = excluded.scope, revision = excluded.revision, score = excluded.score, outcome = excluded.outcome,
         explanation = excluded.explanation, verdicts = excluded.verdicts, labels = excluded.labels, counted = excluded.counted,
         waits_for = excluded.waits_for
       RETURNING id`,
    );
    this.#find = database.prepare(
      'SELECT * FROM waiting_evaluations WHERE conversation = ? AND suite = ? AND turn_id = ?',
    );
    this.#drop = database.prepare('DELETE FROM waiting_evaluations WHERE id = ?');
    this.#wholes = database.prepare(`SELECT id FROM waiting_evaluations WHERE conversation = ? AND turn_id = ''`);
    this.#conversationOf = database.prepare('SELECT conversation FROM waiting_evaluations WHERE id = ?');
    this.#move = database.prepare(
      'UPDATE OR REPLACE waiting_evaluations SET conversation = ? WHERE conversation = ? AND trace = ?',
    );
    this.#any = database.prepare('SELECT EXISTS (SELECT 1 FROM waiting_evaluations) AS any');
  }

  /** Gives the waiter: the same for the same suite and turn, for as long as it waits. */
  put({ evaluation, place, counted }: WaitingEvaluation): number {
    this.#hasAny = true;
    const row = this.#put.get(
      ...evaluationValues(evaluation, place),
      JSON.stringify(place.labels),
      JSON.stringify(counted),
      JSON.stringify(evaluation.waitsFor ?? []),
      Date.now(),
    );
    return Number(row?.id);
  }

  find(key: EvaluationKey): (HeldEvaluation & { readonly waiter: number }) | undefined {
    const row = this.#row(key);
    if (row === undefined) return undefined;
    return {
      waiter: Number(row.id),
      // Whoever asks knows the conversation by its row; its id is not looked up for it.
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

  drop(waiter: number): void {
    this.#drop.run(waiter);
  }

  /** Those that wait for the conversation as a whole. */
  wholesOf(conversation: number): readonly number[] {
    return this.#isEmpty() ? [] : this.#wholes.all(conversation).map(({ id }) => Number(id));
  }

  conversationOf(waiter: number): number | undefined {
    const row = this.#conversationOf.get(waiter);
    return row === undefined ? undefined : Number(row.conversation);
  }

  moveTrace(trace: number, from: number, to: number): void {
    if (!this.#isEmpty()) this.#move.run(to, from, trace);
  }

  /** After a rollback. */
  discard(): void {
    this.#hasAny = undefined;
  }

  #row(key: EvaluationKey): Record<string, SQLOutputValue> | undefined {
    return this.#isEmpty() ? undefined : this.#find.get(key.conversation, key.suite, key.turnId ?? '');
  }

  #isEmpty(): boolean {
    this.#hasAny ??= this.#any.get()?.any === 1;
    return !this.#hasAny;
  }
}
