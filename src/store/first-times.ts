/**
 * Times of which the smallest stays: when something was seen first. Beside the running totals and in the same transactions, but not of their
 * kind: times of several instances are not added up.
 */
import type { Labels, Total } from './engine-store.ts';

export class FirstTime {
  readonly metric: string;
  readonly labels: Labels;
  readonly encoded: string;
  /** Infinity until one was noted. */
  committed = Number.POSITIVE_INFINITY;
  time = Number.POSITIVE_INFINITY;
  readonly #changed: (entry: FirstTime) => void;

  constructor(
    series: { readonly metric: string; readonly labels: Labels; readonly encoded: string },
    changed: (entry: FirstTime) => void,
  ) {
    this.metric = series.metric;
    this.labels = series.labels;
    this.encoded = series.encoded;
    this.#changed = changed;
  }

  note(time: number): void {
    if (time >= this.time) return;
    this.time = time;
    this.#changed(this);
  }
}

export class FirstTimes {
  readonly #entries = new Map<string, FirstTime>();
  #changed = new Set<FirstTime>();

  earliest(metric: string, labels: Labels): FirstTime {
    return this.#entry(metric, labels, JSON.stringify(labels));
  }

  /** As the store has it. */
  load(metric: string, encoded: string, time: number): void {
    // The cast holds because `earliest` wrote the text.
    const entry = this.#entry(metric, JSON.parse(encoded) as Labels, encoded);
    entry.time = time;
    entry.committed = time;
  }

  /** The next load replaces everything. Holders of an entry keep using it. */
  clear(): void {
    for (const entry of this.#entries.values()) entry.time = entry.committed = Number.POSITIVE_INFINITY;
    this.#changed = new Set();
  }

  all(): Total[] {
    return [...this.#entries.values()].filter(({ time }) => Number.isFinite(time)).map(toTotal);
  }

  get changed(): readonly FirstTime[] {
    return [...this.#changed];
  }

  /** After the commit: what changed in it. */
  committed(): Total[] {
    const changed = [...this.#changed];
    this.#changed = new Set();
    for (const entry of changed) entry.committed = entry.time;
    return changed.map(toTotal);
  }

  /** After a rollback. */
  discard(): void {
    for (const entry of this.#changed) entry.time = entry.committed;
    this.#changed = new Set();
  }

  #entry(metric: string, labels: Labels, encoded: string): FirstTime {
    const key = `${metric} ${encoded}`;
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = new FirstTime({ metric, labels, encoded }, (changed) => this.#changed.add(changed));
      this.#entries.set(key, entry);
    }
    return entry;
  }
}

function toTotal({ metric, labels, time }: FirstTime): Total {
  return { metric, labels, value: time, exemplar: undefined };
}
