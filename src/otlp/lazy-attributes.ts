/**
 * Attributes over the bytes of their KeyValue messages. The reader of the enclosing message adds the place of each.
 * Keys are decoded at the first question, values on demand, and nothing else is ever decoded.
 *
 * The first of two attributes with one key counts. Attributes beyond ATTRIBUTES_MAX are not looked at.
 */
import { powerOfTwoFrom } from '../model/power-of-two.ts';
import { decodeAnyValue, decodeText, decodeValueOf, KeyValuePlace } from './common-reader.ts';
import { keyTable, NO_NUMBER } from './key-table.ts';
import type { AttributeValue } from '../model/attribute-value.ts';
import { type Attributes, REPEATED } from './views.ts';
import { WireReader } from './wire.ts';

/** No emitter comes near it; two bytes make an attribute, so a limit is needed. */
export const ATTRIBUTES_MAX = 65_536;

/**
 * Per attribute: where the KeyValue begins and ends, key number, where the key and the value begin and end, pieces.
 * In plain arrays: a typed array of this size lives outside the heap, and making two for each trace cost more than
 * reading its attributes.
 */
const STRIDE = 8;
/** So few are found by going through them, without a table: most spans have ten. */
const SCANNED_MAX = 24;

export class LazyAttributes implements Attributes {
  readonly #buffer: Buffer;
  readonly #reader: WireReader;
  readonly #place = new KeyValuePlace();
  readonly #places: number[] = [];
  /** Open addressing by key number; holds the attribute's index + 1. Only where there are many. */
  #slots: Int32Array | undefined;
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
    this.#slots = undefined;
    this.ignored = 0;
  }

  /** One more KeyValue, at [start, end). */
  add(start: number, end: number): void {
    if (this.#added === ATTRIBUTES_MAX) {
      this.ignored += 1;
      return;
    }
    const places = this.#places;
    const at = this.#added * STRIDE;
    // Without holes: what is not known yet is 0.
    if (at === places.length) places.push(start, end, 0, 0, 0, 0, 0, 0);
    else {
      places[at] = start;
      places[at + 1] = end;
    }
    this.#added += 1;
  }

  get count(): number {
    this.#index();
    return this.#distinct;
  }

  get places(): number {
    return this.#added;
  }

  keyNumberAt(place: number): number {
    this.#index();
    const at = place * STRIDE;
    return this.#isFirst(at) ? this.#number(at + 2) : REPEATED;
  }

  keyAt(place: number): string {
    this.#index();
    return this.#keyAt(place * STRIDE);
  }

  valueAt(place: number): AttributeValue {
    this.#index();
    return this.#valueAt(place * STRIDE);
  }

  has(key: string): boolean {
    return this.#find(key) >= 0;
  }

  get(key: string): AttributeValue | undefined {
    const at = this.#find(key);
    return at < 0 ? undefined : this.#valueAt(at);
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

  #valueAt(at: number): AttributeValue {
    if (this.#number(at + 7) > 1) return decodeValueOf(this.#buffer, this.#number(at), this.#number(at + 1));
    return decodeAnyValue(this.#buffer, this.#number(at + 5), this.#number(at + 6));
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
      const at = this.#findNumber(number, this.#added * STRIDE);
      if (at >= 0) return at;
    }
    // A key may have got its number after these attributes were indexed.
    return this.#unnumbered?.get(key) ?? -1;
  }

  #isFirst(at: number): boolean {
    return this.#number(at + 7) >= 0;
  }

  /** Among the attributes before `end`. The first of that key comes first. */
  #findNumber(number: number, end: number): number {
    const slots = this.#slots;
    if (slots === undefined) {
      for (let at = 0; at < end; at += STRIDE) if (this.#places[at + 2] === number) return at;
      return -1;
    }
    const mask = slots.length - 1;
    for (let slot = scatter(number) & mask; ; slot = (slot + 1) & mask) {
      const entry = slots[slot] ?? 0;
      if (entry === 0) return -1;
      const at = (entry - 1) * STRIDE;
      if (this.#number(at + 2) === number) return at;
    }
  }

  #index(): void {
    if (this.#indexed) return;
    this.#indexed = true;
    this.#distinct = 0;
    if (this.#added > SCANNED_MAX) this.#slots = new Int32Array(powerOfTwoFrom(this.#added * 2));
    const places = this.#places;
    for (let at = 0; at < this.#added * STRIDE; at += STRIDE) {
      const reader = this.#reader;
      reader.at = this.#number(at);
      const place = this.#place.find(reader, this.#number(at + 1));
      const number = keyTable.numberOf(this.#buffer, place.keyStart, place.keyEnd);
      places[at + 2] = number;
      places[at + 3] = place.keyStart;
      places[at + 4] = place.keyEnd;
      places[at + 5] = place.valueStart;
      places[at + 6] = place.valueEnd;
      const isFirst = number === NO_NUMBER ? this.#enterText(at) : this.#enter(number, at);
      places[at + 7] = isFirst ? place.pieces : -1;
      if (isFirst) this.#distinct += 1;
    }
  }

  /** Answers whether the key is new. */
  #enter(number: number, at: number): boolean {
    const slots = this.#slots;
    if (slots === undefined) return this.#findNumber(number, at) < 0;
    const mask = slots.length - 1;
    for (let slot = scatter(number) & mask; ; slot = (slot + 1) & mask) {
      const entry = slots[slot] ?? 0;
      if (entry === 0) {
        slots[slot] = at / STRIDE + 1;
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
