/**
 * Credentials, by the form that their issuers give them so that they can be found:
 *
 *   bearer    what follows `Bearer`, or `Basic` where it is a name and a password in base64
 *   jwt       two or more parts of base64url separated by dots, of which the first is the beginning of a JSON object
 *   api_key   a token with the prefix of an issuer and as many signs as its keys have; a private key in PEM
 *
 * A token is a run of letters, digits, `_` and `-`. The recognisers get one when it is over, and look on behind it. Ids
 * that join spans (`call_`, `toolu_`, `resp_`, `msg_`, `run_`, `thread_`, `chatcmpl-`) have none of these prefixes.
 */
import type { BuiltInPattern } from '../model/redaction.ts';
import { byteAt, isDigit, isLetter, isWord, startsWith } from './bytes.ts';
import type { Found } from './found.ts';
import { ISSUED, type Issued } from './issued-keys.ts';
import { areWords, isRandom } from './secret-values.ts';
import { isQuote } from './value-ends.ts';

const DOT = 0x2e;
const HYPHEN = 0x2d;
const UNDERSCORE = 0x5f;
const SLASH = 0x2f;
const ONE = 0x31;
const SPACE = 0x20;
const TAB = 0x09;
const PLUS = 0x2b;
const LOWER_CASE = 0x20;
const SCHEMES: readonly string[] = ['bearer', 'basic'];
const COLON = 0x3a;
const EQUALS = 0x3d;
const COMMA = 0x2c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

type Recogniser = (bytes: Buffer, start: number, stop: number, end: number) => Found | undefined;

const FIRST_TWO = 1024;

export class CredentialFinder {
  /** By the first two bytes of a token: how long it is at least where it may be or begin a credential. */
  readonly #tokenMin = new Uint32Array(FIRST_TWO).fill(0xffff_ffff);
  readonly #byFirst: Recogniser[][] = Array.from({ length: 256 }, () => []);

  constructor(wanted: ReadonlySet<BuiltInPattern>) {
    if (wanted.has('bearer')) {
      for (const first of 'bB') this.#add(first, 'basic'.length, findBearer);
    }
    if (wanted.has('jwt')) this.#add('eyJ', JWT_HEADER_MIN, findJwt);
    if (!wanted.has('api_key')) return;
    this.#add('--', PEM_BEGIN.length, findPrivateKey);
    this.#add('0', REFRESH_MIN, findRefreshToken);
    for (const issued of ISSUED) {
      const { prefix, rest } = issued;
      this.#add(prefix, prefix.length + rest, (bytes, start, stop, end) => findKey(issued, bytes, start, stop, end));
    }
  }

