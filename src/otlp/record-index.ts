/**
 * Where the spans or log records of a request lie: flat arrays of byte offsets, no objects. A group is what shares a
 * resource and a scope; it is entered with its first row, so that a request full of empty groups costs nothing.
 */
import { NO_NUMBER } from './key-table.ts';

/** An offset that is not there, or a field that was not sent. */
export const ABSENT = NO_NUMBER;

export const ROW_FLAGS = {
  /** The parent lives in another process, which may never report to us. */
  parentIsRemote: 1,
  /** The scope is Assay's own. */
  isOwn: 2,
} as const;

const ROW = 7;
const GROUP = 5;

export type Signal = 'traces' | 'logs';

/** A row while it is read. */
interface RowPlace {
  readonly start: number;
  readonly end: number;
  /** Where the bytes of the ids begin; ABSENT without a valid one. */
  readonly traceIdAt: number;
  readonly spanIdAt: number;
  readonly parentSpanIdAt: number;
  readonly flags: number;
}

export class RecordIndex {
  readonly signal: Signal;
  readonly bytes: Buffer;
  rowCount = 0;
  groupCount = 0;
  /** Records that are no rows because of such an id. */
  invalidTraceIds = 0;
  invalidSpanIds = 0;
  /** Small integers in plain arrays: typed ones lie outside the heap, which is dear where an index is made for each trace. */
  readonly #rows: number[] = [];
  readonly #groups: number[] = [];

  constructor(signal: Signal, bytes: Buffer) {
    this.signal = signal;
    this.bytes = bytes;
  }

  addRow(row: RowPlace, group: number): void {
    this.#rows.push(row.start, row.end, group, row.traceIdAt, row.spanIdAt, row.parentSpanIdAt, row.flags);
    this.rowCount += 1;
  }

  /** A group whose place is not known before its end. */
  addGroup(): number {
    this.#groups.push(0, 0, 0, 0, 0);
    this.groupCount += 1;
    return this.groupCount - 1;
  }

  placeResource(group: number, start: number, end: number): void {
    this.#groups[group * GROUP] = start;
    this.#groups[group * GROUP + 1] = end;
  }

  placeScope(group: number, place: { readonly start: number; readonly end: number; readonly flags: number }): void {
    this.#groups[group * GROUP + 2] = place.start;
    this.#groups[group * GROUP + 3] = place.end;
    this.#groups[group * GROUP + 4] = place.flags;
  }

  start(row: number): number {
    return this.#row(row, 0);
  }

  end(row: number): number {
    return this.#row(row, 1);
  }

  group(row: number): number {
    return this.#row(row, 2);
  }

  traceIdAt(row: number): number {
    return this.#row(row, 3);
  }

  spanIdAt(row: number): number {
    return this.#row(row, 4);
  }

  parentSpanIdAt(row: number): number {
    return this.#row(row, 5);
  }

  flags(row: number): number {
    return this.#row(row, 6) | (this.#groups[this.group(row) * GROUP + 4] ?? 0);
  }

  resourceStart(group: number): number {
    return this.#groups[group * GROUP] ?? 0;
  }

  resourceEnd(group: number): number {
    return this.#groups[group * GROUP + 1] ?? 0;
  }

  scopeStart(group: number): number {
    return this.#groups[group * GROUP + 2] ?? 0;
  }

  scopeEnd(group: number): number {
    return this.#groups[group * GROUP + 3] ?? 0;
  }

  #row(row: number, field: number): number {
    if (row < 0 || row >= this.rowCount) throw new Error(`row ${row} of an index of ${this.rowCount} rows`);
    return this.#rows[row * ROW + field] ?? 0;
  }
}
