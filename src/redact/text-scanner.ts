/**
 * Finds the built-in patterns in text, in one pass over its bytes. A byte that begins nothing costs one look into a table;
 * what may begin something is handed to the recogniser of that form, which looks only as far as that form goes. In a
 * request the recognisers are asked at candidates only, until one finds something: see candidates.ts.
 *
 * Linear in any text. Tokens and domains are each read once or twice, because they end where the next begins. Numbers
 * are read for a bounded number of bytes from the beginning of each run of digits.
 */
import { type BuiltInPattern, BY_KEY } from '../model/redaction.ts';
import { byteAt, isDigit, isLetter, isWord } from './bytes.ts';
import { Candidates } from './candidates.ts';
import { disguiseHere, type UnmaskOptions } from './disguise.ts';
import { isEscapeLetter } from './escapes.ts';
import { findCard, isCardNumber, mayBeBrokenCard } from './find-card.ts';
import { CredentialFinder, endsInScheme, isSchemeGap } from './find-credential.ts';
import { findEmail } from './find-email.ts';
import { decoded, ENCODED_MIN, encodedEnd, mayBeEncodedText } from './find-encoded.ts';
import { findIban } from './find-iban.ts';
import { findNamed } from './find-named.ts';
import { findPhone } from './find-phone.ts';
import { findSqlPassword, mayBeBrokenSql } from './find-sql.ts';
import { findOraclePassword, findTelegramToken, findUrlSecret, isCutUrl, isOracleUrl } from './find-url.ts';
import type { Found } from './found.ts';
import type { SecretNames } from './secret-names.ts';

const TOKEN = 0;
const DIGIT = 1;
const BREAK = 2;
const AT_SIGN = 3;
const SEPARATOR = 4;
const DISGUISE = 5;

const KINDS = new Uint8Array(256).fill(BREAK);
for (let byte = 0; byte < 128; byte++) if (isWord(byte)) KINDS[byte] = TOKEN;
for (const sign of '_-') KINDS[sign.charCodeAt(0)] = TOKEN;
for (const digit of '0123456789') KINDS[digit.charCodeAt(0)] = DIGIT;
for (const sign of '%&\\([\x1b') KINDS[sign.charCodeAt(0)] = DISGUISE;
for (const byte of [0xc2, 0xd9, 0xdb, 0xe2, 0xe3, 0xef]) KINDS[byte] = DISGUISE;
for (const sign of ":='") KINDS[sign.charCodeAt(0)] = SEPARATOR;
KINDS[0x40] = AT_SIGN;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const SLASH = 0x2f;
const PLUS = 0x2b;
const APOSTROPHE = 0x27;

/** A key that was wrapped has an `=` before its line break. */
const LOOK_AHEAD = 2;
/** Bytes of `Bearer`. */
const SCHEME_MAX = 6;

/** Bytes of the shortest text that is an instance. */
const SHORTEST = {
  email: 6,
  phone: 9,
  card: 13,
  iban: 15,
  bearer: 21,
  api_key: 15,
  jwt: 15,
  secret: 5,
  url_password: 10,
} as const satisfies Record<BuiltInPattern, number>;
const NONE: readonly Found[] = [];

interface Bounds {
  readonly floor: number;
  readonly end: number;
}

export class TextScanner {
  /** Shorter text holds nothing. */
  readonly bytesMin: number;
  /** How text is to be unmasked for this scanner. */
  readonly options: UnmaskOptions;
  /**
   * There may be more in the text scanned last than was found: something is disguised, escaped or in quotes of its own,
   * or a value is one that only a parser can take out.
   */
  needsCloserLook = false;
  /** The places in the text scanned last that need it, and those of findings; in no particular order. */
  places: number[] = [];
  readonly #email: boolean;
  readonly #phone: boolean;
  readonly #card: boolean;
  readonly #iban: boolean;
  readonly #credentials: CredentialFinder;
  readonly #candidates: Candidates;
  readonly #names: SecretNames;
  readonly #urls: { readonly passwords: boolean; readonly addresses: boolean };
  readonly #statements: boolean;
  readonly #looksInto: boolean;
  /** In text that was in base64. */
  #isInside = false;
  /** End of the base64 that was decoded last: it is not decoded again from a later byte. */
  #encodedFloor = 0;

