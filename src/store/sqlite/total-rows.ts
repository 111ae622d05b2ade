/**
 * The rows of running totals and first times. `running-totals.ts` has their values as of the transaction that is open.
 * Values are in a table of their own, by the numbers of their series.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { TotalEntry, TotalsInMemory } from '../running-totals.ts';

export class TotalRows {
  readonly #totals: TotalsInMemory;
  readonly #addSeries: StatementSync;
  readonly #write: StatementSync;
  /** Numbers of the series that were written; whether they were committed, the entries know. */
  readonly #ids = new Map<TotalEntry, number>();
  readonly #writeTime: StatementSync;
  readonly #dropValue: StatementSync;
  readonly #dropSeries: StatementSync;

  /** Loads what is stored into `totals`. */
  constructor(database: DatabaseSync, totals: TotalsInMemory) {
    this.#totals = totals;
    // The update changes nothing: without one, the number of a series that is there would not be returned.
    this.#addSeries = database.prepare(
      `INSERT INTO total_series (metric, labels) VALUES (?, ?)
       ON CONFLICT (metric, labels) DO UPDATE SET labels = excluded.labels RETURNING id`,
    );
    this.#write = database.prepare(
      'INSERT INTO total_values (series, value) VALUES (?, ?) ON CONFLICT (series) DO UPDATE SET value = excluded.value',
    );
    this.#dropValue = database.prepare(
      'DELETE FROM total_values WHERE series = (SELECT id FROM total_series WHERE metric = ? AND labels = ?)',
    );
    this.#dropSeries = database.prepare('DELETE FROM total_series WHERE metric = ? AND labels = ?');
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
    for (const entry of this.#totals.dropped) {
      this.#dropValue.run(entry.metric, entry.encoded);
      this.#dropSeries.run(entry.metric, entry.encoded);
      this.#ids.delete(entry);
    }
    for (const entry of this.#totals.changed) this.#write.run(this.#idOf(entry), entry.value);
    for (const entry of this.#totals.times.changed) this.#writeTime.run(entry.metric, entry.encoded, entry.time);
  }

  #idOf(entry: TotalEntry): number {
    const known = this.#ids.get(entry);
    // A rollback makes new again what its transaction added.
    if (known !== undefined && !entry.isNew) return known;
    const id = Number(this.#addSeries.get(entry.metric, entry.encoded)?.id);
    this.#ids.set(entry, id);
    return id;
  }
}
