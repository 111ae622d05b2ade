/**
 * Redacts an export request as it came, before anything is stored. Every text in it is looked at: values of attributes
 * however deep, names, status messages, bodies of log records, and the fields that this version does not know. What is
 * left alone: ids, numbers, and the keys of attributes (in values, the names of members are text like any other).
 *
 * The bytes have been checked; see model/otlp/traces-reader.ts for the messages, which stand here as tables.
 */
import { isUtf8 } from 'node:buffer';
import { KeyValuePlace, toInteger } from '../../model/otlp/common-reader.ts';
import { ProtoWriter } from '../../model/otlp/proto-writer.ts';
import { asBuffer } from '../../model/otlp/request-reader.ts';
import { WireReader } from '../../model/otlp/wire.ts';
import { BY_KEY, type RedactionCounts, type RedactionRules, redactionMarker, USER_ID } from '../../model/redaction.ts';
import { CustomPatterns } from './custom-patterns.ts';
import { Edits } from './edits.ts';
import { BY_PATTERNS, type KeyRule, KeyRules } from './key-rules.ts';
import { TextRedactor } from './text-redactor.ts';
import { TextScanner } from './text-scanner.ts';
import { UserIdHash } from './user-id-hash.ts';

export interface Redacted {
  readonly bytes: Buffer;
  readonly counts: RedactionCounts;
}

/** What lies in a field of type length: ids are left alone, a message is walked by its own table. */
type Content = 'id' | 'text' | 'attribute' | 'value' | Message;
type Message = ReadonlyMap<number, Content>;

const SCOPE: Message = new Map<number, Content>([
  [0x0a, 'text'], // name
  [0x12, 'text'], // version
  [0x1a, 'attribute'],
]);
const EVENT: Message = new Map<number, Content>([
  [0x12, 'text'], // name
  [0x1a, 'attribute'],
]);
const LINK: Message = new Map<number, Content>([
  [0x0a, 'id'], // trace_id
  [0x12, 'id'], // span_id
  [0x1a, 'text'], // trace_state
  [0x22, 'attribute'],
]);
const STATUS: Message = new Map<number, Content>([[0x12, 'text']]); // message
const SPAN: Message = new Map<number, Content>([
  [0x0a, 'id'], // trace_id
  [0x12, 'id'], // span_id
  [0x1a, 'text'], // trace_state
  [0x22, 'id'], // parent_span_id
  [0x2a, 'text'], // name
  [0x4a, 'attribute'],
  [0x5a, EVENT],
  [0x6a, LINK],
  [0x7a, STATUS],
]);
const LOG_RECORD: Message = new Map<number, Content>([
  [0x1a, 'text'], // severity_text
  [0x2a, 'value'], // body
  [0x32, 'attribute'],
  [0x4a, 'id'], // trace_id
  [0x52, 'id'], // span_id
  [0x62, 'text'], // event_name
]);
const REQUESTS = { traces: requestOf(SPAN), logs: requestOf(LOG_RECORD) } as const;

function requestOf(record: Message): Message {
  const scopeGroup = new Map<number, Content>([
    [0x0a, SCOPE],
    [0x12, record],
    [0x1a, 'text'], // schema_url
  ]);
  const resource = new Map<number, Content>([[0x0a, 'attribute']]);
  const resourceGroup = new Map<number, Content>([
    [0x0a, resource],
    [0x12, scopeGroup],
    [0x1a, 'text'], // schema_url
  ]);
  return new Map<number, Content>([[0x0a, resourceGroup]]);
}

const LENGTH_DELIMITED = 2;
/** A user id is short; longer text is no id, whatever its key says. */
const IDENTIFIER_BYTES_MAX = 512;

export class RequestRedactor {
  readonly #edits = new Edits();
  readonly #keys: KeyRules;
  readonly #text: TextRedactor;
  readonly #hash: UserIdHash;
  readonly #place = new KeyValuePlace();
  #counts = new Map<string, number>();
  #reader = new WireReader(Buffer.alloc(0), 0);
  #bytes: Buffer = Buffer.alloc(0);

  constructor(rules: RedactionRules) {
    this.#keys = new KeyRules(rules);
    const custom = new CustomPatterns(rules.custom);
    this.#text = new TextRedactor(new TextScanner(rules.patterns), custom, (name) => this.#count(name));
    this.#hash = new UserIdHash(rules.salt);
  }

