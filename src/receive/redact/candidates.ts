/**
 * Says where in a request a built-in pattern may begin, four bytes at a time, so that the text between costs next to
 * nothing. It may point at what turns out to be nothing; it never passes over anything:
 *
 *   numbers      four bytes in a row of any telephone, card or account number have two digits among them
 *   credentials  are runs of fifteen bytes or more without a blank, a quote, a comma, a bracket
 *   private keys begin with five hyphens
 *   addresses    have an `@`
 *   named ones   have a `:` or an `=` behind the last letters of a name that says secret
 *   URLs         have a `://` or begin with `jdbc:oracle:`, and an `@` not far behind or a host of secret addresses
 *   statements   of SQL have an apostrophe behind `BY ` or `PASSWORD `
 *
 * The bytes are looked at as aligned 32-bit words, of which each half is looked up in a table of all pairs of bytes: two
 * loads and a few instructions for four bytes. Text uses little of the table, so that it stays in the nearest cache.
 */
import { isDigit, isLetter } from './bytes.ts';
import { isDisguise, mayBeDisguise, type UnmaskOptions } from './disguise.ts';
import { nameEndBefore } from './find-named.ts';
import { mayBeSqlPassword } from './find-sql.ts';
import { isOracleUrl, isSecretHost, URL_PART_MAX } from './find-url.ts';
import type { SecretNames } from './secret-names.ts';

const WORD = 4;
/** Bytes from 0x40 to 0x7f have the second of these bits alone. */
const UPPER_BITS = 0xc0c0_c0c0 | 0;
const UPPER_HALF = 0x4040_4040;
const HALF_BITS = 16;
const HALF = 0xffff;
const PAIRS = 1 << HALF_BITS;

/** Properties of two bytes in a row. */
const ONE_DIGIT = 1;
const TWO_DIGITS = 2;
/** A `:`, an `=` or an apostrophe. */
const SIGN = 4;
/** A byte that may begin a disguise. */
const MASK = 8;
/** A blank, a quote, a bracket, a comma, a byte of 0x80 or more: no part of a long token. */
const GAP = 16;
/** Every private key in PEM begins with five of them. */
const HYPHENS = 32;
const HYPHEN = 0x2d;
const TOKEN_FROM = 0x2d;
const LETTERS_FROM = 0x40;
const COLON = 0x3a;
const EQUALS = 0x3d;
const SLASH = 0x2f;
const PLUS = 0x2b;
const APOSTROPHE = 0x27;
const BACKSLASH = 0x5c;
const QUOTE = 0x22;
/** Fifteen bytes hold three whole words, wherever they begin. */
const RUN_WORDS = 3;

interface CandidateOptions {
  readonly addresses: boolean;
  readonly urls: { readonly passwords: boolean; readonly addresses: boolean };
  readonly statements: boolean;
  readonly names: SecretNames;
}

export class Candidates {
  readonly #addresses: boolean;
  readonly #urls: boolean;
  readonly #statements: boolean;
  readonly #names: SecretNames;
  readonly #at = new Cursor('@');
  readonly #pairs: Uint8Array;
  readonly #unmasking: UnmaskOptions;
  #bytes: Buffer | undefined;
  #words: Int32Array = new Int32Array(0);
  /** Something that was passed over is written so that the recognisers do not see it; see disguise.ts. */
  passedDisguise = false;

  constructor(options: CandidateOptions) {
    this.#addresses = options.addresses;
    this.#urls = options.urls.passwords || options.urls.addresses;
    this.#statements = options.statements;
    this.#names = options.names;
    this.#unmasking = { addresses: options.addresses };
    this.#pairs = propertiesOfPairs(options);
  }

  /** Texts of this request come next, from its beginning to its end. */
  begin(request: Buffer): void {
    this.#bytes = request;
    this.#words = new Int32Array(request.buffer, 0, request.buffer.byteLength >>> 2);
    this.#at.begin(request);
  }

  end(): void {
    this.#bytes = undefined;
    this.#words = new Int32Array(0);
  }

  knows(bytes: Buffer): boolean {
    return this.#bytes === bytes;
  }

