/**
 * Reads JSON text byte by byte and hands each value to whoever knows what it should be, without making objects: a
 * request of sixty megabytes of empty objects costs its own size and no more. Strings go unescaped straight into the
 * protobuf that is being written.
 *
 * Strict where JSON is (RFC 8259), except that a byte order mark is passed over, invalid UTF-8 is left as it is, and
 * half a surrogate pair becomes U+FFFD, as in JavaScript's own decoding.
 */
import type { ProtoWriter } from './proto-writer.ts';

/** How deep objects and arrays may lie in each other where nobody reads them. */
const SKIPPED_DEPTH_MAX = 64;
const NO_MEMBERS: ReadonlyMap<string, undefined> = new Map();

export interface MemberReader<M> {
  /** Must consume the value that comes next. */
  readMember(member: M): void;
}

export class TranscodeError extends Error {
  override readonly name = 'TranscodeError';
  /** Such as `resourceSpans[0].scopeSpans[0].spans[3].traceId`; empty for the whole document. */
  readonly path: string;

  constructor(path: string, offset: number, what: string) {
    super(`OTLP/JSON at ${path === '' ? 'the document' : path} (byte ${offset}): ${what}`);
    this.path = path;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const NUMBER_BYTES_MAX = 400;
const KEY_CACHE = 256;

export class JsonScanner {
  readonly #bytes: Buffer;
  #at = 0;
  readonly #path: (string | number)[] = [];
  readonly #keys = new Array<{ readonly bytes: Buffer; readonly text: string } | undefined>(KEY_CACHE);

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.#at = 3;
  }

  fail(what: string): never {
    let path = '';
    for (const step of this.#path) {
      if (typeof step === 'number') path += `[${step}]`;
      else path += path === '' ? excerpt(step) : `.${excerpt(step)}`;
    }
    throw new TranscodeError(path, this.#at, what);
  }

  /** Reads the object that comes next; keys of no member are passed over. Returns whether it has any key. */
  object<M>(members: ReadonlyMap<string, M>, reader: MemberReader<M> | undefined, skippedDepth = 1): boolean {
    if (this.#next() !== OPENING_BRACE) this.fail(`expected an object, got ${this.#found()}`);
    this.#at += 1;
    if (this.#next() === CLOSING_BRACE) {
      this.#at += 1;
      return false;
    }
    const level = this.#path.push('') - 1;
    for (;;) {
      if (this.#next() !== QUOTE) this.fail(`expected a key in double quotes, got ${this.#found()}`);
      const key = this.#key();
      this.#path[level] = key;
      if (this.#next() !== COLON) this.fail(`expected a colon after the key, got ${this.#found()}`);
      this.#at += 1;
      const member = members.get(key);
      if (member === undefined) this.skip(skippedDepth);
      else reader?.readMember(member);
      const byte = this.#next();
      if (byte !== COMMA && byte !== CLOSING_BRACE) this.fail(`expected a comma or }, got ${this.#found()}`);
      this.#at += 1;
      if (byte === CLOSING_BRACE) break;
    }
    this.#path.pop();
    return true;
  }

  /** Calls `item` for each item of the array that comes next; it must consume the item. */
  array(item: () => void): void {
    if (this.#next() !== OPENING_BRACKET) this.fail(`expected an array, got ${this.#found()}`);
    this.#at += 1;
    if (this.#next() === CLOSING_BRACKET) {
      this.#at += 1;
      return;
    }
    const level = this.#path.push(0) - 1;
    for (let index = 0; ; index++) {
      this.#path[level] = index;
      item();
      const byte = this.#next();
      if (byte !== COMMA && byte !== CLOSING_BRACKET) this.fail(`expected a comma or ], got ${this.#found()}`);
      this.#at += 1;
      if (byte === CLOSING_BRACKET) break;
    }
    this.#path.pop();
  }

  /** Consumes a null, if that is what comes next. */
  tryNull(): boolean {
    if (this.#next() !== 0x6e) return false;
    this.#literal('null');
    return true;
  }

  boolean(): boolean {
    const first = this.#next();
    if (first === 0x74) {
      this.#literal('true');
      return true;
    }
    if (first !== 0x66) this.fail(`expected true or false, got ${this.#found()}`);
    this.#literal('false');
    return false;
  }

  isString(): boolean {
    return this.#next() === QUOTE;
  }

  isNumber(): boolean {
    const byte = this.#next();
    return byte === 0x2d || (byte >= 0x30 && byte <= 0x39);
  }

  /** The number as it is written. */
  number(): string {
    if (!this.isNumber()) this.fail(`expected a number, got ${this.#found()}`);
    const start = this.#at;
    let end = start;
    while (isNumberByte(this.#bytes[end] ?? 0)) end += 1;
    if (end - start > NUMBER_BYTES_MAX) this.fail(`a number of ${end - start} digits`);
    const text = this.#bytes.toString('latin1', start, end);
    if (!NUMBER.test(text)) this.fail(`${excerpt(text)} is not a number`);
    this.#at = end;
    return text;
  }

  string(): string {
    if (!this.isString()) this.fail(`expected a string, got ${this.#found()}`);
    const start = this.#at + 1;
    const { end, escaped } = this.#stringEnd();
    if (!escaped) {
      this.#at = end + 1;
      return this.#bytes.toString('utf8', start, end);
    }
    const text = Buffer.allocUnsafe(end - start);
    const length = this.#unescape(start, end, text, 0);
    this.#at = end + 1;
    return text.toString('utf8', 0, length);
  }

  /** Writes the string that comes next as a field of type string. */
  stringInto(writer: ProtoWriter, field: number): void {
    if (!this.isString()) this.fail(`expected a string, got ${this.#found()}`);
    const start = this.#at + 1;
    const { end, escaped } = this.#stringEnd();
    if (escaped) {
      writer.openMessage(field);
      const room = writer.room(end - start);
      writer.advance(this.#unescape(start, end, room, writer.length));
      writer.closeMessage();
    } else {
      writer.bytes(field, this.#bytes.subarray(start, end));
    }
    this.#at = end + 1;
  }

  /** Passes over any value. */
  skip(depth = 1): void {
    if (depth > SKIPPED_DEPTH_MAX) this.fail(`nested more than ${SKIPPED_DEPTH_MAX} deep`);
    const byte = this.#next();
    if (byte === OPENING_BRACE) this.object(NO_MEMBERS, undefined, depth + 1);
    else if (byte === OPENING_BRACKET) this.array(() => this.skip(depth + 1));
    else if (byte === QUOTE) this.#skipString();
    else if (byte === 0x74 || byte === 0x66) this.boolean();
    else if (!this.tryNull()) this.number();
  }

  /** Nothing but white space may be left. */
  finish(): void {
    if (this.#next() !== -1) this.fail(`expected the end of the document, got ${this.#found()}`);
  }

  /** The next byte that is no white space, -1 at the end; it is not consumed. */
  #next(): number {
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) return -1;
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte;
      this.#at += 1;
    }
  }

  #found(): string {
    const byte = this.#next();
    if (byte === -1) return 'the end of the document';
    if (byte === OPENING_BRACE) return 'an object';
    if (byte === OPENING_BRACKET) return 'an array';
    if (byte === QUOTE) return 'a string';
    return JSON.stringify(this.#bytes.toString('utf8', this.#at, this.#at + 12));
  }

  #literal(text: 'null' | 'true' | 'false'): void {
    for (let index = 0; index < text.length; index++) {
      if (this.#bytes[this.#at + index] !== text.charCodeAt(index)) this.fail(`expected ${text}, got ${this.#found()}`);
    }
    this.#at += text.length;
  }

  #skipString(): void {
    const start = this.#at + 1;
    const { end, escaped } = this.#stringEnd();
    // Escapes are checked by undoing them; the text goes nowhere.
    if (escaped) this.#unescape(start, end, Buffer.allocUnsafe(end - start), 0);
    this.#at = end + 1;
  }

  /** The same hundred keys recur, so each is decoded once a document. */
  #key(): string {
    const start = this.#at + 1;
    const { end, escaped } = this.#stringEnd();
    if (escaped || end - start > 64) return this.string();
    this.#at = end + 1;
    const length = end - start;
    const slot = (length * 31 + (this.#bytes[start] ?? 0) * 7 + (this.#bytes[end - 1] ?? 0)) % KEY_CACHE;
    const known = this.#keys[slot];
    if (known !== undefined && known.bytes.length === length && isSame(known.bytes, this.#bytes, start)) {
      return known.text;
    }
    const text = this.#bytes.toString('utf8', start, end);
    this.#keys[slot] = { bytes: this.#bytes.subarray(start, end), text };
    return text;
  }

  /** Where the string that begins here has its closing quote. */
  #stringEnd(): { readonly end: number; readonly escaped: boolean } {
    const bytes = this.#bytes;
    let escaped = false;
    let at = this.#at + 1;
    for (; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) return { end: at, escaped };
      if (byte === BACKSLASH) {
        escaped = true;
        at += 1;
      } else if (byte < 0x20) {
        this.#at = at;
        this.fail(`a string with the control character ${byte}, which must be escaped`);
      }
    }
    this.fail('a string without an end');
  }

  /** Undoes the escapes of [start, end) into `to` from `from` on, and gives how many bytes that made: never more. */
  #unescape(start: number, end: number, to: Buffer, from: number): number {
    const bytes = this.#bytes;
    let out = from;
    for (let at = start; at < end; at++) {
      const byte = bytes[at] ?? 0;
      if (byte !== BACKSLASH) {
        to[out++] = byte;
        continue;
      }
      at += 1;
      const letter = bytes[at] ?? 0;
      if (letter !== 0x75) {
        to[out++] = SIMPLE_ESCAPES.get(letter) ?? this.#badEscape(at);
        continue;
      }
      let code = this.#hex4(at + 1, end);
      at += 4;
      if (code >= 0xd800 && code < 0xdc00 && bytes[at + 1] === BACKSLASH && bytes[at + 2] === 0x75) {
        const second = this.#hex4(at + 3, end);
        if (second >= 0xdc00 && second < 0xe000) {
          code = 0x1_0000 + ((code - 0xd800) << 10) + (second - 0xdc00);
          at += 6;
        }
      }
      out = putCharacter(to, out, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
    }
    return out - from;
  }

  #hex4(at: number, end: number): number {
    let code = 0;
    for (let index = at; index < at + 4; index++) {
      const digit = index < end ? hexDigit(this.#bytes[index] ?? 0) : -1;
      if (digit < 0) this.#badEscape(at - 1);
      code = code * 16 + digit;
    }
    return code;
  }

  #badEscape(at: number): never {
    this.#at = at;
    const length = this.#bytes[at] === 0x75 ? 5 : 1;
    this.fail(`\\${this.#bytes.toString('utf8', at, at + length)} is not an escape`);
  }
}

const SIMPLE_ESCAPES: ReadonlyMap<number, number> = new Map([
  [QUOTE, QUOTE],
  [BACKSLASH, BACKSLASH],
  [0x2f, 0x2f],
  [0x62, 0x08],
  [0x66, 0x0c],
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
]);

/** The value of a hexadecimal digit of either case, -1 for any other byte. */
export function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function putCharacter(to: Buffer, from: number, code: number): number {
  let at = from;
  if (code < 0x80) {
    to[at++] = code;
  } else if (code < 0x800) {
    to[at++] = 0xc0 | (code >>> 6);
    to[at++] = 0x80 | (code & 0x3f);
  } else if (code < 0x1_0000) {
    to[at++] = 0xe0 | (code >>> 12);
    to[at++] = 0x80 | ((code >>> 6) & 0x3f);
    to[at++] = 0x80 | (code & 0x3f);
  } else {
    to[at++] = 0xf0 | (code >>> 18);
    to[at++] = 0x80 | ((code >>> 12) & 0x3f);
    to[at++] = 0x80 | ((code >>> 6) & 0x3f);
    to[at++] = 0x80 | (code & 0x3f);
  }
  return at;
}

function isNumberByte(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || byte === 0x2d || byte === 0x2b || byte === 0x2e || (byte | 0x20) === 0x65;
}

function isSame(key: Buffer, bytes: Buffer, start: number): boolean {
  for (let index = 0; index < key.length; index++) {
    if (key[index] !== bytes[start + index]) return false;
  }
  return true;
}

export function excerpt(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
