/**
 * Redacts an export request as it came, before anything is stored. Every text in it is looked at: values of attributes
 * however deep, names, status messages, bodies of log records, and the fields that this version does not know. Leaves
 * ids, the keys of attributes, and numbers unless they are those of cards or secrets by their name, unchanged (in values, the names of members are text like any other).
 *
 * The bytes have been checked. Fields are those of otlp/messages.ts.
 */
import { KeyValuePlace, toInteger } from '../otlp/common-reader.ts';
import { type Field, type Message, MESSAGES } from '../otlp/messages.ts';
import { ProtoWriter } from '../otlp/proto-writer.ts';
import { asBuffer } from '../otlp/request-reader.ts';
import { WireReader } from '../otlp/wire.ts';
import { BY_KEY, type RedactionCounts, type RedactionRules, redactionMarker, USER_ID } from '../model/redaction.ts';
import { isDigit } from './bytes.ts';
import { CustomPatterns } from './custom-patterns.ts';
import { Edits } from './edits.ts';
import { isIdOrTime, isNoCardName } from './json-values.ts';
import { BY_PATTERNS, type KeyRule, KeyRules } from './key-rules.ts';
import { describesSecret, SecretNames } from './secret-names.ts';
import { isSecretValue } from './secret-values.ts';
import type { TextElement } from './split-secrets.ts';
import { TextRedactor } from './text-redactor.ts';
import { TextScanner } from './text-scanner.ts';
import { UserIdHash } from './user-id-hash.ts';

interface Redacted {
  readonly bytes: Buffer;
  readonly counts: RedactionCounts;
}

const LENGTH_DELIMITED = 2;
const REQUESTS = { traces: MESSAGES.TracesData, logs: MESSAGES.LogsData } as const;
const KEY_VALUE = MESSAGES.KeyValue;
const ANY_VALUE = MESSAGES.AnyValue;

const NO_BYTES = Buffer.alloc(0);
type Parts = ReadonlyMap<number, Uint8Array>;
const NO_PARTS: Parts = new Map();
/** A user id is short; longer text is no id, whatever its key says. */
const IDENTIFIER_BYTES_MAX = 512;
/** The shortest number of a card has 13 digits. */
const CARD_MIN = 1e12;
const CARD_HIGH_MIN = Math.floor(CARD_MIN / 0x1_0000_0000);

export class RequestRedactor {
  readonly #edits = new Edits();
  readonly #keys: KeyRules;
  readonly #scanner: TextScanner;
  readonly #text: TextRedactor;
  readonly #hash: UserIdHash;
  readonly #place = new KeyValuePlace();
  #counts = new Map<string, number>();
  #reader = new WireReader(NO_BYTES, 0);
  #bytes: Buffer = NO_BYTES;
  /** Parts of split secrets in the list that is walked. */
  #parts: Parts = NO_PARTS;
  /** The key whose value is walked. */
  #keyStart = 0;
  #keyEnd = 0;

  constructor(rules: RedactionRules) {
    const names = new SecretNames({ builtIn: rules.patterns.includes('secret'), globs: rules.keys });
    this.#keys = new KeyRules(rules, names);
    const custom = new CustomPatterns(rules.custom);
    this.#scanner = new TextScanner(rules.patterns, names);
    this.#text = new TextRedactor(this.#scanner, names, custom, (name) => this.#count(name));
    this.#hash = new UserIdHash(rules.salt);
  }

  /** Undefined where there is nothing to redact; nothing was copied then. Throws `RedactionOverdue` if it is not done in time. */
  redact(signal: 'traces' | 'logs', bytes: Uint8Array, msMax = Number.POSITIVE_INFINITY): Redacted | undefined {
    this.#text.dueAt = performance.now() + msMax;
    this.#bytes = asBuffer(bytes);
    this.#reader = new WireReader(this.#bytes, 0);
    this.#edits.begin();
    this.#scanner.begin(this.#bytes);
    this.#counts = new Map();
    let redacted: Buffer | undefined;
    try {
      this.#message(REQUESTS[signal], this.#bytes.length);
      redacted = this.#edits.apply(this.#bytes);
    } finally {
      this.#scanner.end();
      this.#bytes = NO_BYTES;
    }
    return redacted === undefined ? undefined : { bytes: redacted, counts: Object.fromEntries(this.#counts) };
  }

  #message({ byTag }: Message, end: number): void {
    const reader = this.#reader;
    while (reader.at < end) {
      const tagAt = reader.at;
      const tag = reader.tag(end);
      if ((tag & 7) === LENGTH_DELIMITED) this.#field(tag < byTag.length ? byTag[tag] : undefined, tagAt, end);
      else reader.skip(tag, end);
    }
  }

  /** Ids are left unchanged; a message is read by its own table. */
  #field(type: Field['type'] | undefined, tagAt: number, messageEnd: number): void {
    const reader = this.#reader;
    const end = reader.lengthEnd(messageEnd);
    if (type === 'string') this.#textField(reader.at, end);
    else if (type === KEY_VALUE) this.#keyValue(end, 'is-attribute');
    else if (type === ANY_VALUE) this.#value(end, BY_PATTERNS);
    else if (type === undefined) this.#unknownField(tagAt, end);
    else if (typeof type === 'object') this.#message(type, end);
    reader.at = end;
  }

