/**
 * A binary heap of records and their times, earliest first; records of equal times in an order of their own, so that the
 * order is total. Flat: two arrays, and a field of each record that has its place here, by which its time is changed.
 */
import type { Records } from './records.ts';

const CAPACITY_MIN = 256;

export class DeadlineHeap {
  readonly #records: Records;
  readonly #place: number;
  readonly #isBefore: (record: number, other: number) => boolean;
  #times = new Float64Array(CAPACITY_MIN);
  #entries = new Int32Array(CAPACITY_MIN);
  #size = 0;

  /** `place` is the field of a record that this heap keeps for itself. `isBefore` decides between equal times. */
  constructor(
    records: Records,
    parts: { readonly place: number; readonly isBefore: (record: number, other: number) => boolean },
  ) {
    this.#records = records;
    this.#place = parts.place;
    this.#isBefore = parts.isBefore;
  }

  get size(): number {
    return this.#size;
  }

  /** The record with the earliest time; 0 if there is none. */
  get top(): number {
    return this.#size === 0 ? 0 : (this.#entries[0] ?? 0);
  }

  timeOf(record: number): number {
    return this.#times[this.#records.word(record, this.#place)] ?? 0;
  }

  push(record: number, time: number): void {
    if (this.#size === this.#entries.length) this.#resize(this.#size * 2);
    this.#size += 1;
    this.#up(this.#size - 1, record, time);
  }

  /** Gives the record another time. */
  move(record: number, time: number): void {
    const at = this.#records.word(record, this.#place);
    if (time < (this.#times[at] ?? 0)) this.#up(at, record, time);
    else this.#down(at, record, time);
  }

  remove(record: number): void {
    const at = this.#records.word(record, this.#place);
    this.#size -= 1;
    const last = this.#entries[this.#size] ?? 0;
    const time = this.#times[this.#size] ?? 0;
    if (last !== record) {
      if (at > 0 && this.#goesBefore(last, time, (at - 1) >> 1)) this.#up(at, last, time);
      else this.#down(at, last, time);
    }
    if (this.#size < this.#entries.length / 4 && this.#entries.length > CAPACITY_MIN) {
      this.#resize(this.#entries.length / 2);
    }
  }

  #up(from: number, record: number, time: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#goesBefore(record, time, parent)) break;
      this.#set(at, this.#entries[parent] ?? 0, this.#times[parent] ?? 0);
      at = parent;
    }
    this.#set(at, record, time);
  }

  #down(from: number, record: number, time: number): void {
    let at = from;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= this.#size) break;
      const right = left + 1;
      const rightIsNext =
        right < this.#size && this.#goesBefore(this.#entries[right] ?? 0, this.#times[right] ?? 0, left);
      const next = rightIsNext ? right : left;
      if (this.#goesBefore(record, time, next)) break;
      this.#set(at, this.#entries[next] ?? 0, this.#times[next] ?? 0);
      at = next;
    }
    this.#set(at, record, time);
  }

  #goesBefore(record: number, time: number, other: number): boolean {
    const otherTime = this.#times[other] ?? 0;
    return time < otherTime || (time === otherTime && this.#isBefore(record, this.#entries[other] ?? 0));
  }

  #set(at: number, record: number, time: number): void {
    this.#times[at] = time;
    this.#entries[at] = record;
    this.#records.setWord(record, this.#place, at);
  }

  #resize(capacity: number): void {
    const times = new Float64Array(capacity);
    const entries = new Int32Array(capacity);
    times.set(this.#times.subarray(0, this.#size));
    entries.set(this.#entries.subarray(0, this.#size));
    this.#times = times;
    this.#entries = entries;
  }
}
