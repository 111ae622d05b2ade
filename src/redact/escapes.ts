/**
 * Backslash escapes, as JSON, Python and JavaScript write them within quotes:
 *
 *   \n \t \r \b \f \v \a \0     \" \' \` \\ \/     \x0a     \u000a     \u{a}     \U0000000a
 *
 * as Markdown writes them, `\_` and `\-`; and a backslash at the end of a line, which stands for nothing. One level at a time: `\\n` stands for `\n`.
 */
import { isDigit, isWord } from './bytes.ts';
import { type Reading, ReadingBuilder } from './reading.ts';

const NONE = -1;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;
const DIGIT_ZERO = 0x30;
const LOWER_U = 0x75;
const LOWER_X = 0x78;
const UPPER_U = 0x55;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const REPLACEMENT = 0xfffd;
const POINT_MAX = 0x10ffff;
/** Backslashes in a row that are looked over: those of JSON in JSON, six times. */
const BACKSLASHES_MAX = 64;

/** The meaning of a sign behind a backslash, or NONE. */
const SHORT = new Int16Array(256).fill(NONE);
for (const [letter, meaning] of [
  'n\n',
  't\t',
  'r\r',
  'b\b',
  'f\f',
  'v\v',
  'a\x07',
  '""',
  "''",
  '``',
  '\\\\',
  '//',
  '__',
  '--',
]) {
  if (letter !== undefined && meaning !== undefined) SHORT[letter.charCodeAt(0)] = meaning.charCodeAt(0);
}

/** Whether the letter of an escape stands there, which belongs to no word. */
export function isEscapeLetter(bytes: Uint8Array, at: number, floor: number): boolean {
  return at > floor && bytes[at - 1] === BACKSLASH && (SHORT[bytes[at] ?? 0] ?? NONE) >= 0;
}

/** Between two groups of a number: signs, quotes, blanks. */
const GAP = new Uint8Array(256);
for (const sign of ' \t\n\r-._/|+,"\'`') GAP[sign.charCodeAt(0)] = 1;

/**
 * Whether so many letters and digits begin there, or only digits, with escapes or quotes among what stands between them:
 * quick, and right where it says no.
 */
export function isBrokenRun(
  bytes: Uint8Array,
  start: number,
  end: number,
  { length, isOfNumber }: { readonly length: number; readonly isOfNumber: boolean },
): boolean {
  let signs = 0;
  let isBroken = false;
  for (let at = start; at < end && signs < length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === BACKSLASH) {
      isBroken = true;
      const { length } = deepEscapeAt(bytes, at, end);
      at += Math.max(length - 1, 0);
    } else if (isOfNumber ? isDigit(byte) : isWord(byte)) signs++;
    else if (GAP[byte] === 1) isBroken ||= isQuoteSign(byte);
    else return false;
  }
  return isBroken && signs === length;
}

function isQuoteSign(byte: number): boolean {
  return byte === 0x22 || byte === 0x27 || byte === 0x60;
}

interface Escape {
  /** The code point that it stands for; -1 for nothing. */
  readonly point: number;
  /** 0 where there is none. */
  readonly length: number;
}
const NO_ESCAPE: Escape = { point: NONE, length: 0 };

/** The escape behind all backslashes that begin at `at`: it may have been escaped again. */
function deepEscapeAt(bytes: Uint8Array, at: number, end: number): Escape {
  const stop = Math.min(end, at + BACKSLASHES_MAX);
  let last = at;
  while (last + 1 < stop && bytes[last + 1] === BACKSLASH) last++;
  const { point, length } = escapeAt(bytes, last, end);
  return length === 0 ? NO_ESCAPE : { point, length: length + last - at };
}

/** The escape of the backslash at `at`. */
export function escapeAt(bytes: Uint8Array, at: number, end: number): Escape {
  if (at + 1 >= end) return NO_ESCAPE;
  const sign = bytes[at + 1] ?? 0;
  const short = SHORT[sign] ?? NONE;
  if (short !== NONE) return { point: short, length: 2 };
  switch (sign) {
    case LOWER_U:
      return bytes[at + 2] === OPENING_BRACE ? inBraces(bytes, at, end) : utf16At(bytes, at, end);
    case LOWER_X:
      return hexAt(bytes, at, end, 2);
    case UPPER_U:
      return hexAt(bytes, at, end, 8);
    case DIGIT_ZERO:
      return at + 2 < end && isDigit(bytes[at + 2] ?? 0) ? NO_ESCAPE : { point: 0, length: 2 };
    case LINE_FEED:
      return { point: NONE, length: 2 };
    default:
      return NO_ESCAPE;
  }
}

