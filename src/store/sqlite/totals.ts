/**
 * The running totals behind every quality metric. They live in the store and change in the same transaction as the
 * evaluations they count, so that a counter continues over a restart and always equals what the store says.
 *
 * A series is a metric's name and its labels. All amounts are integers (millionths, milliseconds, tokens), so sums do
 * not depend on their order. Values are kept in memory as well, as of the transaction that is open.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Exemplar, Labels, RunningTotals, Total } from '../engine-store.ts';

class Entry {
  readonly metric: string;
  readonly labels: Labels;
  readonly encoded: string;
  committed: number;
  value: number;
  exemplar: Exemplar | undefined;
  isNew: boolean;
  readonly #changed: (entry: Entry) => void;

  constructor(
    series: { readonly metric: string; readonly labels: Labels; readonly encoded: string },
    value: number,
    isNew: boolean,
    changed: (entry: Entry) => void,
  ) {
    this.metric = series.metric;
    this.labels = series.labels;
    this.encoded = series.encoded;
    this.committed = value;
    this.value = value;
    this.exemplar = undefined;
    this.isNew = isNew;
    this.#changed = changed;
  }

  add(amount: number, exemplar?: Exemplar): void {
    this.value += amount;
    if (exemplar !== undefined) this.exemplar = exemplar;
    this.#changed(this);
  }
}

export class Totals implements RunningTotals {
  readonly #write: StatementSync;
  readonly #entries = new Map<string, Entry>();
  #changed = new Set<Entry>();
  readonly #onChange = (entry: Entry) => {
    this.#changed.add(entry);
  };

  constructor(database: DatabaseSync) {
    this.#write = database.prepare(
      'INSERT INTO totals (metric, labels, value) VALUES (?, ?, ?) ON CONFLICT (metric, labels) DO UPDATE SET value = excluded.value',
    );
    for (const row of database.prepare('SELECT metric, labels, value FROM totals').iterate()) {
      const encoded = String(row.labels);
      const metric = String(row.metric);
      // The cast holds because `series` wrote the text.
      const labels = JSON.parse(encoded) as Labels;
      this.#entries.set(
        `${metric} ${encoded}`,
        new Entry({ metric, labels, encoded }, Number(row.value), false, this.#onChange),
      );
    }
  }

  /** Finds the series or makes it, at zero. Callers name a metric's labels always in the same order. */
  series(metric: string, labels: Labels): { add(amount: number, exemplar?: Exemplar): void } {
    const encoded = JSON.stringify(labels);
    const key = `${metric} ${encoded}`;
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = new Entry({ metric, labels, encoded }, 0, true, this.#onChange);
      this.#entries.set(key, entry);
    }
    if (entry.isNew) this.#changed.add(entry);
    return entry;
  }

  all(): Total[] {
    return [...this.#entries.values()].map(toTotal);
  }

  /** Writes what changed; belongs inside the transaction of the evaluations. */
  flush(): void {
    for (const entry of this.#changed) this.#write.run(entry.metric, entry.encoded, entry.value);
  }

  /** After the commit: what changed in it. */
  committed(): Total[] {
    const changed = [...this.#changed];
    this.#changed = new Set();
    for (const entry of changed) {
      entry.committed = entry.value;
      entry.isNew = false;
    }
    return changed.map(toTotal);
  }

  /** After a rollback. */
  discard(): void {
    for (const entry of this.#changed) entry.value = entry.committed;
    this.#changed = new Set();
  }
}

function toTotal(entry: Entry): Total {
  return { metric: entry.metric, labels: entry.labels, value: entry.value, exemplar: entry.exemplar };
}