  /** Undefined where there is nothing to redact; nothing was copied then. */
  redact(signal: 'traces' | 'logs', bytes: Uint8Array): Redacted | undefined {
    this.#bytes = asBuffer(bytes);
    this.#reader = new WireReader(this.#bytes, 0);
    this.#edits.begin();
    this.#counts = new Map();
    this.#message(REQUESTS[signal], this.#bytes.length);
    const redacted = this.#edits.apply(this.#bytes);
    this.#bytes = Buffer.alloc(0);
    return redacted === undefined ? undefined : { bytes: redacted, counts: Object.fromEntries(this.#counts) };
  }

  #message(message: Message, end: number): void {
    const reader = this.#reader;
    while (reader.at < end) {
      const tagAt = reader.at;
      const tag = reader.tag(end);
      if ((tag & 7) === LENGTH_DELIMITED) this.#field(message.get(tag), tagAt, end);
      else reader.skip(tag, end);
    }
  }

  #field(content: Content | undefined, tagAt: number, messageEnd: number): void {
    const reader = this.#reader;
    const lengthAt = reader.at;
    const end = reader.lengthEnd(messageEnd);
    const start = reader.at;
    if (content === 'text') this.#textField(lengthAt, end);
    else if (content === undefined) this.#unknownField(tagAt, end);
    else if (content !== 'id') {
      this.#edits.enter(lengthAt, start, end);
      if (content === 'attribute') this.#keyValue(end, 'is-attribute');
      else if (content === 'value') this.#value(end, BY_PATTERNS);
      else this.#message(content, end);
      this.#edits.leave();
    }
    reader.at = end;
  }

