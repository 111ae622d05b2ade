/**
 * Where values without quotes begin and end: words of program text and settings, and lines of headers, whose values may
 * have quotes of their own (`Digest username="bob", response="…"`).
 */
import { byteAt } from './bytes.ts';

const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const BACKTICK = 0x60;
const BACKSLASH = 0x5c;
const EQUALS = 0x3d;
const HASH = 0x23;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** A colour of a terminal follows. */
const ESCAPE = 0x1b;
const INDENT_MAX = 64;

const ENDS_WORD = new Uint8Array(256);
for (const sign of ' \t\r\n\x1b"\'`<>(),;&|[]{}\\') ENDS_WORD[sign.charCodeAt(0)] = 1;
/** Blanks, and signs of Markdown and YAML for elements of lists, quotes and emphasis. */
const BEFORE_LINE = new Uint8Array(256);
for (const sign of ' \t-*+>#_`') BEFORE_LINE[sign.charCodeAt(0)] = 1;

export function wordEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && ENDS_WORD[bytes[at] ?? 0] !== 1) at++;
  return at;
}

/**
 * Ends at the line's end, or at a quote, unless the quote opens behind an `=` and closes in the same line. `around` is
 * the byte before the header: a quote there closes behind the value.
 */
export function headerEnd(bytes: Uint8Array, start: number, end: number, around: number): number {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (endsLine(byte)) return at;
    if (byte !== EQUALS) continue;
    const close = closingQuote(bytes, at + 1, end, around);
    if (close !== undefined) at = close;
  }
  return end;
}

/** The last byte of a quoted text that begins there; of one that is cut off, the last byte. */
function closingQuote(bytes: Uint8Array, start: number, end: number, around: number): number | undefined {
  const sign = byteAt(bytes, start, start, end);
  if (!isQuote(sign) || sign === around) return undefined;
  for (let at = start + 1; at < end; at++) {
    const byte = bytes[at];
    if (byte === sign) return at;
    if (byte === LINE_FEED || byte === CARRIAGE_RETURN) return undefined;
    if (byte === around && isQuote(around)) return at - 1;
  }
  return end - 1;
}

/** Nothing stands before it in its line, except signs of lists and emphasis. */
export function beginsLine(bytes: Uint8Array, start: number, floor: number): boolean {
  const stop = Math.max(floor, start - INDENT_MAX);
  let at = start;
  while (at > stop && BEFORE_LINE[bytes[at - 1] ?? 0] === 1) at--;
  const before = byteAt(bytes, at - 1, floor, start);
  return before === 0 || before === LINE_FEED || before === CARRIAGE_RETURN;
}

/** Nothing stands behind it in its line, except blanks, emphasis, and a comment. */
export function closesLine(bytes: Uint8Array, start: number, end: number): boolean {
  const stop = Math.min(end, start + INDENT_MAX);
  let at = start;
  while (at < stop && (isGap(bytes[at] ?? 0) || bytes[at] === BACKTICK)) at++;
  const next = byteAt(bytes, at, start, end);
  return next === 0 || next === LINE_FEED || next === CARRIAGE_RETURN || (next === HASH && at > start);
}

export function endsLine(byte: number): boolean {
  if (byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === ESCAPE) return true;
  return isQuote(byte) || byte === BACKTICK || byte === BACKSLASH;
}

export function isGap(byte: number): boolean {
  return byte === 0x20 || byte === 0x09;
}

/** No backtick: in documentation it ends `API_KEY=`. */
export function isQuote(byte: number): boolean {
  return byte === QUOTE || byte === APOSTROPHE;
}
