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

type Member = (key: string) => void;

class Transcoder {
  readonly #json: JsonScanner;
  readonly #writer: ProtoWriter;
  /** How many values the value in hand lies in. */
  #valueDepth = 0;

  constructor(json: Buffer) {
    this.#json = new JsonScanner(json);
    this.#writer = new ProtoWriter({ initialBytes: json.length });
  }

  traces(): Uint8Array {
    return this.#document(this.#tracesMember);
  }

  logs(): Uint8Array {
    return this.#document(this.#logsMember);
  }

  #document(member: Member): Uint8Array {
    this.#json.object(member);
    this.#json.finish();
    return this.#writer.finish();
  }

  readonly #tracesMember: Member = (key) => {
    if (key === 'resourceSpans' || key === 'resource_spans') this.#messages(1, this.#resourceSpansMember);
    else this.#json.skip();
  };

  readonly #logsMember: Member = (key) => {
    if (key === 'resourceLogs' || key === 'resource_logs') this.#messages(1, this.#resourceLogsMember);
    else this.#json.skip();
  };

  readonly #resourceSpansMember: Member = (key) => {
    if (key === 'scopeSpans' || key === 'scope_spans') this.#messages(2, this.#scopeSpansMember);
    else this.#resourceGroupMember(key);
  };

  readonly #resourceLogsMember: Member = (key) => {
    if (key === 'scopeLogs' || key === 'scope_logs') this.#messages(2, this.#scopeLogsMember);
    else this.#resourceGroupMember(key);
  };

  #resourceGroupMember(key: string): void {
    if (key === 'resource') this.#message(1, this.#resourceMember);
    else if (key === 'schemaUrl' || key === 'schema_url') this.#text(3);
    else this.#json.skip();
  }

  readonly #scopeSpansMember: Member = (key) => {
    if (key === 'spans') this.#messages(2, this.#spanMember);
    else this.#scopeGroupMember(key);
  };

  readonly #scopeLogsMember: Member = (key) => {
    if (key === 'logRecords' || key === 'log_records') this.#messages(2, this.#logRecordMember);
    else this.#scopeGroupMember(key);
  };

  #scopeGroupMember(key: string): void {
    if (key === 'scope') this.#message(1, this.#scopeMember);
    else if (key === 'schemaUrl' || key === 'schema_url') this.#text(3);
    else this.#json.skip();
  }

  readonly #spanMember: Member = (key) => {
    switch (key) {
      case 'traceId':
      case 'trace_id':
        return this.#id(1);
      case 'spanId':
      case 'span_id':
        return this.#id(2);
      case 'traceState':
      case 'trace_state':
        return this.#text(3);
      case 'parentSpanId':
      case 'parent_span_id':
        return this.#id(4);
      case 'name':
        return this.#text(5);
      case 'kind':
        return this.#enum(6, SPAN_KINDS);
      case 'startTimeUnixNano':
      case 'start_time_unix_nano':
        return this.#fixed64(7);
      case 'endTimeUnixNano':
      case 'end_time_unix_nano':
        return this.#fixed64(8);
      case 'attributes':
        return this.#messages(9, this.#keyValueMember);
      case 'droppedAttributesCount':
      case 'dropped_attributes_count':
        return this.#uint32(10);
      case 'events':
        return this.#messages(11, this.#eventMember);
      case 'droppedEventsCount':
      case 'dropped_events_count':
        return this.#uint32(12);
      case 'links':
        return this.#messages(13, this.#linkMember);
      case 'droppedLinksCount':
      case 'dropped_links_count':
        return this.#uint32(14);
      case 'status':
        return this.#message(15, this.#statusMember);
      case 'flags':
        return this.#fixed32(16);
      default:
        return this.#json.skip();
    }
  };

  readonly #eventMember: Member = (key) => {
    switch (key) {
      case 'timeUnixNano':
      case 'time_unix_nano':
        return this.#fixed64(1);
      case 'name':
        return this.#text(2);
      case 'attributes':
        return this.#messages(3, this.#keyValueMember);
      case 'droppedAttributesCount':
      case 'dropped_attributes_count':
        return this.#uint32(4);
      default:
        return this.#json.skip();
    }
  };

  readonly #linkMember: Member = (key) => {
    switch (key) {
      case 'traceId':
      case 'trace_id':
        return this.#id(1);
      case 'spanId':
      case 'span_id':
        return this.#id(2);
      case 'traceState':
      case 'trace_state':
        return this.#text(3);
      case 'attributes':
        return this.#messages(4, this.#keyValueMember);
      case 'droppedAttributesCount':
      case 'dropped_attributes_count':
        return this.#uint32(5);
      case 'flags':
        return this.#fixed32(6);
      default:
        return this.#json.skip();
    }
  };

  readonly #statusMember: Member = (key) => {
    if (key === 'message') this.#text(2);
    else if (key === 'code') this.#enum(3, STATUS_CODES);
    else this.#json.skip();
  };

  readonly #logRecordMember: Member = (key) => {
    switch (key) {
      case 'timeUnixNano':
      case 'time_unix_nano':
        return this.#fixed64(1);
      case 'severityNumber':
      case 'severity_number':
        return this.#enum(2, SEVERITIES);
      case 'severityText':
      case 'severity_text':
        return this.#text(3);
      case 'body':
        return this.#value(5);
      case 'attributes':
        return this.#messages(6, this.#keyValueMember);
      case 'droppedAttributesCount':
      case 'dropped_attributes_count':
        return this.#uint32(7);
      case 'flags':
        return this.#fixed32(8);
      case 'traceId':
      case 'trace_id':
        return this.#id(9);
      case 'spanId':
      case 'span_id':
        return this.#id(10);
      case 'observedTimeUnixNano':
      case 'observed_time_unix_nano':
        return this.#fixed64(11);
      case 'eventName':
      case 'event_name':
        return this.#text(12);
      default:
        return this.#json.skip();
    }
  };

  readonly #resourceMember: Member = (key) => {
    if (key === 'attributes') this.#messages(1, this.#keyValueMember);
    else if (key === 'droppedAttributesCount' || key === 'dropped_attributes_count') this.#uint32(2);
    else this.#json.skip();
  };

  readonly #scopeMember: Member = (key) => {
    if (key === 'name') this.#text(1);
    else if (key === 'version') this.#text(2);
    else if (key === 'attributes') this.#messages(3, this.#keyValueMember);
    else if (key === 'droppedAttributesCount' || key === 'dropped_attributes_count') this.#uint32(4);
    else this.#json.skip();
  };

  readonly #keyValueMember: Member = (key) => {
    if (key === 'key') this.#text(1);
    else if (key === 'value') this.#value(2);
    else this.#json.skip();
  };

  readonly #valueMember: Member = (key) => {
    switch (key) {
      case 'stringValue':
      case 'string_value':
        return this.#text(1);
      case 'boolValue':
      case 'bool_value':
        if (!this.#json.tryNull()) this.#writer.uint32(2, this.#json.boolean() ? 1 : 0);
        return;
      case 'intValue':
      case 'int_value':
        return this.#int64(3);
      case 'doubleValue':
      case 'double_value':
        return this.#double(4);
      case 'arrayValue':
      case 'array_value':
        return this.#message(5, this.#arrayMember);
      case 'kvlistValue':
      case 'kvlist_value':
        return this.#message(6, this.#listMember);
      case 'bytesValue':
      case 'bytes_value':
        return this.#base64(7);
      default:
        return this.#json.skip();
    }
  };

  readonly #arrayMember: Member = (key) => {
    if (key !== 'values') this.#json.skip();
    else if (!this.#json.tryNull()) this.#json.array(this.#arrayItem);
  };

  readonly #arrayItem = (): void => {
    // A null among values is a value without content; left out, it would move those behind it.
    if (this.#json.tryNull()) this.#writer.bytes(1, EMPTY);
    else this.#value(1);
  };

  readonly #listMember: Member = (key) => {
    if (key === 'values') this.#messages(1, this.#keyValueMember);
    else this.#json.skip();
  };

  #value(field: number): void {
    if (this.#json.tryNull()) return;
    this.#valueDepth += 1;
    if (this.#valueDepth > VALUE_DEPTH_MAX) this.#json.fail(`a value nested more than ${VALUE_DEPTH_MAX} deep`);
    this.#message(field, this.#valueMember);
    this.#valueDepth -= 1;
  }

  #messages(field: number, member: Member): void {
    if (!this.#json.tryNull()) this.#json.array(() => this.#message(field, member));
  }

  #message(field: number, member: Member): void {
    if (this.#json.tryNull()) return;
    // Within nested values lengths are left wide: closing each of sixty levels would move what the inner ones wrote.
    if (this.#valueDepth > 1) {
      this.#writer.openWideMessage(field);
      this.#json.object(member);
      this.#writer.closeWideMessage();
    } else {
      this.#writer.openMessage(field);
      this.#json.object(member);
      this.#writer.closeMessage();
    }
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