  /** The first byte of what may be something, or `end`. */
  next(from: number, end: number): number {
    const bytes = this.#bytes;
    if (bytes === undefined) return from;
    const base = bytes.byteOffset;
    const words = this.#words;
    const address = this.#addresses ? this.#at.from(from) : end;
    const stop = Math.min(end, address);
    const wordsEnd = Math.min(words.length, (base + stop + WORD - 1) >>> 2);
    const pairs = this.#pairs;
    let run = 0;
    for (let at = (base + from) >>> 2; at < wordsEnd; at++) {
      const word = words[at] ?? 0;
      // Letters, and what stands beside them in ASCII.
      if ((word & UPPER_BITS) === UPPER_HALF) {
        if (++run === RUN_WORDS) return Math.max(from, (at + 1 - RUN_WORDS) * WORD - base);
        continue;
      }
      const low = pairs[word & HALF] ?? 0;
      const high = pairs[word >>> HALF_BITS] ?? 0;
      const any = low | high;
      if (((any & (TWO_DIGITS | SIGN | MASK | HYPHENS)) | (low & high & ONE_DIGIT)) !== 0) {
        if ((any & (TWO_DIGITS | HYPHENS)) !== 0 || (low & high & ONE_DIGIT) !== 0)
          return Math.max(from, at * WORD - base);
        const start = Math.max(from, at * WORD - base);
        const wordEnd = Math.min(stop, (at + 1) * WORD - base);
        if ((any & MASK) !== 0 && !this.passedDisguise) this.#lookForDisguise(bytes, start, wordEnd, end);
        const sign = (any & SIGN) === 0 ? -1 : this.#signIn(bytes, start, wordEnd);
        if (sign !== -1) return sign;
      }
      if ((any & GAP) !== 0) run = 0;
      else if (++run === RUN_WORDS) return Math.max(from, (at + 1 - RUN_WORDS) * WORD - base);
    }
    return stop;
  }

  /** A sign that may stand between a name and its secret, or in a URL with one; or -1. */
  #signIn(bytes: Buffer, from: number, stop: number): number {
    for (let at = from; at < stop; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === COLON && bytes[at + 1] === SLASH) {
        if (this.#urls && (this.#at.from(at) - at <= URL_PART_MAX || isSecretHost(bytes, at + 3))) return at;
      } else if (byte === APOSTROPHE) {
        if (this.#statements && mayBeSqlPassword(bytes, at)) return at;
      } else if (byte === COLON || byte === EQUALS) {
        if (byte === COLON && this.#urls && isOracleUrl(bytes, at, from)) return at;
        // Nearly always a name is in quotes, or in none.
        const before = bytes[at - 1] ?? 0;
        const isPlain = isLetter(before) || (before === QUOTE && isLetter(bytes[at - 2] ?? 0));
        const nameEnd = isPlain ? at - Number(before === QUOTE) : nameEndBefore(bytes, at, 0);
        if (this.#names.mayEndAt(bytes, nameEnd)) return at;
      }
    }
    return -1;
  }

  #lookForDisguise(bytes: Buffer, from: number, stop: number, end: number): void {
    for (let at = from; at < stop && !this.passedDisguise; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === SLASH) this.passedDisguise = bytes[at - 1] === BACKSLASH;
      else if (mayBeDisguise(byte, this.#unmasking) && isDisguise(bytes, at, end, this.#unmasking))
        this.passedDisguise = true;
    }
  }
}

function propertiesOfPairs(options: UnmaskOptions): Uint8Array {
  const pairs = new Uint8Array(PAIRS);
  for (let pair = 0; pair < PAIRS; pair++) {
    const [first, second] = [pair & 0xff, pair >>> 8];
    const digits = Number(isDigit(first)) + Number(isDigit(second));
    // Before four digits, or before a slash: what follows a backslash is looked at.
    const begins = (byte: number) =>
      byte === SLASH ||
      (byte < LETTERS_FROM && mayBeDisguise(byte, options)) ||
      (byte >= 0x80 && mayBeDisguise(byte, options));
    pairs[pair] =
      (digits === 1 ? ONE_DIGIT : 0) |
      (digits === 2 ? TWO_DIGITS : 0) |
      (isSign(first) || isSign(second) ? SIGN : 0) |
      (begins(first) || begins(second) ? MASK : 0) |
      (isGap(first) || isGap(second) ? GAP : 0) |
      (first === HYPHEN && second === HYPHEN ? HYPHENS : 0);
  }
  return pairs;
}

function isSign(byte: number): boolean {
  return byte === COLON || byte === EQUALS || byte === APOSTROPHE;
}

/** No `+`, which is a sign of base64. */
function isGap(byte: number): boolean {
  return (byte < TOKEN_FROM && byte !== PLUS) || byte >= 0x80;
}

/** Where a needle is next, looked for once in the whole request: positions are asked for in ascending order. */
class Cursor {
  readonly #needle: Buffer;
  #bytes: Buffer = Buffer.alloc(0);
  #next = -1;

  constructor(needle: string) {
    this.#needle = Buffer.from(needle);
  }

  begin(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#next = -1;
  }

  from(at: number): number {
    if (this.#next < at) {
      const found = this.#bytes.indexOf(this.#needle, at);
      this.#next = found === -1 ? Number.MAX_SAFE_INTEGER : found;
    }
    return this.#next;
  }
}
