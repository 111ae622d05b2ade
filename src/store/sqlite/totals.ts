/** The rows of running totals; `running-totals.ts` has their values as of the transaction that is open. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Exemplar, Labels, RunningTotals, Total } from '../engine-store.ts';
import { TotalsInMemory } from '../running-totals.ts';

export class Totals implements RunningTotals {
  readonly #write: StatementSync;
  readonly #writeTime: StatementSync;
  readonly #values = new TotalsInMemory();

  constructor(database: DatabaseSync) {
    this.#write = database.prepare(
      'INSERT INTO totals (metric, labels, value) VALUES (?, ?, ?) ON CONFLICT (metric, labels) DO UPDATE SET value = excluded.value',
    );
    this.#writeTime = database.prepare(
      'INSERT INTO first_times (metric, labels, at) VALUES (?, ?, ?) ON CONFLICT (metric, labels) DO UPDATE SET at = min(at, excluded.at)',
    );
    for (const row of database.prepare('SELECT metric, labels, value FROM totals').iterate()) {
      this.#values.load(String(row.metric), String(row.labels), Number(row.value));
    }
    for (const row of database.prepare('SELECT metric, labels, at FROM first_times').iterate()) {
      this.#values.times.load(String(row.metric), String(row.labels), Number(row.at));
    }
  }

  series(metric: string, labels: Labels): { add(amount: number, exemplar?: Exemplar): void } {
    return this.#values.series(metric, labels);
  }

  earliest(metric: string, labels: Labels): { note(time: number): void } {
    return this.#values.earliest(metric, labels);
  }

  all(): Total[] {
    return this.#values.all();
  }

  /** Writes what changed; belongs inside the transaction of the evaluations. */
  flush(): void {
    for (const entry of this.#values.changed) this.#write.run(entry.metric, entry.encoded, entry.value);
    for (const entry of this.#values.times.changed) this.#writeTime.run(entry.metric, entry.encoded, entry.time);
  }

  /** After the commit: what changed in it. */
  committed(): Total[] {
    return this.#values.committed();
  }

  /** After a rollback. */
  discard(): void {
    this.#values.discard();
  }
}
