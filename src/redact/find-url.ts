/**
 * Secrets in URLs, from the `:` of their `://`:
 *
 *   postgres://app:S3cr3t@db/x     the password between `:` and the last `@` of the authority, also with a `/` in it
 *   jdbc:oracle:thin:scott/tiger@…   the password between `/` and `@`
 *   https://0a1b…@o1.ingest.io     a token in place of the user, if it looks random
 *   https://hooks.slack.com/services/T0/B0/x     addresses that are enough to write to somebody's channel: the path
 */
import type { BuiltInPattern } from '../model/redaction.ts';
import { byteAt, isWord, startsWith } from './bytes.ts';
import type { Found } from './found.ts';
import { isRandom, isSecretValue } from './secret-values.ts';

/** Bytes behind the `://` in which an `@` must be. */
const URL_PART_MAX = 320;
const COLON = 0x3a;
const AT_SIGN = 0x40;
const SLASH = 0x2f;
const QUESTION = 0x3f;
const AMPERSAND = 0x26;
const HASH = 0x23;
const PORT_MAX = 24;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const TOKEN_MIN = 20;
const HOST_MAX = 64;

const ENDS_AUTHORITY = new Uint8Array(256);
for (let byte = 0; byte <= 0x20; byte++) ENDS_AUTHORITY[byte] = 1;
for (const sign of '/"<>\\`|^') ENDS_AUTHORITY[sign.charCodeAt(0)] = 1;

/** Behind each of them is a path that nobody but its owner may know. */
const SECRET_PATHS: readonly RegExp[] = [
  /^hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/(?=[A-Z0-9])/,
  /^(?:ptb\.|canary\.)?discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/\d+\/(?=[\w-])/,
  /^[\w-]+\.webhook\.office\.com\/webhookb2\/(?=[\w-])/,
  /^hooks\.zapier\.com\/hooks\/catch\/(?=\w)/,
  /^hook\.[\w.]*make\.com\/(?=\w)/,
];

/** Quick, and right where it says no: `at` is where the host begins. */
function isSecretHost(bytes: Uint8Array, at: number): boolean {
  const first = bytes[at];
  if (first === 0x68) return bytes[at + 1] === 0x6f && bytes[at + 2] === 0x6f && bytes[at + 3] === 0x6b;
  if (first === 0x64) return bytes[at + 1] === 0x69 && bytes[at + 2] === 0x73 && bytes[at + 3] === 0x63;
  if (first === 0x70) return bytes[at + 1] === 0x74 && bytes[at + 2] === 0x62;
  if (first === 0x63) return bytes[at + 1] === 0x61 && bytes[at + 2] === 0x6e && bytes[at + 3] === 0x61;
  for (let here = at; here < at + HOST_MAX; here++) {
    const byte = bytes[here] ?? 0;
    if (byte === 0x2e) return bytes[here + 1] === 0x77 && bytes[here + 2] === 0x65 && bytes[here + 3] === 0x62;
    if (ENDS_AUTHORITY[byte] === 1) return false;
  }
  return false;
}

export function findUrlSecret(
  bytes: Buffer,
  colon: number,
  end: number,
  wanted: { readonly passwords: boolean; readonly addresses: boolean },
): Found | undefined {
  if (!startsWith(bytes, colon, end, '://')) return undefined;
  const start = colon + 3;
  if (wanted.addresses && isSecretHost(bytes, start)) {
    const found = findSecretPath(bytes, start, end);
    if (found !== undefined) return found;
  }
  return wanted.passwords ? findUrlPassword(bytes, start, end) : undefined;
}

function findUrlPassword(bytes: Buffer, start: number, end: number): Found | undefined {
  const stop = Math.min(end, start + URL_PART_MAX);
  let first = -1;
  let last = -1;
  let at = start;
  for (; at < stop; at++) {
    const byte = bytes[at] ?? 0;
    if (ENDS_AUTHORITY[byte] === 1) break;
    if (byte === COLON && first === -1 && last === -1) first = at;
    if (byte === AT_SIGN) last = at;
  }
  if (last === -1 && first !== -1 && bytes[at] === SLASH && !isPort(bytes, first + 1, at))
    last = signBehindSlash(bytes, at, stop);
  // The mark of an earlier redaction is no user and no password.
  if (last === -1 || bytes[start] === OPENING_BRACKET || byteAt(bytes, last + 1, start, end) === 0) return undefined;
  const pattern: BuiltInPattern = 'url_password';
  if (first !== -1 && first < last) {
    const isSecret = isSecretValue('secret', '', bytes, first + 1, last);
    return isSecret ? { start: first + 1, end: last, pattern } : undefined;
  }
  return last - start >= TOKEN_MIN && isRandom(bytes, start, last) && !isWordy(bytes, start, last)
    ? { start, end: last, pattern }
    : undefined;
}

