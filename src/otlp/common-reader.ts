/**
 * The check of a message, and the values of attributes, which traces and logs share: they are decoded later, if anybody asks.
 */
import { MESSAGES, type Message } from './messages.ts';
import { WireError, WireReader } from './wire.ts';
import type { AttributeValue } from '../model/attribute-value.ts';

/** How deep values may lie in values. An emitter that nests deeper is broken or means harm. */
export const VALUE_DEPTH_MAX = 64;
/** How many values one attribute may decode to; elements beyond are left out. Two bytes make a value, an object costs 50. */
const DECODED_VALUES_MAX = 1 << 20;

const ANY_VALUE = MESSAGES.AnyValue;
const KEY_VALUE = MESSAGES.KeyValue;

/** Checks a message that lies between the reader and `end`, down to the last value, and keeps nothing. */
export function checkMessage(reader: WireReader, message: Message, end: number, valueDepth = 0): void {
  const depth = message === ANY_VALUE ? valueDepth + 1 : valueDepth;
  if (depth > VALUE_DEPTH_MAX) {
    throw new WireError('too-deep', reader.at, `a value nested more than ${VALUE_DEPTH_MAX} deep`);
  }
  while (reader.at < end) {
    const tag = reader.tag(end);
    if ((tag & 7) === 2) checkContent(reader, message, tag, reader.lengthEnd(end), depth);
    else reader.skip(tag, end);
  }
}

/** Checks the content of a field of wire type 2 of the message. */
export function checkContent(reader: WireReader, message: Message, tag: number, end: number, valueDepth = 0): void {
  const type = tag < message.byTag.length ? message.byTag[tag] : undefined;
  if (typeof type !== 'object' || (type === KEY_VALUE && isTextAttribute(reader, end))) reader.at = end;
  else checkMessage(reader, type, end, valueDepth);
}

/** Whether a KeyValue is a key and a text and nothing else, as nearly every one is. */
function isTextAttribute({ bytes, at }: WireReader, end: number): boolean {
  const keyLength = bytes[at + 1] ?? 0;
  const value = at + 2 + keyLength;
  if (bytes[at] !== 0x0a || keyLength >= 0x80 || bytes[value] !== 0x12) return false;
  const text = contentAt(bytes, value + 1, end);
  return text !== 0 && bytes[text] === 0x0a && contentAt(bytes, text + 1, end) !== 0;
}

/** Where the content begins whose length stands at `at`, if it goes on to `end`; else 0. */
function contentAt(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return at + 1 + first === end ? at + 1 : 0;
  const second = bytes[at + 1] ?? 0;
  return second < 0x80 && at + 2 + ((first & 0x7f) | (second << 7)) === end ? at + 2 : 0;
}

/** A checked AnyValue as a value. Invalid UTF-8 becomes U+FFFD; no member at all becomes null. */
export function decodeAnyValue(buffer: Buffer, start: number, end: number): AttributeValue {
  // Nearly every value is one string (tag, length, and the rest is text) or one small number: read without a decoder.
  const tag = start < end ? buffer[start] : 0;
  if (tag === 0x0a || tag === 0x18) {
    let at = start + 1;
    let number = 0;
    let byte = 0x80;
    for (let shift = 0; byte >= 0x80 && shift < 28 && at < end; shift += 7) {
      byte = buffer[at++] ?? 0;
      number |= (byte & 0x7f) << shift;
    }
    if (byte < 0x80) {
      if (tag === 0x0a && number === end - at) return buffer.toString(undefined, at, end);
      if (tag === 0x18 && at === end) return number;
    }
  }
  return new ValueDecoder(buffer, start).value(end);
}

/** The text where a checked AnyValue is a string. */
export function decodeText(buffer: Buffer, start: number, end: number): string | undefined {
  if (buffer[start] !== 0x0a && !mayHoldText(buffer, start, end)) return undefined;
  const value = decodeAnyValue(buffer, start, end);
  return typeof value === 'string' ? value : undefined;
}

/** Saves decoding a long list for nothing. The last of several members wins, so any of them may be the string. */
function mayHoldText(buffer: Buffer, start: number, end: number): boolean {
  const reader = new WireReader(buffer, start);
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x0a) return true;
    reader.skip(tag, end);
  }
  return false;
}

type Entries = { [key: string]: AttributeValue };

class ValueDecoder {
  readonly #buffer: Buffer;
  readonly #reader: WireReader;
  readonly #place = new KeyValuePlace();
  #left = DECODED_VALUES_MAX;

  constructor(buffer: Buffer, start: number) {
    this.#buffer = buffer;
    this.#reader = new WireReader(buffer, start);
  }

  /** The last member wins; a list that is sent in several pieces in a row is one list. */
  value(end: number): AttributeValue {
    const reader = this.#reader;
    let value: AttributeValue = null;
    let list: AttributeValue[] | undefined;
    let entries: Entries | undefined;
    while (reader.at < end) {
      const tag = reader.tag(end);
      switch (tag) {
        case 0x0a: // 1 string_value
          value = this.#text(reader.lengthEnd(end));
          break;
        case 0x10: // 2 bool_value
          reader.varint(end);
          value = (reader.low | reader.high) !== 0;
          break;
        case 0x18: // 3 int_value
          reader.varint(end);
          value = toInteger(reader.low, reader.high);
          break;
        case 0x21: // 4 double_value
          value = this.#buffer.readDoubleLE(reader.fixed64At(end));
          break;
        case 0x2a: // 5 array_value
          list = value !== null && value === list ? list : [];
          this.#array(reader.lengthEnd(end), list);
          value = list;
          break;
        case 0x32: // 6 kvlist_value
          // The cast only spells out that an object made here has no prototype.
          entries = value !== null && value === entries ? entries : (Object.create(null) as Entries);
          this.#entries(reader.lengthEnd(end), entries);
          value = entries;
          break;
        case 0x3a: // 7 bytes_value
          value = this.#bytes(reader.lengthEnd(end));
          break;
        default:
          reader.skip(tag, end);
      }
    }
    return value;
  }