  constructor(patterns: readonly BuiltInPattern[], names: SecretNames) {
    const wanted = new Set(patterns);
    const shortest = names.isEmpty ? Number.MAX_SAFE_INTEGER : SHORTEST.secret;
    this.bytesMin = Math.min(shortest, ...patterns.map((pattern) => SHORTEST[pattern]));
    this.#email = wanted.has('email');
    this.options = { addresses: this.#email };
    this.#phone = wanted.has('phone');
    this.#card = wanted.has('card');
    this.#iban = wanted.has('iban');
    this.#names = names;
    this.#urls = { passwords: wanted.has('url_password'), addresses: wanted.has('api_key') };
    this.#statements = wanted.has('secret');
    this.#looksInto = wanted.has('api_key') || wanted.has('secret');
    this.#credentials = new CredentialFinder(wanted);
    this.#candidates = new Candidates({ addresses: this.#email, phones: this.#phone, names });
  }

  /** Texts of this request come next, in order; other texts may come between. */
  begin(request: Buffer): void {
    this.#candidates.begin(request);
  }

  end(): void {
    this.#candidates.end();
  }

  /** Whether there is a finding in [start, end), or a closer look is needed: quick for texts of the request. */
  mayHold(bytes: Buffer, start: number, end: number): boolean {
    const candidates = this.#candidates;
    if (!candidates.knows(bytes)) return this.scan(bytes, start, end).length > 0 || this.needsCloserLook;
    if (end - start < this.bytesMin) return false;
    this.needsCloserLook = false;
    this.places = [];
    this.#encodedFloor = start;
    for (let at = start; at < end; at = candidates.next(at + 1, end)) {
      if (this.#at(bytes, at, start, end) !== undefined || this.needsCloserLook) return true;
    }
    return false;
  }

  /** Findings in [start, end), in order and without overlaps. */
  scan(bytes: Buffer, start: number, end: number): readonly Found[] {
    this.needsCloserLook = false;
    this.places = [];
    if (end - start < this.bytesMin) return NONE;
    this.#encodedFloor = start;
    let all: Found[] | undefined;
    let floor = start;
    let tokenStart = start;
    let at = start;
    while (at < end) {
      const kind = KINDS[bytes[at] ?? 0] ?? BREAK;
      if (kind === TOKEN) {
        at++;
        continue;
      }
      let found: Found | undefined;
      let next = at + 1;
      if (kind === DIGIT) {
        while (next < end && KINDS[bytes[next] ?? 0] === DIGIT) next++;
        found = this.#number(bytes, at, floor, end);
        // `sk-4111…` is a key, whatever its digits come to.
        if (found !== undefined && tokenStart < found.start) {
          found = this.#credentials.find(bytes, tokenStart, tokenEndFrom(bytes, next, end), end) ?? found;
        }
      } else {
        found = this.#token(bytes, tokenStart, at, { floor: start, end }) ?? this.#sign(bytes, at, floor, end);
        tokenStart = next;
      }
      if (found === undefined) {
        at = next;
        continue;
      }
      // A finding may go on behind an escape.
      if (bytes.subarray(found.start, Math.min(end, found.end + LOOK_AHEAD)).includes(BACKSLASH))
        this.needsCloserLook = true;
      this.places.push(found.start);
      all ??= [];
      all.push(found);
      at = floor = tokenStart = found.end;
    }
    const last = tokenStart < end ? this.#token(bytes, tokenStart, end, { floor: start, end }) : undefined;
    if (last !== undefined) {
      this.places.push(last.start);
      all ??= [];
      all.push(last);
    }
    return all ?? NONE;
  }

  /** A card's number, where numbers of JSON are looked at. */
  isCard(number: string): boolean {
    return this.#card && isCardNumber(number);
  }

  /** The first finding at a candidate, of a text in which nothing was found before it. */
  #at(bytes: Buffer, at: number, start: number, end: number): Found | undefined {
    const kind = KINDS[bytes[at] ?? 0] ?? BREAK;
    const before = byteAt(bytes, at - 1, start, end);
    const mayFollow = before === COLON || isSchemeGap(before);
    const scheme = mayFollow ? this.#behindScheme(bytes, at, start, end) : undefined;
    if (scheme !== undefined) return scheme;
    if (kind > DIGIT) {
      let first = at;
      // The first of several backslashes sees what the others would.
      if (bytes[at] === BACKSLASH) while (first > start && bytes[first - 1] === BACKSLASH) first--;
      return this.#sign(bytes, first, start, end);
    }
    if (at === start || (KINDS[before] ?? BREAK) > DIGIT || isEscapeLetter(bytes, at - 1, start)) {
      const token = this.#token(bytes, at, tokenEndFrom(bytes, at, end), { floor: start, end });
      if (token !== undefined) return token;
    }
    if (kind === DIGIT) return isDigit(before) ? undefined : this.#number(bytes, at, start, end);
    // The country of an account number.
    const isCountry = isDigit(byteAt(bytes, at + 2, start, end)) && isLetter(bytes[at + 1] ?? 0);
    return isCountry ? this.#number(bytes, at + 2, start, end) : undefined;
  }

  /** Behind `Bearer` or its like, at what may be its token. */
  #behindScheme(bytes: Buffer, at: number, start: number, end: number): Found | undefined {
    let stop = at;
    while (stop > start && isSchemeGap(bytes[stop - 1] ?? 0)) stop--;
    if (stop > start && bytes[stop - 1] === COLON) stop--;
    let word = stop;
    while (word > start && stop - word <= SCHEME_MAX && (KINDS[bytes[word - 1] ?? 0] ?? BREAK) <= DIGIT) word--;
    if (isEscapeLetter(bytes, word, start)) word++;
    return stop - word > SCHEME_MAX ? undefined : this.#credentials.find(bytes, word, stop, end);
  }

