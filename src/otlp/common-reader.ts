/**
 * The messages that traces and logs share: attribute values, attributes, resources, scopes. For each there is one
 * function that checks it from end to end without keeping anything; values are decoded later, if anybody asks.
 */
import { WireError, WireReader } from './wire.ts';
import type { AttributeValue } from '../model/attribute-value.ts';

/** How deep values may lie in values. An emitter that nests deeper is broken or means harm. */
export const VALUE_DEPTH_MAX = 64;
/** How many values one attribute may decode to; elements beyond are left out. Two bytes make a value, an object costs 50. */
const DECODED_VALUES_MAX = 1 << 20;

/**
 *   Resource {  1 attributes KeyValue*   2 dropped_attributes_count uint32  }
 */
export function checkResource(reader: WireReader, end: number): void {
  while (reader.at < end) {
    const tag = reader.tag(end);
    switch (tag) {
      case 0x0a: // 1 attributes
        checkKeyValue(reader, reader.lengthEnd(end), 1);
        break;
      case 0x10: // 2 dropped_attributes_count
        reader.varint(end);
        break;
      default:
        reader.skip(tag, end);
    }
  }
}

/**
 *   InstrumentationScope {  1 name string   2 version string   3 attributes KeyValue*   4 dropped_attributes_count uint32  }
 */
export function checkScope(reader: WireReader, end: number): void {
  while (reader.at < end) {
    const tag = reader.tag(end);
    switch (tag) {
      case 0x0a: // 1 name
      case 0x12: // 2 version
        reader.at = reader.lengthEnd(end);
        break;
      case 0x1a: // 3 attributes
        checkKeyValue(reader, reader.lengthEnd(end), 1);
        break;
      case 0x20: // 4 dropped_attributes_count
        reader.varint(end);
        break;
      default:
        reader.skip(tag, end);
    }
  }
}

/**
 *   KeyValue {  1 key string   2 value AnyValue  }
 */
export function checkKeyValue(reader: WireReader, end: number, depth: number): void {
  while (reader.at < end) {
    const tag = reader.tag(end);
    switch (tag) {
      case 0x0a: // 1 key
        reader.at = reader.lengthEnd(end);
        break;
      case 0x12: // 2 value
        checkAnyValue(reader, reader.lengthEnd(end), depth);
        break;
      default:
        reader.skip(tag, end);
    }
  }
}

/**
 *   AnyValue {  oneof  1 string_value string   2 bool_value bool   3 int_value int64   4 double_value double
 *                      5 array_value ArrayValue   6 kvlist_value KeyValueList   7 bytes_value bytes  }
 */
export function checkAnyValue(reader: WireReader, end: number, depth: number): void {
  if (depth > VALUE_DEPTH_MAX) {
    throw new WireError('too-deep', reader.at, `a value nested more than ${VALUE_DEPTH_MAX} deep`);
  }
  while (reader.at < end) {
    const tag = reader.tag(end);
    switch (tag) {
      case 0x0a: // 1 string_value
        reader.at = reader.lengthEnd(end);
        break;
      case 0x10: // 2 bool_value
      case 0x18: // 3 int_value
        reader.varint(end);
        break;
      case 0x21: // 4 double_value
        reader.fixed64At(end);
        break;
      case 0x2a: // 5 array_value
        checkArrayValue(reader, reader.lengthEnd(end), depth + 1);
        break;
      case 0x32: // 6 kvlist_value
        checkKeyValueList(reader, reader.lengthEnd(end), depth + 1);
        break;
      case 0x3a: // 7 bytes_value
        reader.at = reader.lengthEnd(end);
        break;
      default:
        reader.skip(tag, end);
    }
  }
}

/**
 *   ArrayValue {  1 values AnyValue*  }
 */
function checkArrayValue(reader: WireReader, end: number, depth: number): void {
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x0a) checkAnyValue(reader, reader.lengthEnd(end), depth);
    else reader.skip(tag, end);
  }
}

/**
 *   KeyValueList {  1 values KeyValue*  }
 */
function checkKeyValueList(reader: WireReader, end: number, depth: number): void {
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x0a) checkKeyValue(reader, reader.lengthEnd(end), depth);
    else reader.skip(tag, end);
  }
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
  const reader = new WireReader(buffer, field.start);
  const pieces: Buffer[] = [];
  while (reader.at < field.end) {
    const tag = reader.tag(field.end);
    if (tag === field.tag) {
      const stop = reader.lengthEnd(field.end);
      pieces.push(buffer.subarray(reader.at, stop));
      reader.at = stop;
    } else {
      reader.skip(tag, field.end);
    }
  }
  return Buffer.concat(pieces);
}

/** An int64 as a number where that is exact, else as a bigint. */
export function toInteger(low: number, high: number): number | bigint {
  const number = (high | 0) * 0x1_0000_0000 + low;
  return Number.isSafeInteger(number) ? number : BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low));
}
