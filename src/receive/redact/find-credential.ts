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
import type { BuiltInPattern } from '../../model/redaction.ts';
import { byteAt, isDigit, isLetter, isWord, startsWith } from './bytes.ts';
import type { Found } from './found.ts';

const DOT = 0x2e;
const HYPHEN = 0x2d;
const UNDERSCORE = 0x5f;
const SPACE = 0x20;
const COLON = 0x3a;

type Recogniser = (bytes: Buffer, start: number, stop: number, end: number) => Found | undefined;

export class CredentialFinder {
  /** By the first byte of a token: how long it is at least where it may be or begin a credential. */
  readonly tokenMin = new Uint32Array(256).fill(0xffff_ffff);
  readonly #byFirst: Recogniser[][] = Array.from({ length: 256 }, () => []);

  constructor(wanted: ReadonlySet<BuiltInPattern>) {
    if (wanted.has('bearer')) {
      for (const first of 'bB') this.#add(first, 'basic'.length, findBearer);
    }
    if (wanted.has('jwt')) this.#add('e', JWT_HEADER_MIN, findJwt);
    if (!wanted.has('api_key')) return;
    this.#add('-', PEM_BEGIN.length, findPrivateKey);
    for (const issued of ISSUED) {
      const { prefix, rest } = issued;
      this.#add(prefix, prefix.length + rest, (bytes, start, stop, end) => findKey(issued, bytes, start, stop, end));
    }
  }

  /** For the token at [start, stop) in text that goes on to `end`. */
  find(bytes: Buffer, start: number, stop: number, end: number): Found | undefined {
    const first = bytes[start] ?? 0;
    if (stop - start < (this.tokenMin[first] ?? 0)) return undefined;
    for (const recognise of this.#byFirst[first] ?? []) {
      const found = recognise(bytes, start, stop, end);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #add(prefix: string, tokenMin: number, recogniser: Recogniser): void {
    const first = prefix.charCodeAt(0);
    this.tokenMin[first] = Math.min(this.tokenMin[first] ?? 0, tokenMin);
    this.#byFirst[first]?.push(recogniser);
  }
}

const CREDENTIAL_MIN = 8;
/** Without a digit or mixed case it is more likely a word. */
const WORDLIKE_MIN = 40;

/** Only what follows the word: that a credential was sent is worth knowing. */
function findBearer(bytes: Buffer, start: number, stop: number, end: number): Found | undefined {
  const length = stop - start;
  if (length !== 5 && length !== 6) return undefined;
  const word = bytes.toString('latin1', start, stop).toLowerCase();
  if (word !== 'bearer' && word !== 'basic') return undefined;
  let at = stop;
  if (byteAt(bytes, at, 0, end) === COLON) at++;
  while (byteAt(bytes, at, 0, end) === SPACE) at++;
  if (at === stop) return undefined;
  let tokenEnd = at;
  while (tokenEnd < end && isToken68(bytes[tokenEnd] ?? 0)) tokenEnd++;
  const found: Found = { start: at, end: tokenEnd, pattern: 'bearer' };
  if (word === 'basic')
    return isNameAndPassword(bytes.toString('latin1', at, Math.min(tokenEnd, at + 512))) ? found : undefined;
  return isRandom(bytes, at, tokenEnd) ? found : undefined;
}

/** RFC 9110, 11.2. */
function isToken68(byte: number): boolean {
  return isWord(byte) || TOKEN68.includes(byte);
}
const TOKEN68: readonly number[] = [...'-._~+/='].map((sign) => sign.charCodeAt(0));

function isRandom(bytes: Buffer, start: number, end: number): boolean {
  const length = end - start;
  if (length < CREDENTIAL_MIN) return false;
  let digits = 0;
  let upper = 0;
  let lower = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (isDigit(byte)) digits++;
    else if (isLetter(byte)) byte < 0x61 ? upper++ : lower++;
  }
  return digits > 0 || length >= WORDLIKE_MIN || (length >= 20 && upper > 1 && lower > 1);
}

function isNameAndPassword(base64: string): boolean {
  return (
    base64.length >= CREDENTIAL_MIN &&
    /^[\x20-\x7e]+:[\x20-\x7e]*$/.test(Buffer.from(base64, 'base64').toString('latin1'))
  );
}

const JWT_HEADER_MIN = 10;

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
  return parts >= 3 || isSecondJson ? { start, end: at, pattern: 'jwt' } : undefined;
}

function tokenEnd(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && isTokenByte(bytes[at] ?? 0)) at++;
  return at;
}

