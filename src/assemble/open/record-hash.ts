/**
 * Finds records by a hash of their content. Records of one bucket are a chain through one of their fields.
 *
 * It grows by one bucket for each record that is added, and shrinks likewise (linear hashing). So no record waits for a
 * table of millions to be rebuilt. Bucket `b` is split into `b` and `b + half`, one bucket at a time.
 */
import { randomInt } from 'node:crypto';
import type { Records } from './records.ts';

const PAGE_BITS = 11;
const IN_PAGE = (1 << PAGE_BITS) - 1;
const BUCKETS_MIN = 64;

export class RecordHash {
  readonly #records: Records;
  readonly #link: number;
  readonly #hashOf: (record: number) => number;
  /** First record of each bucket. */
  readonly #pages: Int32Array[] = [new Int32Array(1 << PAGE_BITS)];
  #size = 0;
  /** A power of two. The buckets before `buckets - half` have been split. */
  #half = BUCKETS_MIN;
  #buckets = BUCKETS_MIN;

  constructor(records: Records, parts: { readonly link: number; readonly hashOf: (record: number) => number }) {
    this.#records = records;
    this.#link = parts.link;
    this.#hashOf = parts.hashOf;
  }

  /** The first record that may have this hash; `after` gives the others, and 0 at the end. */
  first(hash: number): number {
    return this.#head(this.#bucketOf(hash));
  }

  after(record: number): number {
    return this.#records.word(record, this.#link);
  }

  add(record: number): void {
    this.#chain(this.#bucketOf(this.#hashOf(record)), record);
    this.#size += 1;
    if (this.#size > this.#buckets) this.#grow();
  }

  /** The content of the record must be that with which it was added. */
  remove(record: number): void {
    const bucket = this.#bucketOf(this.#hashOf(record));
    const next = this.after(record);
    let before = this.#head(bucket);
    if (before === record) this.#setHead(bucket, next);
    else {
      while (before !== 0 && this.after(before) !== record) before = this.after(before);
      if (before === 0) throw new Error(`record ${record} is not where its hash says`);
      this.#records.setWord(before, this.#link, next);
    }
    this.#size -= 1;
    if (this.#size < this.#buckets / 2 && this.#buckets > BUCKETS_MIN) this.#shrink();
  }

  #grow(): void {
    const split = this.#buckets - this.#half;
    if (this.#buckets >>> PAGE_BITS === this.#pages.length) this.#pages.push(new Int32Array(1 << PAGE_BITS));
    this.#buckets += 1;
    let record = this.#head(split);
    this.#setHead(split, 0);
    while (record !== 0) {
      const next = this.after(record);
      this.#chain(this.#bucketOf(this.#hashOf(record)), record);
      record = next;
    }
    if (this.#buckets === 2 * this.#half) this.#half = this.#buckets;
  }

  #shrink(): void {
    if (this.#buckets === this.#half) this.#half /= 2;
    const last = this.#buckets - 1;
    let record = this.#head(last);
    this.#setHead(last, 0);
    this.#buckets = last;
    while (record !== 0) {
      const next = this.after(record);
      this.#chain(last - this.#half, record);
      record = next;
    }
    // A spare page stays, so that growing and shrinking at its border allocates nothing.
    if (this.#pages.length > (last >>> PAGE_BITS) + 2) this.#pages.pop();
  }

  #bucketOf(hash: number): number {
    const bucket = hash & (2 * this.#half - 1);
    return bucket < this.#buckets ? bucket : hash & (this.#half - 1);
  }

  #chain(bucket: number, record: number): void {
    this.#records.setWord(record, this.#link, this.#head(bucket));
    this.#setHead(bucket, record);
  }

  #head(bucket: number): number {
    return this.#pages[bucket >>> PAGE_BITS]?.[bucket & IN_PAGE] ?? 0;
  }

  #setHead(bucket: number, record: number): void {
    const page = this.#pages[bucket >>> PAGE_BITS];
    if (page !== undefined) page[bucket & IN_PAGE] = record;
  }
}

/**
 * Mixes up to four words. The factors are drawn at the start of the process, so that nobody can choose ids that share
 * a bucket. No result depends on them.
 */
export function hashOfWords(a: number, b = 0, c = 0, d = 0): number {
  let hash = Math.imul(a ^ SEED, FACTOR_1);
  hash = Math.imul((hash ^ (hash >>> 16)) + b, FACTOR_2);
  hash = Math.imul((hash ^ (hash >>> 15)) + c, FACTOR_3);
  hash = Math.imul((hash ^ (hash >>> 16)) + d, FACTOR_4);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85eb_ca6b);
  return hash ^ (hash >>> 13);
}

const SEED = randomInt(2 ** 32);
const [FACTOR_1, FACTOR_2, FACTOR_3, FACTOR_4] = [oddNumber(), oddNumber(), oddNumber(), oddNumber()];

function oddNumber(): number {
  return randomInt(2 ** 32) | 1;
}
