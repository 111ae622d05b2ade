/**
 * OTLP/JSON to the same request in protobuf, so that everything behind the receiver knows one form only. By the mapping
 * of the OTLP specification, and a little more, because exporters are written by hand:
 *
 *   ids             hexadecimal, any case                     keys      lowerCamelCase or snake_case
 *   64-bit integers decimal strings or numbers                enums     numbers or names
 *   doubles         numbers, "NaN", "Infinity", "-Infinity"   bytes     base64, either alphabet, padded or not
 *   null            as if the key were absent                 unknown keys are passed over
 *
 * Anything else is refused with the path at which it was found. The keys are those of messages.ts.
 *
 * A document that has keys and none of its signal is refused too, although the specification passes over unknown keys:
 * accepting it would lose all of it without a report. An empty document is a request of nothing.
 */
import { VALUE_DEPTH_MAX } from './common-reader.ts';
import { excerpt, hexDigit, JsonScanner, type MemberReader, TranscodeError } from './json-scanner.ts';
import { type Field, type Message, MESSAGES, type Scalar } from './messages.ts';
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

const ANY_VALUE = MESSAGES.AnyValue;

const ROOTS = {
  traces: 'resourceSpans',
  logs: 'resourceLogs',
  metrics: 'resourceMetrics',
  profiles: 'resourceProfiles',
} as const;
/** Signals by the keys of their documents. */
const OTHER_SIGNALS = Object.entries(ROOTS).flatMap(([signal, key]) => [
  [key, signal] as const,
  [key.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`), signal] as const,
]);

/** Keys of a document: its own, and those that tell which other signal it is. */
const DOCUMENTS = {
  traces: documentOf(MESSAGES.TracesData),
  logs: documentOf(MESSAGES.LogsData),
} as const;

function documentOf({ fields }: Message): ReadonlyMap<string, Field | string> {
  return new Map<string, Field | string>([...OTHER_SIGNALS, ...fields]);
}

class Transcoder implements MemberReader<Field> {
  static readonly #SCALARS: Readonly<Record<Exclude<Scalar, 'string'>, (at: Transcoder, field: number) => void>> = {
    id: (at, field) => at.#id(field),
    bytes: (at, field) => at.#base64(field),
    bool: (at, field) => at.#writer.uint32(field, at.#json.boolean() ? 1 : 0),
    int64: (at, field) => at.#int64(field),
    uint32: (at, field) => at.#writer.uint32(field, at.#readUint32()),
    fixed32: (at, field) => at.#writer.fixed32(field, at.#readUint32()),
    fixed64: (at, field) => at.#fixed64(field),
    double: (at, field) => at.#double(field),
    SpanKind: (at, field) => at.#enum(field, SPAN_KINDS),
    StatusCode: (at, field) => at.#enum(field, STATUS_CODES),
    SeverityNumber: (at, field) => at.#enum(field, SEVERITIES),
  };

  readonly #json: JsonScanner;
  readonly #writer: ProtoWriter;
  /** How many values the value in hand lies in. */
  #valueDepth = 0;

  constructor(json: Buffer) {
    this.#json = new JsonScanner(json);
    this.#writer = new ProtoWriter({ initialBytes: json.length });
  }

  traces(): Uint8Array {
    return this.#document('traces');
  }

  logs(): Uint8Array {
    return this.#document('logs');
  }

  #document(signal: keyof typeof DOCUMENTS): Uint8Array {
    let isOfSignal = false;
    let other: string | undefined;
    const hasKeys = this.#json.object<Field | string>(DOCUMENTS[signal], {
      readMember: (member) => {
        if (typeof member === 'string') {
          // Its name says what it is; its value is none of this signal.
          other = member;
          this.#json.skip();
        } else {
          isOfSignal = true;
          this.readMember(member);
        }
      },
    });
    this.#json.finish();
    if (hasKeys && !isOfSignal)
      this.#json.fail(other === undefined ? `no ${ROOTS[signal]}` : `a request of ${other}, and not of ${signal}`);
    return this.#writer.finish();
  }

  readMember({ number, type, isRepeated }: Field): void {
    if (this.#json.tryNull()) return;
    // Most fields are strings.
    if (type === 'string') this.#json.stringInto(this.#writer, number);
    else if (typeof type !== 'object') Transcoder.#SCALARS[type](this, number);
    else if (type === ANY_VALUE && isRepeated) this.#values(number);
    else if (type === ANY_VALUE) this.#value(number);
    else if (isRepeated) this.#messages(number, type);
    else this.#message(number, type);
  }

  #value(field: number): void {
    this.#valueDepth += 1;
    if (this.#valueDepth > VALUE_DEPTH_MAX) this.#json.fail(`a value nested more than ${VALUE_DEPTH_MAX} deep`);
    this.#message(field, ANY_VALUE);
    this.#valueDepth -= 1;
  }

  #messages(field: number, message: Message): void {
    this.#json.array(() => {
      if (!this.#json.tryNull()) this.#message(field, message);
    });
  }

  #message(field: number, message: Message): void {
    // Within nested values lengths are left wide: closing each of sixty levels would move what the inner ones wrote.
    if (this.#valueDepth > 1) {
      this.#writer.openWideMessage(field);
      this.#json.object(message.fields, this);
      this.#writer.closeWideMessage();
    } else {
      this.#writer.openMessage(field);
      this.#json.object(message.fields, this);
      this.#writer.closeMessage();
    }
  }

  #values(field: number): void {
    this.#json.array(() => {
      // A null among values is a value without content; left out, it would move those behind it.
      if (this.#json.tryNull()) this.#writer.bytes(field, EMPTY);
      else this.#value(field);
    });
  }

  #id(field: number): void {
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
    const text = this.#json.isString() ? this.#json.string() : this.#json.number();
    const value = names.get(text) ?? (NUMBER.test(text) ? Number(text) : Number.NaN);
    if (!Number.isInteger(value) || Math.abs(value) > 0x7fff_ffff) {
      this.#json.fail(
        `expected a number or one of ${[...names.keys()].slice(0, 3).join(', ')}, …, got "${excerpt(text)}"`,
      );
    }
    this.#int(field, value);
  }

  #readUint32(): number {
    const integer = this.#readInteger();
    if (integer < 0 || integer > UINT32_MAX) this.#json.fail(`${integer} is not an unsigned 32-bit integer`);
    return Number(integer);
  }

  #int64(field: number): void {
    const integer = this.#readInteger();
    if (integer < INT64_MIN || integer > INT64_MAX) this.#json.fail(`${integer} is not a 64-bit integer`);
    this.#int(field, integer);
  }

  #int(field: number, value: number | bigint): void {
    if (value >= 0 && value <= UINT32_MAX) this.#writer.uint32(field, Number(value));
    else this.#writer.int64(field, BigInt(value));
  }

  #fixed64(field: number): void {
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
    const text = this.#json.string();
    if (!BASE64.test(text)) this.#json.fail(`expected base64, got "${excerpt(text)}"`);
    this.#writer.bytes(field, Buffer.from(text, 'base64'));
  }
}

const EMPTY = new Uint8Array(0);