  /** At the byte behind a token, or at its end. */
  #token(bytes: Buffer, start: number, stop: number, within: Bounds): Found | undefined {
    if (start === stop) return undefined;
    const found = this.#wholeToken(bytes, start, stop, within.end);
    if (found !== undefined || !isEscapeLetter(bytes, start, within.floor)) return found;
    return this.#wholeToken(bytes, start + 1, stop, within.end);
  }

  #wholeToken(bytes: Buffer, start: number, stop: number, end: number): Found | undefined {
    const length = stop - start;
    const found = this.#credentials.find(bytes, start, stop, end);
    if (found !== undefined) return found;
    const isLong = length >= ENCODED_MIN || (stop < end && isOfBase64(bytes[stop] ?? 0));
    if (!isLong || start < this.#encodedFloor || !this.#mayBeEncoded(bytes, start)) return undefined;
    this.#encodedFloor = encodedEnd(bytes, start, end);
    return this.#encodedFloor - start >= ENCODED_MIN ? this.#encoded(bytes, start, this.#encodedFloor) : undefined;
  }

  #sign(bytes: Buffer, at: number, floor: number, end: number): Found | undefined {
    switch (KINDS[bytes[at] ?? 0]) {
      case AT_SIGN:
        return this.#email ? findEmail(bytes, at, floor, end) : undefined;
      case SEPARATOR:
        if (bytes[at] === APOSTROPHE) return this.#statements ? this.#quoted(bytes, at, floor, end) : undefined;
        if (this.#email) this.#lookBehind(bytes, at, end);
        return this.#separated(bytes, at, floor, end);
      case DISGUISE:
        if (bytes[at] === BACKSLASH && endsInScheme(bytes, at, floor)) this.#lookCloserAt(at);
        this.#lookBehind(bytes, at, end);
        return undefined;
      default:
        return undefined;
    }
  }

  #lookBehind(bytes: Buffer, at: number, end: number): void {
    const disguise = disguiseHere(bytes, at, end, this.options);
    if (disguise !== undefined && (disguise === 'changes' || this.#mayBeginAt(bytes, disguise, end)))
      this.#lookCloserAt(at);
  }

  #lookCloserAt(at: number): void {
    this.needsCloserLook = true;
    this.places.push(at);
  }

  /** Whether something may begin there for a reader who does not see the bytes before. */
  #mayBeginAt(bytes: Buffer, at: number, end: number): boolean {
    if (!isWord(byteAt(bytes, at, at, end))) return false;
    const { needsCloserLook } = this;
    const { length } = this.places;
    this.needsCloserLook = false;
    const isFound =
      this.#wholeToken(bytes, at, tokenEndFrom(bytes, at, end), end) !== undefined ||
      (isDigit(bytes[at] ?? 0) && this.#number(bytes, at, at, end) !== undefined) ||
      (isDigit(byteAt(bytes, at + 2, at, end)) && this.#number(bytes, at + 2, at, end) !== undefined);
    const mayBegin = isFound || this.needsCloserLook;
    this.needsCloserLook = needsCloserLook;
    this.places.length = length;
    return mayBegin;
  }

  #quoted(bytes: Buffer, at: number, floor: number, end: number): Found | undefined {
    const found = findSqlPassword(bytes, at, floor, end);
    if (found === undefined && mayBeBrokenSql(bytes, at, floor)) this.#lookCloserAt(at);
    return found;
  }

  #number(bytes: Buffer, at: number, floor: number, end: number): Found | undefined {
    const before = byteAt(bytes, at - 1, floor, end);
    if (isWord(before) && !isEscapeLetter(bytes, at - 1, floor)) {
      const iban = this.#iban ? findIban(bytes, at, floor, end) : undefined;
      if (iban !== 'look-closer') return iban;
      this.#lookCloserAt(at);
      return undefined;
    }
    const card = this.#card ? findCard(bytes, at, floor, end) : undefined;
    if (this.#card && card === undefined && mayBeBrokenCard(bytes, at, end)) this.#lookCloserAt(at);
    return card ?? (this.#phone ? findPhone(bytes, at, floor, end) : undefined);
  }

  /** Around a `:` or an `=`. */
  #separated(bytes: Buffer, at: number, floor: number, end: number): Found | undefined {
    if (bytes[at] === COLON) {
      if (byteAt(bytes, at + 1, at, end) === SLASH) {
        const found = findUrlSecret(bytes, at, end, this.#urls);
        if (found === undefined && this.#urls.passwords && isCutUrl(bytes, at, end)) this.#lookCloserAt(at);
        return found;
      }
      if (isOracleUrl(bytes, at, floor)) return this.#urls.passwords ? findOraclePassword(bytes, at, end) : undefined;
      const token = this.#urls.addresses ? findTelegramToken(bytes, at, floor, end) : undefined;
      if (token !== undefined) return token;
    }
    const named = findNamed(this.#names, bytes, at, floor, end);
    if (named === undefined) return undefined;
    if (named === 'look-closer') {
      this.#lookCloserAt(at);
      return undefined;
    }
    return { start: named.start, end: named.end, pattern: named.kind === 'key' ? BY_KEY : 'secret' };
  }

  #mayBeEncoded(bytes: Buffer, start: number): boolean {
    return this.#looksInto && !this.#isInside && mayBeEncodedText(bytes, start);
  }

  #encoded(bytes: Buffer, start: number, end: number): Found | undefined {
    const text = decoded(bytes, start, end);
    const { needsCloserLook, places } = this;
    const floor = this.#encodedFloor;
    this.#isInside = true;
    const [first] = this.scan(text, 0, text.length);
    this.#isInside = false;
    this.needsCloserLook = needsCloserLook;
    this.places = places;
    this.#encodedFloor = floor;
    return first === undefined ? undefined : { start, end, pattern: first.pattern };
  }
}

/** A sign that ends a token, but not base64. */
function isOfBase64(byte: number): boolean {
  return byte === SLASH || byte === PLUS;
}

function tokenEndFrom(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && (KINDS[bytes[at] ?? 0] ?? BREAK) <= DIGIT) at++;
  return at;
}