function isTokenByte(byte: number): boolean {
  return isWord(byte) || byte === HYPHEN || byte === UNDERSCORE;
}

interface Issued {
  readonly prefix: string;
  /** Signs behind the prefix, at least. */
  readonly rest: number;
  /** Exactly so many, and only these. */
  readonly exactly?: RegExp;
  /** The key goes on behind dots. */
  readonly dots?: true;
}

const HEX_32 = /^[0-9a-f]{32}$/;

/** More special prefixes need no row of their own: `sk-` stands for `sk-ant-`, `sk-proj-`, `sk-or-` and others. */
const ISSUED: readonly Issued[] = [
  { prefix: 'sk-', rest: 16 },
  { prefix: 'pk-lf-', rest: 16 },
  ...['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'pk_live_', 'pk_test_', 'whsec_'].map((prefix) => ({
    prefix,
    rest: 16,
  })),
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'].map((prefix) => ({ prefix, rest: 30 })),
  ...['glpat-', 'gldt-', 'glrt-'].map((prefix) => ({ prefix, rest: 16 })),
  ...['AKIA', 'ASIA'].map((prefix) => ({ prefix, rest: 16, exactly: /^[A-Z0-9]{16}$/ })),
  { prefix: 'AIza', rest: 35, exactly: /^[\w-]{35}$/ },
  { prefix: 'ya29', rest: 0, dots: true },
  { prefix: 'GOCSPX-', rest: 20 },
  ...['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-', 'xoxe-', 'xapp-'].map((prefix) => ({ prefix, rest: 10 })),
  ...['hf_', 'gsk_', 'r8_', 'xai-', 'pplx-', 'nvapi-', 'tvly-'].map((prefix) => ({ prefix, rest: 28 })),
  ...['lsv2_pt_', 'lsv2_sk_', 'glsa_', 'dop_v1_', 'npm_', 'figd_', 'lin_api_', 'sbp_', 'phx_'].map((prefix) => ({
    prefix,
    rest: 28,
  })),
  ...['shpat_', 'shpss_', 'shpca_'].map((prefix) => ({ prefix, rest: 28 })),
  { prefix: 'pypi-AgE', rest: 30 },
  { prefix: 'dapi', rest: 32, exactly: HEX_32 },
  { prefix: 'key-', rest: 32, exactly: HEX_32 },
  { prefix: 'SG', rest: 0, dots: true },
  { prefix: 'ATATT3', rest: 40 },
  { prefix: 'PMAK-', rest: 30 },
];
const DOTTED_MIN = 20;

function findKey(issued: Issued, bytes: Buffer, start: number, stop: number, end: number): Found | undefined {
  const { prefix, rest, exactly, dots } = issued;
  const behind = start + prefix.length;
  if (stop - behind < rest || !startsWith(bytes, start, stop, prefix)) return undefined;
  const found: Found = { start, end: stop, pattern: 'api_key' };
  if (exactly !== undefined) {
    return stop - behind === rest && exactly.test(bytes.toString('latin1', behind, stop)) ? found : undefined;
  }
  if (dots === undefined) return isRandom(bytes, behind, stop) ? found : undefined;
  let at = stop;
  while (byteAt(bytes, at, 0, end) === DOT) {
    const partEnd = tokenEnd(bytes, at + 1, end);
    if (partEnd === at + 1) break;
    at = partEnd;
  }
  return stop === behind && at - stop > DOTTED_MIN && isRandom(bytes, stop, at) ? { ...found, end: at } : undefined;
}

const PEM_BEGIN = '-----BEGIN';
const PEM_END = '-----END';
const PEM_LABEL_MAX = 40;

/** A block that was cut off goes to the end of the text. */
function findPrivateKey(bytes: Buffer, start: number, stop: number, end: number): Found | undefined {
  if (stop - start !== PEM_BEGIN.length || !startsWith(bytes, start, stop, PEM_BEGIN)) return undefined;
  const label = bytes.toString('latin1', stop, Math.min(end, stop + PEM_LABEL_MAX));
  if (!/^ [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----/.test(label)) return undefined;
  const closing = bytes.subarray(stop, end).indexOf(PEM_END);
  if (closing === -1) return { start, end, pattern: 'api_key' };
  const closed = stop + closing + PEM_END.length;
  const tail = /^[A-Z0-9 ]*-----/.exec(bytes.toString('latin1', closed, Math.min(end, closed + PEM_LABEL_MAX)));
  return { start, end: closed + (tail?.[0].length ?? 0), pattern: 'api_key' };
}
