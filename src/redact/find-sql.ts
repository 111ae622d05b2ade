/**
 * Passwords in statements of SQL, from the apostrophe before them:
 *
 *   ALTER USER bob IDENTIFIED BY '…'         CREATE ROLE bob WITH LOGIN PASSWORD '…'
 */
import { isGap, isQuote } from './value-ends.ts';
import type { Found } from './found.ts';
import { isSecretValue } from './secret-values.ts';

const APOSTROPHE = 0x27;
const LINE_FEED = 0x0a;
const LOWER_CASE = 0x20;
const BACKSLASH = 0x5c;
const PLUS = 0x2b;
const SHORT_BLANKS: readonly number[] = [...'nrt'].map((letter) => letter.charCodeAt(0));
const BROKEN_MAX = 64;
/** Bytes before the apostrophe that say what it is. */
const LEAD = 80;
const VALUE_MAX = 512;
const SAYS_PASSWORD =
  /(?:\bidentified\s+(?:with\s+\S{1,40}\s+)?by(?:\s+password)?|\b(?:with|encrypted|login|user\s+\S{1,40}|role\s+\S{1,40})\s+password)\s{1,4}$/i;

/** Quick, and right where it says no: whether a blank stands before the apostrophe, and before that `by` or `password`. */
function mayBeSqlPassword(bytes: Uint8Array, apostrophe: number): boolean {
  if (!isBlank(bytes[apostrophe - 1] ?? 0)) return false;
  let at = apostrophe - 1;
  while (at > apostrophe - 4 && isBlank(bytes[at - 1] ?? 0)) at--;
  const last = (bytes[at - 1] ?? 0) | LOWER_CASE;
  const before = (bytes[at - 2] ?? 0) | LOWER_CASE;
  return (last === 0x79 && before === 0x62) || (last === 0x64 && before === 0x72);
}

/** Whether such a word stands before the apostrophe for a reader who takes quotes and escapes for blanks. */
export function mayBeBrokenSql(bytes: Buffer, apostrophe: number, floor: number): boolean {
  const stop = Math.max(floor, apostrophe - BROKEN_MAX);
  let at = apostrophe;
  for (; at > stop; at--) {
    const byte = bytes[at - 1] ?? 0;
    const isEscaped = at - 2 >= stop && bytes[at - 2] === BACKSLASH && SHORT_BLANKS.includes(byte);
    if (!isEscaped && !isBlank(byte) && byte !== BACKSLASH && (at === apostrophe || byte !== PLUS) && !isQuote(byte))
      break;
  }
  const last = (bytes[at - 1] ?? 0) | LOWER_CASE;
  const before = (bytes[at - 2] ?? 0) | LOWER_CASE;
  if (at - 2 < floor || !((last === 0x79 && before === 0x62) || (last === 0x64 && before === 0x72))) return false;
  return bytes.subarray(Math.max(floor, apostrophe - LEAD), apostrophe).includes(BACKSLASH);
}

export function findSqlPassword(bytes: Buffer, apostrophe: number, floor: number, end: number): Found | undefined {
  if (!mayBeSqlPassword(bytes, apostrophe)) return undefined;
  if (!SAYS_PASSWORD.test(bytes.toString('latin1', Math.max(floor, apostrophe - LEAD), apostrophe))) return undefined;
  const start = apostrophe + 1;
  const stop = Math.min(end, start + VALUE_MAX);
  let close = start;
  while (close < stop && (bytes[close] !== APOSTROPHE || bytes[close + 1] === APOSTROPHE)) {
    close += bytes[close] === APOSTROPHE ? 2 : 1;
  }
  close = Math.min(close, end);
  return isSecretValue('secret', '', bytes, start, close) ? { start, end: close, pattern: 'secret' } : undefined;
}

function isBlank(byte: number): boolean {
  return isGap(byte) || byte === LINE_FEED;
}
