/**
 * The attributes of a span that may have one of a few keys, found without decoding or hashing those of the others: by the
 * length of the key and its last byte. Gives some attributes of other keys as well, and passes over none of these.
 */
import { ATTRIBUTES_MAX, LazyAttributes } from './lazy-attributes.ts';
import { asBuffer } from './request-reader.ts';
import type { Attributes } from './views.ts';
import { WireReader } from './wire.ts';

const ATTRIBUTE = 0x4a;
const KEY = 0x0a;
const VALUE = 0x12;
/** Longer keys have a length of two bytes. */
const LENGTH_MAX = 0x7f;
const LAST = 31;

/** For each length of a key, a bit for each last byte of one. */
export function shapesOf(keys: Iterable<string>): Int32Array {
  const shapes = new Int32Array(LENGTH_MAX + 1);
  for (const key of keys) {
    const bytes = Buffer.from(key);
    if (bytes.length <= LENGTH_MAX) shapes[bytes.length] = (shapes[bytes.length] ?? 0) | bit(bytes.at(-1) ?? 0);
  }
  return shapes;
}

export class PickedAttributes {
  readonly #shapes: Int32Array;
  readonly #reader: WireReader;
  readonly #picked: LazyAttributes;

  /** The bytes have been checked. */
  constructor(bytes: Uint8Array, shapes: Int32Array) {
    this.#shapes = shapes;
    this.#reader = new WireReader(bytes, 0);
    this.#picked = new LazyAttributes(asBuffer(bytes));
  }

  /** Attributes of the span at [start, end), until the next call; undefined if there are none. */
  of(start: number, end: number): Attributes | undefined {
    const reader = this.#reader;
    const picked = this.#picked;
    if (picked.places > 0) picked.clear();
    reader.at = start;
    let seen = 0;
    while (reader.at < end) {
      const tag = reader.tag(end);
      if (tag !== ATTRIBUTE) {
        reader.skip(tag, end);
        continue;
      }
      const stop = reader.lengthEnd(end);
      const { at } = reader;
      if (seen++ < ATTRIBUTES_MAX && this.#mayBeOne(at, stop)) picked.add(at, stop);
      reader.at = stop;
    }
    return picked.places === 0 ? undefined : picked;
  }

  /** One that is not simply a key and a value behind it may be one: the last of several keys counts. */
  #mayBeOne(start: number, end: number): boolean {
    const reader = this.#reader;
    const { bytes } = reader;
    const length = bytes[start + 1] ?? 0;
    const keyEnd = start + 2 + length;
    if (bytes[start] !== KEY || length > LENGTH_MAX || keyEnd >= end || bytes[keyEnd] !== VALUE) return true;
    if (((this.#shapes[length] ?? 0) & bit(bytes[keyEnd - 1] ?? 0)) !== 0) return true;
    reader.at = keyEnd + 1;
    return reader.lengthEnd(end) !== end;
  }
}

function bit(byte: number): number {
  return 1 << (byte & LAST);
}
