/**
 * The series of one metric, each with its text until it changes.
 *
 * A scrape writes its text in slices, and commits move series between them. All that a scrape shows belongs to the moment
 * at which it began: a series that changes before the scrape has come to it is written first, as it was, for this scrape.
 * So a scrape copies nothing of what stays as it is, and a commit writes for each scrape under way at most what it moves.
 */
import type { Lines, Scrape } from './exposition.ts';
import type { Format } from './text-format.ts';

/** Last written lines of a series; invalid once it has changed. */
export interface Kept {
  /** Place among the series of its metric. */
  at: number;
  bornAt: number;
  text: string | undefined;
  format: Format;
  form: Form;
  /** It was dropped, and is taken out when no scrape is under way. */
  isGone?: boolean;
}

/** All lines of a series, or the fewest that it may have. */
export type Form = 'whole' | 'short';

interface SeriesWriter<S> {
  /** Undefined if the series is not shown. */
  readonly formOf: (series: S) => Form | undefined;
  readonly write: (series: S, format: Format, form: Form) => string;
  /** Lines of a series whose beginning the scraper has not seen yet. */
  readonly writeEmpty: (series: S, format: Format, form: Form) => string;
}

/** A scrape under way. */
interface Snapshot<S> extends Scrape {
  /** Number of series when the scrape began: they are the first ones, because none is removed meanwhile. */
  readonly count: number;
  /** Number of series that it has written. */
  done: number;
  /** Texts of series that have changed since it began. */
  readonly before: Map<S, string>;
}

export class KeptSeries<S extends Kept> {
  readonly #writer: SeriesWriter<S>;
  readonly #byKey = new Map<string, S>();
  readonly #snapshots = new Set<Snapshot<S>>();
  #hasGone = false;

  constructor(writer: SeriesWriter<S>) {
    this.#writer = writer;
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** Must be called before each change of a series. */
  change(key: string, make: (kept: Kept) => S, bornAt: number): S {
    let series = this.#byKey.get(key);
    if (series === undefined || series.isGone === true) {
      const at = series?.at ?? this.#byKey.size;
      series = make({ at, bornAt, text: undefined, format: 'text', form: 'whole' });
      this.#byKey.set(key, series);
    }
    for (const snapshot of this.#snapshots) this.#keepFor(snapshot, series);
    series.bornAt = Math.min(series.bornAt, bornAt);
    series.text = undefined;
    return series;
  }

  /** Undefined if it is not there. */
  drop(key: string): S | undefined {
    const series = this.#byKey.get(key);
    if (series === undefined || series.isGone === true) return undefined;
    for (const snapshot of this.#snapshots) this.#keepFor(snapshot, series);
    series.isGone = true;
    this.#hasGone = true;
    return series;
  }

  #takeOut(): void {
    if (!this.#hasGone || this.#snapshots.size > 0) return;
    this.#hasGone = false;
    let at = 0;
    for (const [key, series] of this.#byKey) {
      if (series.isGone === true) this.#byKey.delete(key);
      else {
        series.at = at;
        at += 1;
      }
    }
  }

  /** All of them, to drop exemplars. A scrape under way may show those that it has written already. */
  *changeAll(): Iterable<S> {
    for (const series of this.#byKey.values()) {
      series.text = undefined;
      yield series;
    }
  }

  lines(scrape: Scrape): Lines {
    this.#takeOut();
    const snapshot = { ...scrape, count: this.#byKey.size, done: 0, before: new Map<S, string>() };
    this.#snapshots.add(snapshot);
    return { texts: this.#texts(snapshot), release: () => this.#snapshots.delete(snapshot) };
  }

  *#texts(snapshot: Snapshot<S>): Iterable<string> {
    for (const series of this.#byKey.values()) {
      if (snapshot.done === snapshot.count) return;
      snapshot.done += 1;
      yield snapshot.before.get(series) ?? this.#textOf(series, snapshot);
    }
  }

  #keepFor(snapshot: Snapshot<S>, series: S): void {
    if (series.at < snapshot.done || series.at >= snapshot.count || snapshot.before.has(series)) return;
    snapshot.before.set(series, this.#textOf(series, snapshot));
  }

  #textOf(series: S, { format, newSince }: Scrape): string {
    const form = series.isGone === true ? undefined : this.#writer.formOf(series);
    if (form === undefined) return '';
    if (series.bornAt > newSince) return this.#writer.writeEmpty(series, format, form);
    if (series.text === undefined || series.format !== format || series.form !== form) {
      series.text = this.#writer.write(series, format, form);
      series.format = format;
      series.form = form;
    }
    return series.text;
  }
}
