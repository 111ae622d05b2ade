/**
 * OTLP/JSON to the same request in protobuf, so that everything behind the receiver knows one form only. By the mapping
 * of the OTLP specification, and a little more, because exporters are written by hand:
 *
 *   ids             hexadecimal, any case                     keys      lowerCamelCase or snake_case
 *   64-bit integers decimal strings or numbers                enums     numbers or names
 *   doubles         numbers, "NaN", "Infinity", "-Infinity"   bytes     base64, either alphabet, padded or not
 *   null            as if the key were absent                 unknown keys are passed over
 *
 * Anything else is refused with the path at which it was found. The messages stand here in the order of their grammar in
 * traces-reader.ts, logs-reader.ts and common-reader.ts.
 */
import { VALUE_DEPTH_MAX } from './common-reader.ts';
import { excerpt, hexDigit, JsonScanner, TranscodeError } from './json-scanner.ts';
import { ProtoWriter, splitInteger } from './proto-writer.ts';
import { asBuffer } from './request-reader.ts';

export { TranscodeError };

export function transcodeTraces(json: Uint8Array): Uint8Array {
  return new Transcoder(asBuffer(json)).traces();
}

export function transcodeLogs(json: Uint8Array): Uint8Array {
  return new Transcoder(asBuffer(json)).logs();
}

const SPAN_KINDS = new Map(
  ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'].map((name, number) => [
    `SPAN_KIND_${name}`,
    number,
  ]),
);
const STATUS_CODES = new Map(['UNSET', 'OK', 'ERROR'].map((name, number) => [`STATUS_CODE_${name}`, number]));
const SEVERITIES = new Map([
  ['SEVERITY_NUMBER_UNSPECIFIED', 0],
  ...['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'].flatMap((name, level) =>
    ['', '2', '3', '4'].map((suffix, step): [string, number] => [
      `SEVERITY_NUMBER_${name}${suffix}`,
      level * 4 + step + 1,
    ]),
  ),
]);

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const UINT64_MAX = 2n ** 64n - 1n;
const UINT32_MAX = 2 ** 32 - 1;
const DIGITS = /^-?\d{1,20}$/;
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,4})?$/;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Readers of the keys of a message. */
type Members = ReadonlyMap<string, (transcoder: Transcoder) => void>;

/** Each key by both its spellings. */
function membersOf(reads: Readonly<Record<string, (transcoder: Transcoder) => void>>): Members {
  const snakeCase = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return new Map(
    Object.entries(reads).flatMap(([key, read]) => [key, snakeCase(key)].map((one) => [one, read] as const)),
  );
}

class Transcoder {
  static readonly #TRACES = membersOf({ resourceSpans: (at) => at.#messages(1, Transcoder.#RESOURCE_SPANS) });
  static readonly #LOGS = membersOf({ resourceLogs: (at) => at.#messages(1, Transcoder.#RESOURCE_LOGS) });