  #array(end: number, into: AttributeValue[]): void {
    const reader = this.#reader;
    while (reader.at < end) {
      const tag = reader.tag(end);
      if (tag !== 0x0a || --this.#left < 0) reader.skip(tag, end);
      else into.push(this.value(reader.lengthEnd(end)));
    }
  }

  #entries(end: number, into: Entries): void {
    const reader = this.#reader;
    while (reader.at < end) {
      const tag = reader.tag(end);
      if (tag !== 0x0a || --this.#left < 0) reader.skip(tag, end);
      else this.#entry(reader.lengthEnd(end), into);
    }
  }

  #entry(end: number, into: Entries): void {
    const reader = this.#reader;
    const start = reader.at;
    const { keyStart, keyEnd, valueStart, valueEnd, pieces } = this.#place.find(reader, end);
    const key = this.#buffer.toString('utf8', keyStart, keyEnd);
    if (!Object.hasOwn(into, key)) {
      reader.at = valueStart;
      into[key] = pieces > 1 ? decodeValueOf(this.#buffer, start, end) : this.value(valueEnd);
    }
    reader.at = end;
  }

  #text(end: number): string {
    const text = this.#buffer.toString('utf8', this.#reader.at, end);
    this.#reader.at = end;
    return text;
  }

  #bytes(end: number): Uint8Array {
    // A copy: the value stays what it is, whatever becomes of the request.
    const bytes = new Uint8Array(this.#buffer.subarray(this.#reader.at, end));
    this.#reader.at = end;
    return bytes;
  }
}

/** Where key and value of a checked KeyValue lie. One object serves for many, so that a look at a key makes no garbage. */
export class KeyValuePlace {
  keyStart = 0;
  keyEnd = 0;
  valueStart = 0;
  valueEnd = 0;
  /** More than one where the value was sent in pieces; then `decodeValueOf` puts them together. */
  pieces = 0;
  /** It is a key and the value behind it, and nothing else, as every emitter writes it. */
  isPlain = false;

  /** From where the reader stands to `end`. */
  find(reader: WireReader, end: number): this {
    const { at } = reader;
    this.isPlain = this.#findPlain(reader, end);
    if (this.isPlain) return this;
    reader.at = at;
    this.keyStart = this.keyEnd = this.valueStart = this.valueEnd = reader.at;
    this.pieces = 0;
    while (reader.at < end) {
      const tag = reader.tag(end);
      if (tag === 0x0a) {
        const stop = reader.lengthEnd(end);
        this.keyStart = reader.at;
        this.keyEnd = reader.at = stop;
      } else if (tag === 0x12) {
        const stop = reader.lengthEnd(end);
        this.valueStart = reader.at;
        this.valueEnd = reader.at = stop;
        this.pieces += 1;
      } else {
        reader.skip(tag, end);
      }
    }
    return this;
  }

  #findPlain(reader: WireReader, end: number): boolean {
    const { at, bytes } = reader;
    const length = bytes[at + 1] ?? 0;
    const keyEnd = at + 2 + length;
    if (bytes[at] !== 0x0a || length >= 0x80 || keyEnd >= end || bytes[keyEnd] !== 0x12) return false;
    reader.at = keyEnd + 1;
    const valueEnd = reader.lengthEnd(end);
    this.keyStart = at + 2;
    this.keyEnd = keyEnd;
    this.valueStart = reader.at;
    this.valueEnd = reader.at = valueEnd;
    this.pieces = 1;
    return valueEnd === end;
  }
}

/** The value of a KeyValue whose value was sent in pieces. */
export function decodeValueOf(buffer: Buffer, start: number, end: number): AttributeValue {
  const joined = joinPieces(buffer, { start, end, tag: 0x12 });
  return decodeAnyValue(joined, 0, joined.length);
}

/**
 * A message field that is not repeated but occurs several times means the pieces one after the other: that is how
 * protobuf defines it. Gives all of them, from within the message at [start, end).
 */
export function joinPieces(
  buffer: Buffer,
  field: { readonly start: number; readonly end: number; readonly tag: number },
): Buffer {
  const pieces = fieldsOf(buffer, field.start, field.end, field.tag);
  return Buffer.concat(Array.from(pieces, ([from, to]) => buffer.subarray(from, to)));
}

/** Where the fields of one tag have their content, in the message at [from, end). */
export function* fieldsOf(
  buffer: Buffer,
  from: number,
  end: number,
  wanted: number,
): Generator<readonly [number, number]> {
  const reader = new WireReader(buffer, from);
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === wanted) {
      const stop = reader.lengthEnd(end);
      const start = reader.at;
      reader.at = stop;
      yield [start, stop];
    } else {
      reader.skip(tag, end);
    }
  }
}

/** An int64 as a number where that is exact, else as a bigint. */
export function toInteger(low: number, high: number): number | bigint {
  const number = (high | 0) * 0x1_0000_0000 + low;
  return Number.isSafeInteger(number) ? number : BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low));
}
