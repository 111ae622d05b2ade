/**
 * Counts the spans or log records of a request without reading them: a request of two megabytes may have none or four
 * hundred thousand, and each costs memory and time, however small it is. Malformed bytes end the counting; the reader
 * that comes afterwards reports them.
 */
import { WireError, WireReader } from './wire.ts';

/** Infinity if there are more than `max` records, resources and scopes of either signal, or fields beside these. */
export function countRecords(bytes: Uint8Array, max: number): number {
  const counter = new RecordCounter(new WireReader(bytes, 0), max);
  try {
    counter.count(bytes.length, 0);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
  }
  return counter.records;
}

/** Resources, scopes and records are the fields of these numbers and of type 2, each within the one before. */
const TAGS = [0x0a, 0x12, 0x12] as const;
const RECORDS_AT = 2;

class RecordCounter {
  records = 0;
  readonly #reader: WireReader;
  readonly #max: number;
  /** Everything else, such as resources that have no records. */
  #others = 0;

  constructor(reader: WireReader, max: number) {
    this.#reader = reader;
    this.#max = max;
  }

  count(end: number, depth: number): void {
    const reader = this.#reader;
    while (reader.at < end && this.records <= this.#max) {
      const tag = reader.tag(end);
      const isWanted = tag === TAGS[depth];
      if (isWanted && depth === RECORDS_AT) {
        reader.at = reader.lengthEnd(end);
        this.records += 1;
        if (this.records > this.#max) this.records = Number.POSITIVE_INFINITY;
        continue;
      }
      this.#others += 1;
      // Each record may have a resource and a scope of its own, with a URL of a schema.
      if (this.#others > this.#max * 6) this.records = Number.POSITIVE_INFINITY;
      else if (isWanted) this.count(reader.lengthEnd(end), depth + 1);
      // Other fields hold no records: attributes, and what a newer OTLP adds.
      else reader.skip(tag, end);
    }
  }
}