  static readonly #RESOURCE_SPANS = membersOf({
    resource: (at) => at.#message(1, Transcoder.#RESOURCE),
    scopeSpans: (at) => at.#messages(2, Transcoder.#SCOPE_SPANS),
    schemaUrl: (at) => at.#text(3),
  });

  static readonly #RESOURCE_LOGS = membersOf({
    resource: (at) => at.#message(1, Transcoder.#RESOURCE),
    scopeLogs: (at) => at.#messages(2, Transcoder.#SCOPE_LOGS),
    schemaUrl: (at) => at.#text(3),
  });

  static readonly #SCOPE_SPANS = membersOf({
    scope: (at) => at.#message(1, Transcoder.#SCOPE),
    spans: (at) => at.#messages(2, Transcoder.#SPAN),
    schemaUrl: (at) => at.#text(3),
  });

  static readonly #SCOPE_LOGS = membersOf({
    scope: (at) => at.#message(1, Transcoder.#SCOPE),
    logRecords: (at) => at.#messages(2, Transcoder.#LOG_RECORD),
    schemaUrl: (at) => at.#text(3),
  });

  static readonly #SPAN = membersOf({
    traceId: (at) => at.#id(1),
    spanId: (at) => at.#id(2),
    traceState: (at) => at.#text(3),
    parentSpanId: (at) => at.#id(4),
    name: (at) => at.#text(5),
    kind: (at) => at.#enum(6, SPAN_KINDS),
    startTimeUnixNano: (at) => at.#fixed64(7),
    endTimeUnixNano: (at) => at.#fixed64(8),
    attributes: (at) => at.#messages(9, Transcoder.#KEY_VALUE),
    droppedAttributesCount: (at) => at.#uint32(10),
    events: (at) => at.#messages(11, Transcoder.#EVENT),
    droppedEventsCount: (at) => at.#uint32(12),
    links: (at) => at.#messages(13, Transcoder.#LINK),
    droppedLinksCount: (at) => at.#uint32(14),
    status: (at) => at.#message(15, Transcoder.#STATUS),
    flags: (at) => at.#fixed32(16),
  });

  static readonly #EVENT = membersOf({
    timeUnixNano: (at) => at.#fixed64(1),
    name: (at) => at.#text(2),
    attributes: (at) => at.#messages(3, Transcoder.#KEY_VALUE),
    droppedAttributesCount: (at) => at.#uint32(4),
  });

  static readonly #LINK = membersOf({
    traceId: (at) => at.#id(1),
    spanId: (at) => at.#id(2),
    traceState: (at) => at.#text(3),
    attributes: (at) => at.#messages(4, Transcoder.#KEY_VALUE),
    droppedAttributesCount: (at) => at.#uint32(5),
    flags: (at) => at.#fixed32(6),
  });

  static readonly #STATUS = membersOf({
    message: (at) => at.#text(2),
    code: (at) => at.#enum(3, STATUS_CODES),
  });

  static readonly #LOG_RECORD = membersOf({
    timeUnixNano: (at) => at.#fixed64(1),
    severityNumber: (at) => at.#enum(2, SEVERITIES),
    severityText: (at) => at.#text(3),
    body: (at) => at.#value(5),
    attributes: (at) => at.#messages(6, Transcoder.#KEY_VALUE),
    droppedAttributesCount: (at) => at.#uint32(7),
    flags: (at) => at.#fixed32(8),
    traceId: (at) => at.#id(9),
    spanId: (at) => at.#id(10),
    observedTimeUnixNano: (at) => at.#fixed64(11),
    eventName: (at) => at.#text(12),
  });

  static readonly #RESOURCE = membersOf({
    attributes: (at) => at.#messages(1, Transcoder.#KEY_VALUE),
    droppedAttributesCount: (at) => at.#uint32(2),
  });

  static readonly #SCOPE = membersOf({
    name: (at) => at.#text(1),
    version: (at) => at.#text(2),
    attributes: (at) => at.#messages(3, Transcoder.#KEY_VALUE),
    droppedAttributesCount: (at) => at.#uint32(4),
  });

  static readonly #KEY_VALUE = membersOf({
    key: (at) => at.#text(1),
    value: (at) => at.#value(2),
  });

  static readonly #VALUE = membersOf({
    stringValue: (at) => at.#text(1),
    boolValue: (at) => at.#bool(2),
    intValue: (at) => at.#int64(3),
    doubleValue: (at) => at.#double(4),
    arrayValue: (at) => at.#message(5, Transcoder.#ARRAY),
    kvlistValue: (at) => at.#message(6, Transcoder.#LIST),
    bytesValue: (at) => at.#base64(7),
  });

  static readonly #ARRAY = membersOf({ values: (at) => at.#values(1) });
  static readonly #LIST = membersOf({ values: (at) => at.#messages(1, Transcoder.#KEY_VALUE) });

  readonly #json: JsonScanner;
  readonly #writer: ProtoWriter;
  /** How many values the value in hand lies in. */
  #valueDepth = 0;

  constructor(json: Buffer) {
    this.#json = new JsonScanner(json);
    this.#writer = new ProtoWriter({ initialBytes: json.length });
  }

  traces(): Uint8Array {
    return this.#document(Transcoder.#TRACES);
  }

  logs(): Uint8Array {
    return this.#document(Transcoder.#LOGS);
  }

  #document(members: Members): Uint8Array {
    this.#json.object(members, this);
    this.#json.finish();
    return this.#writer.finish();
  }

  #value(field: number): void {
    if (this.#json.tryNull()) return;
    this.#valueDepth += 1;
    if (this.#valueDepth > VALUE_DEPTH_MAX) this.#json.fail(`a value nested more than ${VALUE_DEPTH_MAX} deep`);
    this.#message(field, Transcoder.#VALUE);
    this.#valueDepth -= 1;
  }

  #messages(field: number, members: Members): void {
    if (!this.#json.tryNull()) this.#json.array(() => this.#message(field, members));
  }

  #message(field: number, members: Members): void {
    if (this.#json.tryNull()) return;
    // Within nested values lengths are left wide: closing each of sixty levels would move what the inner ones wrote.
    if (this.#valueDepth > 1) {
      this.#writer.openWideMessage(field);
      this.#json.object(members, this);
      this.#writer.closeWideMessage();
    } else {
      this.#writer.openMessage(field);
      this.#json.object(members, this);
      this.#writer.closeMessage();
    }
  }

  #values(field: number): void {
    if (this.#json.tryNull()) return;
    this.#json.array(() => {
      // A null among values is a value without content; left out, it would move those behind it.
      if (this.#json.tryNull()) this.#writer.bytes(field, EMPTY);
      else this.#value(field);
    });
  }

  #bool(field: number): void {
    if (!this.#json.tryNull()) this.#writer.uint32(field, this.#json.boolean() ? 1 : 0);
  }

  #text(field: number): void {
    if (!this.#json.tryNull()) this.#json.stringInto(this.#writer, field);
  }

  #id(field: number): void {
    if (this.#json.tryNull()) return;
    const text = this.#json.string();
    if (text === '') return;
    const bytes = Buffer.allocUnsafe(text.length >>> 1);
    for (let index = 0; index < bytes.length; index++) {
      const high = hexDigit(text.charCodeAt(index * 2));
      const low = hexDigit(text.charCodeAt(index * 2 + 1));
      if (high < 0 || low < 0) this.#json.fail(`expected hexadecimal digits, got "${excerpt(text)}"`);
      bytes[index] = high * 16 + low;
    }
    if (text.length % 2 !== 0) this.#json.fail(`expected pairs of hexadecimal digits, got "${excerpt(text)}"`);
    this.#writer.bytes(field, bytes);
  }

  #enum(field: number, names: ReadonlyMap<string, number>): void {
    if (this.#json.tryNull()) return;
    const text = this.#json.isString() ? this.#json.string() : this.#json.number();
    const value = names.get(text) ?? (NUMBER.test(text) ? Number(text) : Number.NaN);
    if (!Number.isInteger(value) || Math.abs(value) > 0x7fff_ffff) {
      this.#json.fail(
        `expected a number or one of ${[...names.keys()].slice(0, 3).join(', ')}, …, got "${excerpt(text)}"`,
      );
    }
    this.#int(field, value);
  }

  #uint32(field: number): void {
    if (!this.#json.tryNull()) this.#writer.uint32(field, this.#readUint32());
  }

  #fixed32(field: number): void {
    if (!this.#json.tryNull()) this.#writer.fixed32(field, this.#readUint32());
  }

  #readUint32(): number {
    const integer = this.#readInteger();
    if (integer < 0 || integer > UINT32_MAX) this.#json.fail(`${integer} is not an unsigned 32-bit integer`);
    return Number(integer);
  }

  #int64(field: number): void {
    if (this.#json.tryNull()) return;
    const integer = this.#readInteger();
    if (integer < INT64_MIN || integer > INT64_MAX) this.#json.fail(`${integer} is not a 64-bit integer`);
    this.#int(field, integer);
  }

  #int(field: number, value: number | bigint): void {
    if (value >= 0 && value <= UINT32_MAX) this.#writer.uint32(field, Number(value));
    else this.#writer.int64(field, BigInt(value));
  }

  #fixed64(field: number): void {
    if (this.#json.tryNull()) return;
    const integer = this.#readInteger();
    if (integer < 0 || integer > UINT64_MAX) this.#json.fail(`${integer} is not an unsigned 64-bit integer`);
    const { low, high } = splitInteger(BigInt(integer));
    this.#writer.fixed64(field, low, high);
  }

  /** Written as a number or as a string; exact where it is written in digits only. */
  #readInteger(): number | bigint {
    const text = this.#json.isString() ? this.#json.string() : this.#json.number();
    if (DIGITS.test(text)) return text.length < 16 ? Number(text) : BigInt(text);
    const value = NUMBER.test(text) ? Number(text) : Number.NaN;
    if (!Number.isInteger(value) || Math.abs(value) >= 2 ** 64) {
      this.#json.fail(`expected an integer, got ${excerpt(text) || 'an empty string'}`);
    }
    return BigInt(value);
  }

  #double(field: number): void {
    if (this.#json.tryNull()) return;
    if (!this.#json.isString()) {
      this.#writer.double(field, Number(this.#json.number()));
      return;
    }
    const text = this.#json.string();
    if (!NUMBER.test(text) && text !== 'NaN' && text !== 'Infinity' && text !== '-Infinity') {
      this.#json.fail(`expected a number, "NaN", "Infinity" or "-Infinity", got "${excerpt(text)}"`);
    }
    this.#writer.double(field, Number(text));
  }

  #base64(field: number): void {
    if (this.#json.tryNull()) return;
    const text = this.#json.string();
    if (!BASE64.test(text)) this.#json.fail(`expected base64, got "${excerpt(text)}"`);
    this.#writer.bytes(field, Buffer.from(text, 'base64'));
  }
}

const EMPTY = new Uint8Array(0);