  /** The reader stands behind the length. */
  #textField(lengthAt: number, end: number): void {
    const start = this.#reader.at;
    const redacted = this.#text.redact(this.#bytes, start, end);
    if (redacted === undefined) return;
    this.#edits.enter(lengthAt, start, end);
    this.#edits.replace(start, end, redacted);
    this.#edits.leave();
  }

  /** What is not known cannot be put right inside: it goes as a whole where something is found in it. */
  #unknownField(tagAt: number, end: number): void {
    if (this.#text.redact(this.#bytes, this.#reader.at, end) !== undefined) {
      this.#edits.replace(tagAt, end, new Uint8Array(0));
    }
  }

  #keyValue(end: number, kind: 'is-attribute' | 'is-member', within: KeyRule = BY_PATTERNS): void {
    const reader = this.#reader;
    const start = reader.at;
    const place = this.#place.find(reader, end);
    const { keyStart, keyEnd } = place;
    const rule = this.#ruleOf(keyStart, keyEnd, within);
    if (rule.rule === 'whole') {
      this.#replaceValue(start, end, redactionMarker(BY_KEY));
      return;
    }
    reader.at = start;
    while (reader.at < end) {
      const tagAt = reader.at;
      const tag = reader.tag(end);
      if (tag === 0x0a && kind === 'is-attribute') reader.skip(tag, end);
      else if (tag === 0x12) {
        const lengthAt = reader.at;
        const valueEnd = reader.lengthEnd(end);
        this.#edits.enter(lengthAt, reader.at, valueEnd);
        this.#value(valueEnd, rule);
        this.#edits.leave();
        reader.at = valueEnd;
      } else if ((tag & 7) === LENGTH_DELIMITED) this.#field(tag === 0x0a ? 'text' : undefined, tagAt, end);
      else reader.skip(tag, end);
    }
  }

  #ruleOf(keyStart: number, keyEnd: number, within: KeyRule): KeyRule {
    if (within.rule === 'user-id-within' && within.names.has(this.#bytes.toString('utf8', keyStart, keyEnd))) {
      return { rule: 'user-id' };
    }
    return this.#keys.of(this.#bytes, keyStart, keyEnd);
  }

  /** A KeyValue with the same key and a text in place of its value, however many pieces that was in. */
  #replaceValue(start: number, end: number, text: string): void {
    const { keyStart, keyEnd } = this.#place;
    const writer = new ProtoWriter({ initialBytes: keyEnd - keyStart + text.length + 16 });
    writer.bytes(1, this.#bytes.subarray(keyStart, keyEnd));
    writer.openMessage(2);
    writer.text(1, text);
    writer.closeMessage();
    const by = writer.finish();
    if (by.equals(this.#bytes.subarray(start, end))) return;
    this.#count(BY_KEY);
    this.#edits.replace(start, end, by);
  }

  /** An AnyValue; the fields are written out in model/otlp/common-reader.ts. */
  #value(end: number, rule: KeyRule): void {
    const reader = this.#reader;
    while (reader.at < end) {
      const tagAt = reader.at;
      const tag = reader.tag(end);
      if (tag === 0x0a) this.#string(end, rule);
      else if (tag === 0x18 && rule.rule === 'user-id') this.#integerId(tagAt, end);
      else if (tag === 0x2a || tag === 0x32) this.#list(tag, end, rule);
      else if (tag === 0x3a) this.#bytesValue(end);
      else if ((tag & 7) === LENGTH_DELIMITED) this.#field(undefined, tagAt, end);
      else reader.skip(tag, end);
    }
  }

  #string(messageEnd: number, rule: KeyRule): void {
    const reader = this.#reader;
    const lengthAt = reader.at;
    const end = reader.lengthEnd(messageEnd);
    const start = reader.at;
    const redacted =
      rule.rule === 'patterns' ? this.#text.redact(this.#bytes, start, end) : this.#redactedBy(rule, start, end);
    if (redacted !== undefined) {
      this.#edits.enter(lengthAt, start, end);
      this.#edits.replace(start, end, redacted);
      this.#edits.leave();
    }
    reader.at = end;
  }

  #redactedBy(rule: KeyRule, start: number, end: number): Buffer | undefined {
    const text = this.#bytes.subarray(start, end);
    if (rule.rule === 'user-id' && text.length > 0) return this.#userId(text);
    if (rule.rule === 'user-id-within') {
      const hashed = this.#hash.ofMembers(text, rule.names);
      if (hashed === undefined) return this.#text.redact(this.#bytes, start, end);
      this.#count(USER_ID);
      return this.#text.redact(hashed, 0, hashed.length) ?? hashed;
    }
    const redacted = this.#text.redact(this.#bytes, start, end);
    if (redacted === undefined || text.length > IDENTIFIER_BYTES_MAX || text[0] === 0x7b) return redacted;
    return this.#hash.of(text);
  }

  #userId(id: Buffer): Buffer | undefined {
    if (this.#hash.isHash(id)) return undefined;
    this.#count(USER_ID);
    return this.#hash.of(id);
  }

  /** 42 is the same user as "42". */
  #integerId(tagAt: number, end: number): void {
    const reader = this.#reader;
    reader.varint(end);
    const hashed = this.#userId(Buffer.from(String(toInteger(reader.low, reader.high))));
    if (hashed === undefined) return;
    const writer = new ProtoWriter({ initialBytes: hashed.length + 2 });
    writer.bytes(1, hashed);
    this.#edits.replace(tagAt, reader.at, writer.finish());
  }

  /** ArrayValue and KeyValueList both have their elements in field 1. */
  #list(tag: number, messageEnd: number, rule: KeyRule): void {
    const reader = this.#reader;
    const lengthAt = reader.at;
    const end = reader.lengthEnd(messageEnd);
    this.#edits.enter(lengthAt, reader.at, end);
    while (reader.at < end) {
      const tagAt = reader.at;
      const element = reader.tag(end);
      if (element === 0x0a) {
        const elementLengthAt = reader.at;
        const elementEnd = reader.lengthEnd(end);
        this.#edits.enter(elementLengthAt, reader.at, elementEnd);
        if (tag === 0x2a) this.#value(elementEnd, rule);
        else this.#keyValue(elementEnd, 'is-member', rule);
        this.#edits.leave();
        reader.at = elementEnd;
      } else if ((element & 7) === LENGTH_DELIMITED) this.#field(undefined, tagAt, end);
      else reader.skip(element, end);
    }
    this.#edits.leave();
  }

  /** Bytes are looked at where they are text. */
  #bytesValue(messageEnd: number): void {
    const reader = this.#reader;
    const lengthAt = reader.at;
    const end = reader.lengthEnd(messageEnd);
    if (isUtf8(this.#bytes.subarray(reader.at, end))) this.#textField(lengthAt, end);
    reader.at = end;
  }

  #count(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }
}
