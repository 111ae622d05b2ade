/**
 * Says where in a request a built-in pattern may begin, four bytes at a time, so that the text between costs next to
 * nothing. It may point at what turns out to be nothing; it never passes over anything:
 *
 *   numbers      four bytes in a row of any telephone, card or account number have two digits among them
 *   credentials  are runs of fifteen bytes or more without a blank, a quote, a comma, a bracket
 *   addresses    have an `@` or a `%40`
 *
 * The bytes are looked at as aligned 32-bit words, with one bit for each byte that has a property: see "Determine if a
 * word has a byte less than n" and "between m and n" in Bit Twiddling Hacks (S. E. Anderson).
 */
const WORD = 4;
const HIGH_BITS = 0x8080_8080 | 0;
const LOW_BITS = 0x7f7f_7f7f;
/** Below it are blanks, quotes, brackets and commas. */
const TOKEN_FROM = 0x2d2d_2d2d;
/** (127 + ':') and (127 - '/') in each byte. */
const BELOW_COLON = 0xb9b9_b9b9 | 0;
const ABOVE_SLASH = 0x5050_5050;
/** Fifteen bytes hold three whole words, wherever they begin. */
const RUN_WORDS = 3;

export class Candidates {
  readonly #addresses: boolean;
  readonly #at = new Cursor('@');
  readonly #escapedAt = new Cursor('%40');
  readonly #unicodeEscape = new Cursor('\\u00');
  readonly #escapedSlash = new Cursor('\\/');
  #bytes: Buffer | undefined;
  #words: Int32Array = new Int32Array(0);

  constructor(options: { readonly addresses: boolean }) {
    this.#addresses = options.addresses;
  }

  /** Texts of this request come next, from its beginning to its end. */
  begin(request: Buffer): void {
    this.#bytes = request;
    this.#words = new Int32Array(request.buffer, 0, request.buffer.byteLength >>> 2);
    for (const cursor of [this.#at, this.#escapedAt, this.#unicodeEscape, this.#escapedSlash]) cursor.begin(request);
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
    const base = this.#bytes?.byteOffset ?? 0;
    const words = this.#words;
    const address = this.#addresses ? Math.min(this.#at.from(from), this.#escapedAt.from(from)) : end;
    const stop = Math.min(end, address);
    const wordsEnd = Math.min(words.length, (base + stop + WORD - 1) >>> 2);
    let run = 0;
    for (let at = (base + from) >>> 2; at < wordsEnd; at++) {
      const word = words[at] ?? 0;
      const low = word & LOW_BITS;
      const digits = (BELOW_COLON - low) & (low + ABOVE_SLASH) & ~word & HIGH_BITS;
      if ((digits & (digits - 1)) !== 0) return Math.max(from, at * WORD - base);
      if (((((word - TOKEN_FROM) & ~word) | word) & HIGH_BITS) !== 0) run = 0;
      else if (++run === RUN_WORDS) return Math.max(from, (at + 1 - RUN_WORDS) * WORD - base);
    }
    return stop;
  }

  /** `\u0040` is an `@` and `\/` a `/`: JSON may write so what need not be. */
  mayHide(from: number, end: number): boolean {
    return this.#unicodeEscape.from(from) < end || this.#escapedSlash.from(from) < end;
  }
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
