/**
 * Attributes over the bytes of their KeyValue messages. Whoever walks the enclosing message adds the place of each; keys
 * are looked at when the first question comes, values when they are asked for, and nothing else is ever decoded.
 *
 * Of two attributes with one key the first counts. Attributes beyond ATTRIBUTES_MAX are not looked at.
 */
import { decodeAnyValue, decodeText, decodeValueOf, KeyValuePlace } from './common-reader.ts';
import { keyTable, NO_NUMBER } from './key-table.ts';
import type { Attributes, AttributeValue } from './views.ts';
import { WireReader } from './wire.ts';

/** No emitter comes near it; two bytes make an attribute, so a limit is needed. */
export const ATTRIBUTES_MAX = 65_536;

const INITIAL_ATTRIBUTES = 32;
/** Per attribute: where the KeyValue begins and ends, key number, where the key and the value begin and end, pieces. */
const STRIDE = 8;

export class LazyAttributes implements Attributes {
  readonly #buffer: Buffer;
  readonly #reader: WireReader;
  readonly #place = new KeyValuePlace();
  #places = new Int32Array(INITIAL_ATTRIBUTES * STRIDE);
  /** Open addressing by key number; holds the attribute's index + 1. */
  #slots = new Int32Array(INITIAL_ATTRIBUTES * 2);
  #added = 0;
  #indexed = false;
  #distinct = 0;
  #keys: string[] | undefined;
  /** Attributes whose key has no number, by key. */
  #unnumbered: Map<string, number> | undefined;
  /** How many were there but not looked at. */
  ignored = 0;

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
    this.#reader = new WireReader(buffer, 0);
  }

  clear(): void {
    this.#added = 0;
    this.#indexed = false;
    this.#keys = undefined;
    this.#unnumbered = undefined;
    this.ignored = 0;
  }

  /** One more KeyValue, at [start, end). */
  add(start: number, end: number): void {
    if (this.#added === ATTRIBUTES_MAX) {
      this.ignored += 1;
      return;
    }
    const at = this.#added * STRIDE;
    if (at === this.#places.length) this.#places = grown(this.#places);
    this.#places[at] = start;
    this.#places[at + 1] = end;
    this.#added += 1;
  }

  get count(): number {
    this.#index();
    return this.#distinct;
  }

  has(key: string): boolean {
    return this.#find(key) >= 0;
  }

  get(key: string): AttributeValue | undefined {
    const at = this.#find(key);
    if (at < 0) return undefined;
    if (this.#number(at + 7) > 1) return decodeValueOf(this.#buffer, this.#number(at), this.#number(at + 1));
    return decodeAnyValue(this.#buffer, this.#number(at + 5), this.#number(at + 6));
  }

  text(key: string): string | undefined {
    const at = this.#find(key);
    if (at < 0) return undefined;
    if (this.#number(at + 7) <= 1) return decodeText(this.#buffer, this.#number(at + 5), this.#number(at + 6));
    const value = this.get(key);
    return typeof value === 'string' ? value : undefined;
  }

  keys(): readonly string[] {
    this.#index();
    if (this.#keys === undefined) {
      this.#keys = [];
      for (let at = 0; at < this.#added * STRIDE; at += STRIDE) {
        if (this.#isFirst(at)) this.#keys.push(this.#keyAt(at));
      }
    }
    return this.#keys;
  }

  bytesOf(key: string): Uint8Array | undefined {
    const at = this.#find(key);
    return at < 0 ? undefined : this.#buffer.subarray(this.#number(at), this.#number(at + 1));
  }

  #number(at: number): number {
    return this.#places[at] ?? 0;
  }

  #keyAt(at: number): string {
    const number = this.#number(at + 2);
    if (number !== NO_NUMBER) return keyTable.text(number);
    return this.#buffer.toString('utf8', this.#number(at + 3), this.#number(at + 4));
  }

  /** Where the attribute of that key lies in `#places`, or -1. */
  #find(key: string): number {
    if (this.#added === 0) return -1;
    this.#index();
    const number = keyTable.numberOfText(key);
    if (number !== NO_NUMBER) {
      const mask = this.#slots.length - 1;
      for (let slot = scatter(number) & mask; ; slot = (slot + 1) & mask) {
        const entry = this.#slots[slot] ?? 0;
        if (entry === 0) break;
        const at = (entry - 1) * STRIDE;
        if (this.#number(at + 2) === number) return at;
      }
    }
    // A key may have got its number after these attributes were indexed.
    return this.#unnumbered?.get(key) ?? -1;
  }

  #isFirst(at: number): boolean {
    return this.#number(at + 7) >= 0;
  }

  #index(): void {
    if (this.#indexed) return;
    this.#indexed = true;
    this.#distinct = 0;
    if (this.#slots.length < this.#added * 2) this.#slots = new Int32Array(powerOfTwoFrom(this.#added * 2));
    else this.#slots.fill(0);
    for (let at = 0; at < this.#added * STRIDE; at += STRIDE) {
      const reader = this.#reader;
      reader.at = this.#number(at);
      const place = this.#place.find(reader, this.#number(at + 1));
      const number = keyTable.numberOf(this.#buffer, place.keyStart, place.keyEnd);
      this.#places[at + 2] = number;
      this.#places[at + 3] = place.keyStart;
      this.#places[at + 4] = place.keyEnd;
      this.#places[at + 5] = place.valueStart;
      this.#places[at + 6] = place.valueEnd;
      const isFirst = number === NO_NUMBER ? this.#enterText(at) : this.#enter(number, at);
      this.#places[at + 7] = isFirst ? place.pieces : -1;
      if (isFirst) this.#distinct += 1;
    }
  }

  /** Answers whether the key is new. */
  #enter(number: number, at: number): boolean {
    const mask = this.#slots.length - 1;
    for (let slot = scatter(number) & mask; ; slot = (slot + 1) & mask) {
      const entry = this.#slots[slot] ?? 0;
      if (entry === 0) {
        this.#slots[slot] = at / STRIDE + 1;
        return true;
      }
      if (this.#number((entry - 1) * STRIDE + 2) === number) return false;
    }
  }

  #enterText(at: number): boolean {
    const key = this.#keyAt(at);
    this.#unnumbered ??= new Map();
    if (this.#unnumbered.has(key)) return false;
    this.#unnumbered.set(key, at);
    return true;
  }
}

function scatter(number: number): number {
  return Math.imul(number, 0x9e3779b1) >>> 12;
}

function powerOfTwoFrom(count: number): number {
  let size = INITIAL_ATTRIBUTES * 2;
  while (size < count) size *= 2;
  return size;
}

function grown(places: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(places.length * 2);
  larger.set(places);
  return larger;
}
