/**
 * The running totals behind every quality metric. They live in the store and change in the same transaction as the
 * evaluations they count, so that a counter continues over a restart and always equals what the store says.
 *
 * A series is a metric's name and its labels. All amounts are integers (millionths, milliseconds, tokens), so sums do
 * not depend on their order. Values are kept in memory as well, as of the transaction that is open.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';

export type Labels = { readonly [label: string]: string };

export interface Exemplar {
  readonly traceId: string;
  readonly conversationId: string;
  readonly value: number;
  readonly at: number;
}

export interface Total {
  readonly metric: string;
  readonly labels: Labels;
  readonly value: number;
  /** The last conversation that moved it; not kept over a restart. */
  readonly exemplar: Exemplar | undefined;
}

interface Entry {
  readonly metric: string;
  readonly labels: Labels;
  readonly encoded: string;
  committed: number;
  value: number;
  exemplar: Exemplar | undefined;
}

export class Totals {
  readonly #write: StatementSync;
  readonly #entries = new Map<string, Entry>();
  #changed = new Set<Entry>();

  constructor(database: DatabaseSync) {
    this.#write = database.prepare(
      'INSERT INTO totals (metric, labels, value) VALUES (?, ?, ?) ON CONFLICT (metric, labels) DO UPDATE SET value = excluded.value',
    );
    for (const row of database.prepare('SELECT metric, labels, value FROM totals').iterate()) {
      const encoded = String(row.labels);
      const value = Number(row.value);
      // The cast holds because `#entryFor` wrote the text.
      const labels = JSON.parse(encoded) as Labels;
      const entry = { metric: String(row.metric), labels, encoded, committed: value, value, exemplar: undefined };
      this.#entries.set(`${entry.metric} ${encoded}`, entry);
    }
  }

  /** Adds to a series; an amount of 0 makes it exist. */
  add(metric: string, labels: Labels, amount: number, exemplar?: Exemplar): void {
    const entry = this.#entryFor(metric, labels);
    entry.value += amount;
    if (exemplar !== undefined) entry.exemplar = exemplar;
    this.#changed.add(entry);
  }

  /** Whether the series exists already. */
  has(metric: string, labels: Labels): boolean {
    return this.#entries.has(`${metric} ${encodeLabels(labels)}`);
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
    for (const entry of changed) entry.committed = entry.value;
    return changed.map(toTotal);
  }

  /** After a rollback. */
  discard(): void {
    for (const entry of this.#changed) entry.value = entry.committed;
    this.#changed = new Set();
  }

  #entryFor(metric: string, labels: Labels): Entry {
    const encoded = encodeLabels(labels);
    const key = `${metric} ${encoded}`;
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const entry: Entry = { metric, labels, encoded, committed: 0, value: 0, exemplar: undefined };
    this.#entries.set(key, entry);
    return entry;
  }
}

/** Callers name a metric's labels always in the same order. */
function encodeLabels(labels: Labels): string {
  return JSON.stringify(labels);
}

function toTotal(entry: Entry): Total {
  return { metric: entry.metric, labels: entry.labels, value: entry.value, exemplar: entry.exemplar };
}
