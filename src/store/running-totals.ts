/**
 * The values of running totals as of the transaction that is open, and as of the last commit. The store that they belong to writes those that
 * changed and says when it has committed.
 *
 * A series is a metric's name and its labels. All amounts are integers (millionths, milliseconds, tokens), so sums do
 * not depend on their order.
 */
import type { SeriesExemplar } from '../model/metric.ts';
import type { Labels, RunningTotals, Total } from './engine-store.ts';
import { FirstTimes } from './first-times.ts';

export class TotalEntry {
  readonly metric: string;
  readonly labels: Labels;
  readonly encoded: string;
  committed: number;
  value: number;
  exemplar: SeriesExemplar | undefined;
  isNew: boolean;
  readonly #changed: (entry: TotalEntry) => void;

  constructor(
    series: { readonly metric: string; readonly labels: Labels; readonly encoded: string },
    value: number,
    isNew: boolean,
    changed: (entry: TotalEntry) => void,
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

  add(amount: number, exemplar?: SeriesExemplar): void {
    this.value += amount;
    if (exemplar !== undefined) this.exemplar = exemplar;
    this.#changed(this);
  }
}

/** Headers and numbers of a series in its two tables and the index. */
const ROW_BYTES = 60;

export class TotalsInMemory implements RunningTotals {
  readonly times = new FirstTimes();
  readonly #entries = new Map<string, TotalEntry>();
  #changed = new Set<TotalEntry>();
  /** Dropped in the transaction that is open, by key. */
  #dropped = new Map<string, TotalEntry>();
  readonly #onChange = (entry: TotalEntry) => {
    this.#changed.add(entry);
  };

  /** As the store has it. */
  load(metric: string, encoded: string, value: number): void {
    // The cast holds because `series` wrote the text.
    const labels = JSON.parse(encoded) as Labels;
    this.#entries.set(
      `${metric} ${encoded}`,
      new TotalEntry({ metric, labels, encoded }, value, false, this.#onChange),
    );
  }

  /** The next load replaces everything. */
  clear(): void {
    this.#entries.clear();
    this.#changed = new Set();
    this.#dropped = new Map();
    this.times.clear();
  }

  series(metric: string, labels: Labels): { add(amount: number, exemplar?: SeriesExemplar): void } {
    const encoded = JSON.stringify(labels);
    const key = `${metric} ${encoded}`;
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = new TotalEntry({ metric, labels, encoded }, 0, true, this.#onChange);
      this.#entries.set(key, entry);
    }
    if (entry.isNew) this.#changed.add(entry);
    return entry;
  }

  earliest(metric: string, labels: Labels): { note(time: number): void } {
    return this.times.earliest(metric, labels);
  }

  drop(isGone: (labels: Labels) => boolean): void {
    for (const [key, entry] of this.#entries) {
      if (!isGone(entry.labels)) continue;
      this.#entries.delete(key);
      this.#changed.delete(entry);
      if (!entry.isNew) this.#dropped.set(key, entry);
    }
  }

  all(): Total[] {
    return [...[...this.#entries.values()].map(toTotal), ...this.times.all()];
  }

  get changed(): Iterable<TotalEntry> {
    return this.#changed;
  }

  /** To be deleted before what changed is written: one of them may have begun again. */
  get dropped(): Iterable<TotalEntry> {
    return this.#dropped.values();
  }

  /** Room in a database, about: each series is a row, and its name stands in an index as well. */
  get bytes(): number {
    let sum = 0;
    for (const { metric, encoded } of this.#entries.values())
      sum += ROW_BYTES + 2 * (Buffer.byteLength(metric) + Buffer.byteLength(encoded));
    return sum;
  }

  /** After the commit: what changed in it. */
  committed(): Total[] {
    const [changed, dropped] = [[...this.#changed], [...this.#dropped.values()]];
    this.#changed = new Set();
    this.#dropped = new Map();
    for (const entry of changed) {
      entry.committed = entry.value;
      entry.isNew = false;
    }
    const gone = dropped.map((entry): Total => ({ ...toTotal(entry), isGone: true }));
    return [...gone, ...changed.map(toTotal), ...this.times.committed()];
  }

  dropExemplars(): void {
    for (const entry of this.#entries.values()) entry.exemplar = undefined;
  }

  /** After a rollback. */
  discard(): void {
    for (const entry of this.#changed) entry.value = entry.committed;
    for (const [key, entry] of this.#dropped) {
      entry.value = entry.committed;
      this.#entries.set(key, entry);
    }
    this.#changed = new Set();
    this.#dropped = new Map();
    this.times.discard();
  }
}

function toTotal(entry: TotalEntry): Total {
  return { metric: entry.metric, labels: entry.labels, value: entry.value, exemplar: entry.exemplar };
}
