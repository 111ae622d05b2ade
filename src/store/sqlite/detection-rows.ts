/** The rows of regression detection: what waits to be observed, and the state of whoever observes. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { DetectionRound, DetectionStore, WaitingObservation } from '../detection-store.ts';
import type { OwnTransaction } from './own-transaction.ts';

export class DetectionRows implements DetectionStore {
  readonly #own: OwnTransaction;
  readonly #add: StatementSync;
  readonly #take: StatementSync;
  readonly #forget: StatementSync;
  readonly #read: StatementSync;
  readonly #write: StatementSync;
  /** The rows that the last round was given. */
  #taken: readonly number[] = [];

  constructor(database: DatabaseSync, own: OwnTransaction) {
    this.#own = own;
    this.#add = database.prepare('INSERT INTO detection_queue (at, evaluation, payload) VALUES (?, ?, ?)');
    this.#take = database.prepare(
      'SELECT id, at, evaluation, payload FROM detection_queue ORDER BY at, evaluation, id LIMIT ?',
    );
    this.#forget = database.prepare('DELETE FROM detection_queue WHERE id = ?');
    this.#read = database.prepare('SELECT version, snapshot FROM detection');
    this.#write = database.prepare(
      `INSERT INTO detection (one, version, snapshot) VALUES (1, 1, ?)
       ON CONFLICT (one) DO UPDATE SET version = version + 1, snapshot = excluded.snapshot`,
    );
  }

  add({ at, evaluation, payload }: WaitingObservation): void {
    this.#add.run(at, evaluation, payload);
  }

  round(limit: number, work: (round: DetectionRound) => Uint8Array | undefined): void {
    this.#own('a round of detection', () => this.#finish(work(this.#begin(limit))));
  }

  #begin(limit: number): DetectionRound {
    const rows = this.#take.all(limit);
    this.#taken = rows.map(({ id }) => Number(id));
    const state = this.#read.get();
    return {
      state: {
        version: Number(state?.version ?? 0),
        snapshot: state?.snapshot instanceof Uint8Array ? state.snapshot : undefined,
      },
      observations: rows.map(({ at, evaluation, payload }) => ({
        at: Number(at),
        evaluation: String(evaluation),
        payload: String(payload),
      })),
    };
  }

  /** Taken observations count as observed. */
  #finish(snapshot: Uint8Array | undefined): void {
    for (const id of this.#taken) this.#forget.run(id);
    this.#taken = [];
    if (snapshot !== undefined) this.#write.run(snapshot);
  }
}