  /** For the token at [start, stop) in text that goes on to `end`. */
  find(bytes: Buffer, start: number, stop: number, end: number): Found | undefined {
    const first = bytes[start] ?? 0;
    if (stop - start < (this.#tokenMin[firstTwo(first, bytes[start + 1] ?? 0)] ?? 0)) return undefined;
    for (const recognise of this.#byFirst[first] ?? []) {
      const found = recognise(bytes, start, stop, end);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #add(prefix: string, tokenMin: number, recogniser: Recogniser): void {
    const first = prefix.charCodeAt(0);
    const seconds = prefix.length > 1 ? [prefix.charCodeAt(1)] : Array.from({ length: 32 }, (_, second) => second);
    for (const second of seconds) {
      const pair = firstTwo(first, second);
      this.#tokenMin[pair] = Math.min(this.#tokenMin[pair] ?? 0, tokenMin);
    }
    this.#byFirst[first]?.push(recogniser);
  }
}

/** The lower five bits of each. */
function firstTwo(first: number, second: number): number {
  return ((first & 31) << 5) | (second & 31);
}

const CREDENTIAL_MIN = 15;

/** Only what follows the word: that a credential was sent is worth knowing. */
function findBearer(bytes: Buffer, start: number, stop: number, end: number): Found | undefined {
  const length = stop - start;
  if (length !== 5 && length !== 6) return undefined;
  const word = bytes.toString('latin1', start, stop).toLowerCase();
  if (word !== 'bearer' && word !== 'basic') return undefined;
  let at = stop;
  if (byteAt(bytes, at, 0, end) === COLON) at++;
  while (isSchemeGap(byteAt(bytes, at, 0, end))) at++;
  if (at === stop) return undefined;
  const isForm = bytes[at - 1] === PLUS;
  let tokenEnd = at;
  while (tokenEnd < end && isToken68(bytes[tokenEnd] ?? 0) && !(isForm && bytes[tokenEnd] === PLUS)) tokenEnd++;
  const found: Found = { start: at, end: tokenEnd, pattern: 'bearer' };
  if (word === 'basic')
    return isNameAndPassword(bytes.toString('latin1', at, Math.min(tokenEnd, at + 512))) ? found : undefined;
  return isRandom(bytes, at, tokenEnd) ? found : undefined;
}

/** Between a scheme and its token; `+` is the blank of forms. */
export function isSchemeGap(byte: number): boolean {
  return byte === SPACE || byte === TAB || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === PLUS;
}

/** Whether the word before a backslash is a scheme: its token may stand behind the escape. */
export function endsInScheme(bytes: Uint8Array, stop: number, floor: number): boolean {
  return SCHEMES.some((scheme) => {
    const start = stop - scheme.length;
    if (start < floor) return false;
    for (let index = 0; index < scheme.length; index++)
      if (((bytes[start + index] ?? 0) | LOWER_CASE) !== scheme.charCodeAt(index)) return false;
    return true;
  });
}

/** RFC 9110, 11.2. */
function isToken68(byte: number): boolean {
  return isWord(byte) || TOKEN68.includes(byte);
}
const TOKEN68: readonly number[] = [...'-._~+/='].map((sign) => sign.charCodeAt(0));

function isNameAndPassword(base64: string): boolean {
  return (
    base64.length >= CREDENTIAL_MIN &&
    /^[\x20-\x7e]+:[\x20-\x7e]*$/.test(Buffer.from(base64, 'base64').toString('latin1'))
  );
}

const JWT_HEADER_MIN = 11;

function findJwt(bytes: Buffer, start: number, stop: number, end: number): Found | undefined {
  if (stop - start < JWT_HEADER_MIN || !startsWith(bytes, start, stop, 'eyJ')) return undefined;
  let parts = 1;
  let at = stop;
  let isSecondJson = false;
  while (byteAt(bytes, at, 0, end) === DOT) {
    const partEnd = tokenEnd(bytes, at + 1, end);
    if (parts === 1) isSecondJson = startsWith(bytes, at + 1, partEnd, 'eyJ');
    // The dot that ends a sentence belongs to the sentence; between two parts of a JWE nothing need stand.
    const isEmpty = partEnd === at + 1;
    if (isEmpty && (parts !== 1 || byteAt(bytes, partEnd, 0, end) !== DOT)) break;
    parts += 1;
    at = partEnd;
    // A cut-off JWT has no signature, but all claims.
    if (parts === 5 || (parts === 3 && isSecondJson)) break;
  }
  return parts >= 3 || isSecondJson ? { start, end: wrappedEnd(bytes, at, end), pattern: 'jwt' } : undefined;
}

function tokenEnd(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && isTokenByte(bytes[at] ?? 0)) at++;
  return at;
}

function isTokenByte(byte: number): boolean {
  return isWord(byte) || byte === HYPHEN || byte === UNDERSCORE;
}

const DOTTED_MAX = 512;

function findKey(issued: Issued, bytes: Buffer, start: number, stop: number, end: number): Found | undefined {
  const { prefix, rest, exactly, dots } = issued;
  const behind = start + prefix.length;
  if (stop - behind < rest || !startsWith(bytes, start, stop, prefix)) return undefined;
  const found: Found = { start, end: stop, pattern: 'api_key' };
  if (exactly !== undefined) {
    const text = stop - behind > DOTTED_MAX ? '' : bytes.toString('latin1', behind, stop);
    return exactly.test(text) ? found : undefined;
  }
  if (dots === undefined) {
    // `sk-learn-contrib-2024` is a package.
    return isRandom(bytes, behind, stop) && !areWords(bytes, behind, stop)
      ? { ...found, end: wrappedEnd(bytes, stop, end) }
      : undefined;
  }
  if (
    byteAt(bytes, stop, 0, end) !== DOT ||
    !dots.before.test(bytes.toString('latin1', behind, Math.min(stop, behind + 32)))
  ) {
    return undefined;
  }
  let at = stop;
  const dotsEnd = Math.min(end, stop + DOTTED_MAX);
  while (byteAt(bytes, at, 0, end) === DOT && at < dotsEnd) {
    const partEnd = tokenEnd(bytes, at + 1, dotsEnd);
    if (partEnd === at + 1) break;
    at = partEnd;
  }
  const isOne = dots.behind.test(bytes.toString('latin1', stop, at)) && isRandom(bytes, stop, at);
  return isOne ? { ...found, end: wrappedEnd(bytes, at, end) } : undefined;
}

const LINE_MIN = 8;

/** A key that was wrapped, or cut into the elements of a list, goes on behind the break with letters and digits mixed. */
function wrappedEnd(bytes: Buffer, stop: number, end: number): number {
  let at = stop;
  for (let lines = 0; lines < 16; lines++) {
    const start = behindBreak(bytes, at, end);
    if (start === at) return at;
    const lineEnd = tokenEnd(bytes, start, end);
    if (lineEnd - start < LINE_MIN || !isMixed(bytes, start, lineEnd)) return at;
    const next = byteAt(bytes, lineEnd, 0, end);
    // A name of a setting, a file, a word with a colon.
    if (next === COLON || next === EQUALS || (next === DOT && isWord(byteAt(bytes, lineEnd + 1, 0, end)))) return at;
    at = lineEnd;
  }
  return at;
}

function behindBreak(bytes: Buffer, stop: number, end: number): number {
  let at = stop;
  if (byteAt(bytes, at, 0, end) === QUOTE && byteAt(bytes, at + 1, 0, end) === COMMA) {
    at += byteAt(bytes, at + 2, 0, end) === SPACE ? 3 : 2;
    return byteAt(bytes, at, 0, end) === QUOTE ? at + 1 : stop;
  }
  if (byteAt(bytes, at, 0, end) === EQUALS || byteAt(bytes, at, 0, end) === BACKSLASH) at++;
  if (byteAt(bytes, at, 0, end) === CARRIAGE_RETURN) at++;
  if (byteAt(bytes, at, 0, end) !== LINE_FEED) return stop;
  at++;
  const indent = Math.min(end, at + 8);
  while (at < indent && byteAt(bytes, at, 0, end) === SPACE) at++;
  return at;
}

/** Letters with digits among them; `version2` and other words have theirs at the end. */
export function isMixed(bytes: Buffer, start: number, end: number): boolean {
  let changes = 0;
  for (let at = start + 1; at < end; at++) {
    const [before, here] = [bytes[at - 1] ?? 0, bytes[at] ?? 0];
    if (isWord(before) && isWord(here) && isDigit(before) !== isDigit(here)) changes++;
  }
  return changes >= 2;
}

const REFRESH_MIN = 32;

/** `1//0g…`, a refresh token of Google, behind its slashes. */
function findRefreshToken(bytes: Buffer, start: number, stop: number): Found | undefined {
  if (bytes[start - 1] !== SLASH || bytes[start - 2] !== SLASH || bytes[start - 3] !== ONE) return undefined;
  if (stop - start < REFRESH_MIN) return undefined;
  return isLetter(bytes[start + 1] ?? 0) && isRandom(bytes, start, stop)
    ? { start, end: stop, pattern: 'api_key' }
    : undefined;
}

const PEM_BEGIN = '-----BEGIN';
const PEM_END = '-----END';
const PEM_LABEL_MAX = 40;

/** A block that was cut off goes to the end of the text, or of its string. */
function findPrivateKey(bytes: Buffer, start: number, stop: number, end: number): Found | undefined {
  if (stop - start !== PEM_BEGIN.length || !startsWith(bytes, start, stop, PEM_BEGIN)) return undefined;
  const label = bytes.toString('latin1', stop, Math.min(end, stop + PEM_LABEL_MAX));
  if (!/^ [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----/.test(label)) return undefined;
  const closing = bytes.subarray(stop, end).indexOf(PEM_END);
  if (closing === -1) return { start, end: cutEnd(bytes, stop, end), pattern: 'api_key' };
  const closed = stop + closing + PEM_END.length;
  const tail = /^[A-Z0-9 ]*-----/.exec(bytes.toString('latin1', closed, Math.min(end, closed + PEM_LABEL_MAX)));
  return { start, end: closed + (tail?.[0].length ?? 0), pattern: 'api_key' };
}

function cutEnd(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && !isQuote(bytes[at] ?? 0)) at++;
  return at;
}
