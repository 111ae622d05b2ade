/**
 * Which records of a partition are still needed. An offset may be committed once every record before it is done: what it
 * held is filed in the store, or of no interest to anybody.
 *
 * With the offset goes the log time that the partition had when it came there, so that who reads on from it gives each
 * record the same log time.
 */
export interface TrackedRecord {
  readonly offset: number;
  readonly timeBefore: number;
  /** Rows that somebody still needs. */
  open: number;
}

export interface Progress {
  readonly offset: number;
  readonly time: number;
}

const SLIDE_FROM = 1024;

export class OffsetTracker {
  readonly #records: TrackedRecord[] = [];
  #head = 0;
  #next: number;
  #time: number;

  constructor(start: Progress) {
    this.#next = start.offset;
    this.#time = start.time;
  }

  /** The offset behind the last record that was added. */
  get next(): number {
    return this.#next;
  }

  add(offset: number, rows: number): TrackedRecord {
    const record = { offset, timeBefore: this.#time, open: rows };
    this.#next = offset + 1;
    this.#records.push(record);
    return record;
  }

  /** The partition's log time after the record that was added last; it never goes back. */
  reached(time: number): void {
    this.#time = Math.max(this.#time, time);
  }

  release(record: TrackedRecord, rows: number): void {
    record.open -= rows;
    if (record.open < 0) throw new Error(`offsets: record ${record.offset} was released more often than it was taken`);
  }

  /** Position from which another owner would have to read. */
  get progress(): Progress {
    for (let first = this.#records[this.#head]; first !== undefined; first = this.#records[this.#head]) {
      if (first.open > 0) return { offset: first.offset, time: first.timeBefore };
      this.#head += 1;
    }
    this.#records.length = 0;
    this.#head = 0;
    return { offset: this.#next, time: this.#time };
  }

  /** Drops entries that are done; called now and then. */
  compact(): void {
    if (this.#head < SLIDE_FROM) return;
    this.#records.splice(0, this.#head);
    this.#head = 0;
  }
}