function hexAt(bytes: Uint8Array, at: number, end: number, digits: number): Escape {
  const point = hexOf(bytes, at + 2, end, digits);
  return point === NONE || point > POINT_MAX ? NO_ESCAPE : { point, length: digits + 2 };
}

/** Two of them may stand for one sign. */
function utf16At(bytes: Uint8Array, at: number, end: number): Escape {
  const first = hexAt(bytes, at, end, 4);
  if (first.point < 0xd800 || first.point > 0xdfff) return first;
  if (first.point < 0xdc00 && bytes[at + 6] === BACKSLASH && bytes[at + 7] === LOWER_U) {
    const second = hexOf(bytes, at + 8, end, 4);
    if (second >= 0xdc00 && second <= 0xdfff)
      return { point: 0x10000 + ((first.point & 0x3ff) << 10) + (second & 0x3ff), length: 12 };
  }
  return { point: REPLACEMENT, length: 6 };
}

function inBraces(bytes: Uint8Array, at: number, end: number): Escape {
  for (let digits = 1; digits <= 6; digits++) {
    if (bytes[at + 3 + digits] !== CLOSING_BRACE || at + 3 + digits >= end) continue;
    const point = hexOf(bytes, at + 3, end, digits);
    return point === NONE || point > POINT_MAX ? NO_ESCAPE : { point, length: digits + 4 };
  }
  return NO_ESCAPE;
}

function hexOf(bytes: Uint8Array, at: number, end: number, digits: number): number {
  if (at + digits > end) return NONE;
  let value = 0;
  for (let index = at; index < at + digits; index++) {
    const digit = hexDigit(bytes[index] ?? 0);
    if (digit === NONE) return NONE;
    value = value * 16 + digit;
  }
  return value;
}

/** Its value, or -1. */
export function hexDigit(byte: number): number {
  if (isDigit(byte)) return byte - DIGIT_ZERO;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : NONE;
}

type Piece = readonly [start: number, end: number];

/** The text that the pieces stand for, one behind the other. */
export function withoutEscapes(bytes: Buffer, pieces: readonly Piece[]): Reading {
  const reading = new ReadingBuilder(bytes, pieces.at(0)?.[0] ?? 0, pieces.at(-1)?.[1] ?? 0);
  for (const [start, end] of pieces) {
    const piece = bytes.subarray(start, end);
    for (let at = start; at < end; ) {
      const index = piece.indexOf(BACKSLASH, at - start);
      const backslash = index === -1 ? end : start + index;
      reading.keep(at, backslash);
      at = index === -1 ? end : readEscape(reading, bytes, backslash, end);
    }
  }
  return reading.finish();
}

/** Returns where it goes on. */
function readEscape(reading: ReadingBuilder, bytes: Buffer, at: number, end: number): number {
  const { point, length } = escapeAt(bytes, at, end);
  if (length === 0) {
    reading.keep(at, at + 1);
    return at + 1;
  }
  if (bytes[at + 1] === LOWER_X && point >= 0x80) return readBytes(reading, bytes, at, end);
  reading.stand(point, at, at + length);
  return at + length;
}

/** `\xc3\xbc`, of bytes in Python, are those of one sign in UTF-8; `\xfc`, of a text, is a sign. */
function readBytes(reading: ReadingBuilder, bytes: Buffer, at: number, end: number): number {
  const first = escapeAt(bytes, at, end).point;
  const more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
  let point = first & (0x3f >> more);
  let behind = at + 4;
  for (let index = 0; index < more; index++) {
    const isByte = bytes[behind] === BACKSLASH && bytes[behind + 1] === LOWER_X;
    const next = isByte ? escapeAt(bytes, behind, end).point : NONE;
    if (next >> 6 !== 2) {
      reading.stand(first, at, at + 4);
      return at + 4;
    }
    point = (point << 6) | (next & 0x3f);
    behind += 4;
  }
  reading.stand(more === 0 ? first : Math.min(point, POINT_MAX), at, behind);
  return behind;
}