  #textField(start: number, end: number): void {
    const redacted = this.#text.redact(this.#bytes, start, end);
    if (redacted !== undefined) this.#edits.replace(start, end, redacted);
  }

  /** An unknown field cannot be changed inside: it is removed as a whole if something is found in it. */
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
    this.#keyStart = keyStart;
    this.#keyEnd = keyEnd;
    if (place.isPlain) {
      const { valueStart } = place;
      if (kind === 'is-member') this.#textField(keyStart, keyEnd);
      reader.at = valueStart;
      this.#value(end, rule);
      return;
    }
    reader.at = start;
    while (reader.at < end) {
      const tagAt = reader.at;
      const tag = reader.tag(end);
      if (tag === 0x0a && kind === 'is-attribute') reader.skip(tag, end);
      else if (tag === 0x12) this.#value(reader.lengthEnd(end), rule);
      else if ((tag & 7) === LENGTH_DELIMITED) this.#field(tag === 0x0a ? 'string' : undefined, tagAt, end);
      else reader.skip(tag, end);
    }
  }

  #ruleOf(keyStart: number, keyEnd: number, within: KeyRule): KeyRule {
    if (within.rule === 'user-id-within' && within.names.has(this.#bytes.toString('utf8', keyStart, keyEnd))) {
      return { rule: 'user-id' };
    }
    const own = this.#keys.of(this.#bytes, keyStart, keyEnd);
    if (within.rule === 'headers' && own.rule === 'secret') return { ...own, kind: 'secret' };
    const isWithinSecret = within.rule === 'secret' && within.kind === 'secret' && own.rule === 'patterns';
    return isWithinSecret && !describesSecret(this.#bytes.toString('utf8', keyStart, keyEnd)) ? within : own;
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

  /** An AnyValue; the fields are written out in otlp/messages.ts. */
  #value(end: number, rule: KeyRule): void {
    const reader = this.#reader;
    while (reader.at < end) {
      const tagAt = reader.at;
      const tag = reader.tag(end);
      if (tag === 0x0a || tag === 0x3a) this.#string(end, rule);
      else if (tag === 0x18) this.#integer(tagAt, end, rule);
      else if (tag === 0x21) this.#double(tagAt, end, rule);
      else if (tag === 0x2a || tag === 0x32) this.#list(tag, end, rule);
      else if ((tag & 7) === LENGTH_DELIMITED) this.#field(undefined, tagAt, end);
      else reader.skip(tag, end);
    }
  }

  /** Bytes are looked at as text, since one stray byte in a text makes it bytes. */
  #string(messageEnd: number, rule: KeyRule): void {
    const reader = this.#reader;
    const end = reader.lengthEnd(messageEnd);
    const start = reader.at;
    const redacted =
      (this.#parts === NO_PARTS ? undefined : this.#parts.get(start)) ??
      (rule.rule === 'patterns' ? this.#redactedText(start, end) : this.#redactedBy(rule, start, end));
    if (redacted !== undefined) this.#edits.replace(start, end, redacted);
    reader.at = end;
  }

  #redactedText(start: number, end: number): Buffer | undefined {
    const isDigits = isDigit(this.#bytes[start] ?? 0) && isDigit(this.#bytes[end - 1] ?? 0);
    if (!isDigits || !isIdOrTime(this.#key(), this.#bytes.subarray(start, end))) {
      return this.#text.redact(this.#bytes, start, end);
    }
    return this.#text.redactNumber(this.#bytes.subarray(start, end));
  }

  #redactedBy(rule: KeyRule, start: number, end: number): Buffer | undefined {
    if (rule.rule === 'headers') return this.#text.redact(this.#bytes, start, end);
    if (rule.rule === 'secret') {
      const isSecret = isSecretValue(rule.kind, rule.name, this.#bytes, start, end);
      return isSecret ? this.#marked('secret') : this.#text.redact(this.#bytes, start, end);
    }
    if (rule.rule === 'user-id' && end > start) return this.#userId(this.#bytes.subarray(start, end));
    if (rule.rule === 'user-id-within') {
      const text = this.#bytes.subarray(start, end);
      const hashed = this.#hash.ofMembers(text, rule.names);
      if (hashed === undefined) return this.#text.redact(this.#bytes, start, end);
      this.#count(USER_ID);
      return this.#text.redact(hashed, 0, hashed.length) ?? hashed;
    }
    const redacted = this.#text.redact(this.#bytes, start, end);
    if (redacted === undefined || end - start > IDENTIFIER_BYTES_MAX || this.#bytes[start] === 0x7b) return redacted;
    return this.#hash.of(this.#bytes.subarray(start, end));
  }

  #userId(id: Buffer): Buffer | undefined {
    if (this.#hash.isHash(id)) return undefined;
    this.#count(USER_ID);
    return this.#hash.of(id);
  }

  #integer(tagAt: number, end: number, rule: KeyRule): void {
    const reader = this.#reader;
    reader.varint(end);
    const { low, high } = reader;
    // 42 is the same user as "42".
    if (rule.rule === 'user-id') this.#replaceNumber(tagAt, this.#userId(Buffer.from(String(toInteger(low, high)))));
    else if (rule.rule === 'secret' && rule.kind === 'secret') this.#replaceNumber(tagAt, this.#marked('secret'));
    else if (high >>> 0 >= CARD_HIGH_MIN && this.#isCard(String(toInteger(low, high)))) {
      this.#replaceNumber(tagAt, this.#marked('card'));
    }
  }

  #double(tagAt: number, end: number, rule: KeyRule): void {
    const reader = this.#reader;
    reader.skip(0x21, end);
    const number = this.#bytes.readDoubleLE(reader.at - 8);
    if (rule.rule === 'secret' && rule.kind === 'secret') this.#replaceNumber(tagAt, this.#marked('secret'));
    else if (number >= CARD_MIN && Number.isInteger(number) && this.#isCard(number.toFixed(0))) {
      this.#replaceNumber(tagAt, this.#marked('card'));
    }
  }

  #isCard(number: string): boolean {
    return this.#scanner.isCard(number) && !isNoCardName(this.#key());
  }

  #key(): string {
    return this.#bytes.toString('utf8', this.#keyStart, this.#keyEnd);
  }

  #marked(pattern: 'secret' | 'card'): Buffer {
    this.#count(pattern);
    return Buffer.from(redactionMarker(pattern));
  }

  /** By a text; the reader stands behind the number. */
  #replaceNumber(tagAt: number, text: Buffer | undefined): void {
    if (text === undefined) return;
    const writer = new ProtoWriter({ initialBytes: text.length + 2 });
    writer.bytes(1, text);
    this.#edits.replace(tagAt, this.#reader.at, writer.finish());
  }

  /** ArrayValue and KeyValueList both have their elements in field 1. */
  #list(tag: number, messageEnd: number, rule: KeyRule): void {
    const reader = this.#reader;
    const end = reader.lengthEnd(messageEnd);
    const partsAround = this.#parts;
    this.#parts = tag === 0x2a && rule.rule === 'patterns' ? this.#partsIn(end) : NO_PARTS;
    while (reader.at < end) {
      const tagAt = reader.at;
      const element = reader.tag(end);
      if (element === 0x0a) {
        const elementEnd = reader.lengthEnd(end);
        if (tag === 0x2a) this.#value(elementEnd, rule);
        else this.#keyValue(elementEnd, 'is-member', rule);
        reader.at = elementEnd;
      } else if ((element & 7) === LENGTH_DELIMITED) this.#field(undefined, tagAt, end);
      else reader.skip(element, end);
    }
    this.#parts = partsAround;
  }

  /** Replacements for the parts of secrets that are split over elements of a list, by where each part begins. */
  #partsIn(end: number): Parts {
    const reader = this.#reader;
    const start = reader.at;
    // Nearly every list has one element.
    if (start < end && reader.tag(end) === 0x0a && reader.lengthEnd(end) === end) {
      reader.at = start;
      return NO_PARTS;
    }
    reader.at = start;
    let parts: Map<number, Uint8Array> | undefined;
    for (const { start, by, pattern } of this.#text.splitIn(this.#bytes, this.#textsIn(end))) {
      if (pattern !== undefined) this.#count(pattern);
      parts ??= new Map();
      parts.set(start, by);
    }
    reader.at = start;
    return parts ?? NO_PARTS;
  }

  /** The elements of a list that are texts and nothing else. */
  *#textsIn(listEnd: number): Generator<TextElement> {
    const reader = this.#reader;
    let isNext = false;
    while (reader.at < listEnd) {
      const tag = reader.tag(listEnd);
      if (tag !== 0x0a) {
        // A field that a newer OTLP adds: the texts around it do not follow one another.
        reader.skip(tag, listEnd);
        isNext = false;
        continue;
      }
      const elementEnd = reader.lengthEnd(listEnd);
      const isText = reader.at < elementEnd && reader.tag(elementEnd) === 0x0a;
      const end = isText ? reader.lengthEnd(elementEnd) : -1;
      if (end === elementEnd) yield { start: reader.at, end, isNext };
      isNext = end === elementEnd;
      reader.at = elementEnd;
    }
  }

  #count(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }
}