/** Whether an escape cuts the authority off that begins behind the `://` at `colon`. */
export function isCutUrl(bytes: Uint8Array, colon: number, end: number): boolean {
  const stop = Math.min(end, colon + 3 + URL_PART_MAX);
  let at = colon + 3;
  while (at < stop && ENDS_AUTHORITY[bytes[at] ?? 0] !== 1) at++;
  while (bytes[at] === BACKSLASH && bytes[at + 1] === BACKSLASH && at < stop) at++;
  return bytes[at] === BACKSLASH && (bytes[at + 1] === 0x75 || bytes[at + 1] === 0x78);
}

/** Digits, or a word that stands for them. */
function isPort(bytes: Buffer, start: number, end: number): boolean {
  return end - start > PORT_MAX
    ? false
    : /^(?:\d*|[$%<{[].*|[A-Z_]*port[A-Z_]*)$/i.test(bytes.toString('latin1', start, end));
}

/** The `@` of a password with slashes in it, before a host; or -1. */
function signBehindSlash(bytes: Buffer, slash: number, stop: number): number {
  for (let at = slash; at < stop; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === AT_SIGN) return isWord(byteAt(bytes, at + 1, slash, stop)) ? at : -1;
    if (byte !== SLASH && ENDS_AUTHORITY[byte] === 1) return -1;
    if (byte === COLON || byte === QUESTION || byte === AMPERSAND || byte === HASH) return -1;
  }
  return -1;
}

/** `firstname.lastname2@host` is a user. */
function isWordy(bytes: Buffer, start: number, end: number): boolean {
  return !/^[\w-]+$/.test(bytes.toString('latin1', start, end));
}

function findSecretPath(bytes: Buffer, host: number, end: number): Found | undefined {
  const text = bytes.toString('latin1', host, Math.min(end, host + URL_PART_MAX));
  for (const form of SECRET_PATHS) {
    const behind = form.exec(text)?.[0].length;
    if (behind === undefined) continue;
    const path = /^[\w/@%.=-]+/.exec(text.slice(behind))?.[0] ?? '';
    const start = host + behind;
    return path.length >= 10 ? { start, end: start + path.length, pattern: 'api_key' } : undefined;
  }
  return undefined;
}

const ORACLE: readonly string[] = ['oracle:thin', 'oracle:oci'];

/** Whether `jdbc:oracle:thin` or its like stands before the colon. */
export function isOracleUrl(bytes: Uint8Array, colon: number, floor: number): boolean {
  const last = bytes[colon - 1];
  if (last !== 0x6e && last !== 0x69) return false;
  return ORACLE.some((name) => colon - name.length >= floor && startsWith(bytes, colon - name.length, colon, name));
}

export function findOraclePassword(bytes: Buffer, colon: number, end: number): Found | undefined {
  const text = bytes.toString('latin1', colon + 1, Math.min(end, colon + 1 + URL_PART_MAX));
  const parts = /^([^\s"'/@:]{1,64}\/)([^\s"'@]+)@/.exec(text);
  if (parts?.[1] === undefined || parts[2] === undefined) return undefined;
  const start = colon + 1 + parts[1].length;
  const stop = start + parts[2].length;
  return isSecretValue('secret', '', bytes, start, stop) ? { start, end: stop, pattern: 'url_password' } : undefined;
}

const TELEGRAM_REST = 35;

/** `123456789:AA…`, a bot's token of Telegram, around its colon; also behind `bot` in a path. */
export function findTelegramToken(bytes: Buffer, colon: number, floor: number, end: number): Found | undefined {
  if (byteAt(bytes, colon + 1, floor, end) !== 0x41 || colon - floor < 8) return undefined;
  const before = bytes.toString('latin1', Math.max(floor, colon - 16), colon);
  const id = /(?:^|[^0-9A-Za-z_]|bot|\\[nrt])(\d{8,10})$/.exec(before)?.[1];
  if (id === undefined) return undefined;
  const rest = bytes.toString('latin1', colon + 1, Math.min(end, colon + 2 + TELEGRAM_REST));
  if (!/^A[\w-]{34}(?![\w-])/.test(rest)) return undefined;
  return { start: colon - id.length, end: colon + 1 + TELEGRAM_REST, pattern: 'api_key' };
}
