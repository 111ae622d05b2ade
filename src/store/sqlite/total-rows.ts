/** The rows of running totals and first times. `running-totals.ts` has their values as of the transaction that is open. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { TotalsInMemory } from '../running-totals.ts';

export class TotalRows {
  readonly #totals: TotalsInMemory;
  readonly #write: StatementSync;
  readonly #writeTime: StatementSync;

  /** Loads what is stored into `totals`. */
  constructor(database: DatabaseSync, totals: TotalsInMemory) {
    this.#totals = totals;
    this.#write = database.prepare(
      'INSERT INTO totals (metric, labels, value) VALUES (?, ?, ?) ON CONFLICT (metric, labels) DO UPDATE SET value = excluded.value',
    );
    this.#writeTime = database.prepare(
      'INSERT INTO first_times (metric, labels, at) VALUES (?, ?, ?) ON CONFLICT (metric, labels) DO UPDATE SET at = min(at, excluded.at)',
    );
    for (const row of database.prepare('SELECT metric, labels, value FROM totals').iterate()) {
      totals.load(String(row.metric), String(row.labels), Number(row.value));
    }
    for (const row of database.prepare('SELECT metric, labels, at FROM first_times').iterate()) {
      totals.times.load(String(row.metric), String(row.labels), Number(row.at));
    }
  }

  /** Writes what changed; belongs inside the transaction of the evaluations. */
  flush(): void {
    for (const entry of this.#totals.changed) this.#write.run(entry.metric, entry.encoded, entry.value);
    for (const entry of this.#totals.times.changed) this.#writeTime.run(entry.metric, entry.encoded, entry.time);
  }
}
