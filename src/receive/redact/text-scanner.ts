/**
 * Finds the built-in patterns in text, in one pass over its bytes. A byte that begins nothing costs one look into a table;
 * what may begin something is handed to the recogniser of that form, which looks only as far as that form goes.
 *
 * Linear in the text whatever it says: tokens and domains are each walked once or twice, since they end where the next
 * begins, and numbers are looked at for a bounded number of bytes from the beginning of each run of digits.
 */
import type { BuiltInPattern } from '../../model/redaction.ts';
import { byteAt, isWord } from './bytes.ts';
import { findCard } from './find-card.ts';
import { CredentialFinder } from './find-credential.ts';
import { findEmail } from './find-email.ts';
import { findIban } from './find-iban.ts';
import { findPhone } from './find-phone.ts';
import type { Found } from './found.ts';

const TOKEN = 0;
const DIGIT = 1;
const BREAK = 2;
const AT_SIGN = 3;
const PERCENT = 4;
const BACKSLASH = 5;

const KINDS = new Uint8Array(256).fill(BREAK);
for (let byte = 0; byte < 128; byte++) if (isWord(byte)) KINDS[byte] = TOKEN;
for (const sign of '_-') KINDS[sign.charCodeAt(0)] = TOKEN;
for (const digit of '0123456789') KINDS[digit.charCodeAt(0)] = DIGIT;
KINDS[0x40] = AT_SIGN;
KINDS[0x25] = PERCENT;
KINDS[0x5c] = BACKSLASH;

/** Bytes of the shortest text that is an instance. */
const SHORTEST = { email: 6, phone: 9, card: 13, iban: 15, bearer: 14, api_key: 14, jwt: 14 } as const satisfies Record<
  BuiltInPattern,
  number
>;
const NONE: readonly Found[] = [];

export class TextScanner {
  /** Shorter text holds nothing. */
  readonly bytesMin: number;
  /** The text scanned last has escapes that may hide a part of something from the recognisers. */
  hasHidingEscapes = false;
  readonly #email: boolean;
  readonly #phone: boolean;
  readonly #card: boolean;
  readonly #iban: boolean;
  readonly #credentials: CredentialFinder;
  readonly #tokenMin: Uint32Array;

  constructor(patterns: readonly BuiltInPattern[]) {
    const wanted = new Set(patterns);
    this.bytesMin = Math.min(Number.MAX_SAFE_INTEGER, ...patterns.map((pattern) => SHORTEST[pattern]));
    this.#email = wanted.has('email');
    this.#phone = wanted.has('phone');
    this.#card = wanted.has('card');
    this.#iban = wanted.has('iban');
    this.#credentials = new CredentialFinder(wanted);
    this.#tokenMin = this.#credentials.tokenMin;
  }

  /** What lies in [start, end), in order and without overlaps. */
  scan(bytes: Buffer, start: number, end: number): readonly Found[] {
    this.hasHidingEscapes = false;
    if (end - start < this.bytesMin) return NONE;
    const tokenMin = this.#tokenMin;
    let all: Found[] | undefined;
    let floor = start;
    let emailFloor = start;
    let tokenStart = start;
    let at = start;
    while (at < end) {
      const kind = KINDS[bytes[at] ?? 0];
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
        if (at - tokenStart >= (tokenMin[bytes[tokenStart] ?? 0] ?? 0)) {
          found = this.#credentials.find(bytes, tokenStart, at, end);
        }
        tokenStart = next;
        if (found === undefined && kind !== BREAK) {
          if (kind === BACKSLASH) {
            if (isHiding(bytes, at, end)) this.hasHidingEscapes = true;
          } else if (this.#email && (kind === AT_SIGN || isEscapedAt(bytes, at, end))) {
            const sign = { at, length: kind === AT_SIGN ? 1 : 3 };
            found = findEmail(bytes, sign, emailFloor, end);
            emailFloor = at + sign.length;
          }
        }
      }
      if (found === undefined) {
        at = next;
        continue;
      }
      all ??= [];
      all.push(found);
      at = floor = emailFloor = tokenStart = found.end;
    }
    const last = tokenStart < end ? this.#credentials.find(bytes, tokenStart, end, end) : undefined;
    if (last !== undefined) {
      all ??= [];
      all.push(last);
    }
    return all ?? NONE;
  }

  #number(bytes: Buffer, at: number, floor: number, end: number): Found | undefined {
    const before = byteAt(bytes, at - 1, floor, end);
    if (isWord(before)) return this.#iban ? findIban(bytes, at, floor, end) : undefined;
    const card = this.#card ? findCard(bytes, at, floor, end) : undefined;
    return card ?? (this.#phone ? findPhone(bytes, at, floor, end) : undefined);
  }
}

function tokenEndFrom(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && (KINDS[bytes[at] ?? 0] ?? BREAK) <= DIGIT) at++;
  return at;
}

/** `\u0040` is an `@` and `\/` a `/`: JSON may write so what need not be. */
function isHiding(bytes: Buffer, at: number, end: number): boolean {
  const next = byteAt(bytes, at + 1, at, end);
  if (next === 0x2f) return true;
  if (next !== 0x75 || byteAt(bytes, at + 2, at, end) !== 0x30 || byteAt(bytes, at + 3, at, end) !== 0x30) return false;
  const high = byteAt(bytes, at + 4, at, end);
  return high >= 0x32 && high <= 0x37;
}

function isEscapedAt(bytes: Buffer, at: number, end: number): boolean {
  return byteAt(bytes, at + 1, at, end) === 0x34 && byteAt(bytes, at + 2, at, end) === 0x30;
}
