/**
 * Secrets by the name before them, around the sign between the two (`:` or `=`):
 *
 *   "password": "…"      'password': '…'      \"password\":\"…\"     JSON and its like, at any depth of quoting
 *   password=…&x=y       API_KEY=…            Password=…;            forms, environments, connection strings
 *   aws_secret_access_key = …                 x-api-key: …           settings, headers
 *
 * A name is looked for in a bounded number of bytes before the sign. A value ends at its quote or, without one, at the
 * first sign that ends values; it is walked once, since what is no secret holds no further sign.
 *
 * Program text names secrets without telling them: `password = getpass()`, `api_key=api_key`. Without quotes, a value of
 * nothing but letters is an identifier, except in forms and at the beginning of a line.
 */
import { byteAt, isDigit, isLetter, isWord } from './bytes.ts';
import { NAME_BYTES_MAX, type SecretName, type SecretNames } from './secret-names.ts';
import { behindScheme, isSecretValue } from './secret-values.ts';

interface NamedValue {
  readonly start: number;
  readonly end: number;
  readonly kind: SecretName;
  /** A list, an object or a number of JSON, of which only a parser knows the end. */
  readonly isStructured: boolean;
}

const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const BACKTICK = 0x60;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const TAB = 0x09;
const COLON = 0x3a;
const EQUALS = 0x3d;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const OPENING_PARENTHESIS = 0x28;
const GREATER = 0x3e;
const DOLLAR = 0x24;
const GAP_MAX = 8;
const QUOTING_MAX = 64;
const DECIDED_BY = 64;

const ENDS_VALUE = new Uint8Array(256);
for (const sign of ' \t\r\n"\'`<>(),;&|[]{}\\') ENDS_VALUE[sign.charCodeAt(0)] = 1;
const NAME = new Uint8Array(256);
for (let byte = 0; byte < 128; byte++) if (isWord(byte)) NAME[byte] = 1;
for (const sign of '_-.') NAME[sign.charCodeAt(0)] = 1;

/** Where the name before the sign ends, behind quotes and blanks; quick, for every sign of a request. */
export function nameEndBefore(bytes: Uint8Array, sign: number, floor: number): number {
  let at = sign;
  const stop = Math.max(floor, sign - GAP_MAX);
  while (at > stop && isGap(bytes[at - 1] ?? 0)) at--;
  if (at > stop && bytes[at - 1] === CLOSING_BRACKET && isQuote(bytes[at - 2] ?? 0)) at--;
  if (at > stop && isQuote(bytes[at - 1] ?? 0)) {
    at--;
    const quoting = Math.max(floor, at - QUOTING_MAX);
    while (at > quoting && bytes[at - 1] === BACKSLASH) at--;
  }
  return at;
}

export function findNamed(
  names: SecretNames,
  bytes: Buffer,
  sign: number,
  floor: number,
  end: number,
): NamedValue | undefined {
  const nameEnd = nameEndBefore(bytes, sign, floor);
  if (nameEnd - floor < 3 || !names.mayEndAt(bytes, nameEnd)) return undefined;
  const nameFloor = Math.max(floor, nameEnd - NAME_BYTES_MAX);
  let nameStart = nameEnd;
  while (nameStart > nameFloor && NAME[bytes[nameStart - 1] ?? 0] === 1) nameStart--;
  const name = bytes.toString('latin1', nameStart, nameEnd);
  const kind = names.of(name);
  if (kind === undefined) return undefined;
  const isQuotedName = isQuote(bytes[sign - 1] ?? 0) || nameEnd < sign;
  let at = sign + 1;
  // `=>` gives a value as well; `==` and `!=` compare.
  if (bytes[sign] === EQUALS) {
    if (byteAt(bytes, at, floor, end) === EQUALS) return undefined;
    if (byteAt(bytes, at, floor, end) === GREATER) at++;
  } else if (byteAt(bytes, at, floor, end) === EQUALS) at++;
  const gapMax = Math.min(end, at + GAP_MAX);
  const gap = at;
  while (at < gapMax && isGap(bytes[at] ?? 0)) at++;
  const first = byteAt(bytes, at, floor, end);
  const isList = first === OPENING_BRACKET && isQuotedName;
  if (isList || first === OPENING_BRACE) {
    return first === OPENING_BRACE && kind !== 'key' ? undefined : { start: at, end: at, kind, isStructured: true };
  }
  let quote = at;
  while (quote < Math.min(end, at + QUOTING_MAX) && bytes[quote] === BACKSLASH) quote++;
  if (isQuote(byteAt(bytes, quote, floor, end))) {
    return quoted({ kind, name }, bytes, { open: quote, quoting: quote - at, end });
  }
  const place = {
    name,
    kind,
    isLine: bytes[sign] === COLON && !isQuotedName && kind === 'likely',
    isTight: bytes[sign] === EQUALS && gap === at && nameEnd === sign,
    before: byteAt(bytes, nameStart - 1, floor, end),
    isQuotedName,
  };
  return unquoted(place, bytes, at, end);
}

function quoted(
  { kind, name }: { readonly kind: SecretName; readonly name: string },
  bytes: Buffer,
  { open, quoting, end }: { readonly open: number; readonly quoting: number; readonly end: number },
): NamedValue | undefined {
  const start = open + 1;
  const sign = bytes[open] ?? 0;
  let close = start;
  // With more backslashes before it a quote is one of the value.
  for (; close < end; close++) {
    if (bytes[close] !== sign) continue;
    let backslashes = 0;
    while (backslashes <= quoting && close - backslashes > start && bytes[close - 1 - backslashes] === BACKSLASH)
      backslashes++;
    if (backslashes <= quoting) {
      close -= backslashes;
      break;
    }
  }
  return isSecretValue(kind, name, bytes, start, close) ? { start, end: close, kind, isStructured: false } : undefined;
}

interface Unquoted {
  readonly name: string;
  readonly kind: SecretName;
  /** A header: the value is the rest of the line. */
  readonly isLine: boolean;
  /** `name=value` without blanks. */
  readonly isTight: boolean;
  readonly before: number;
  readonly isQuotedName: boolean;
}

function unquoted(place: Unquoted, bytes: Buffer, start: number, end: number): NamedValue | undefined {
  const { name, kind, isLine } = place;
  if (bytes[start] === DOLLAR && (bytes[start + 1] === OPENING_BRACE || bytes[start + 1] === OPENING_PARENTHESIS))
    return undefined;
  const isOver = isLine ? endsLine : endsValue;
  // A value that is decided by its beginning is not walked again for each name in it.
  const looked = endOf(isOver, bytes, start, Math.min(end, start + DECIDED_BY));
  if (looked === start || !(isLine || tellsItself(place, bytes, start, looked, end))) return undefined;
  if (!isSecretValue(kind, name, bytes, start, trimmed(bytes, start, looked))) return undefined;
  let stop = endOf(isOver, bytes, looked, end);
  if (isLine)
    return { start: behindScheme(bytes, start, stop), end: trimmed(bytes, start, stop), kind, isStructured: false };
  const last = bytes[stop - 1] ?? 0;
  // The dot or question mark that ends a sentence belongs to the sentence.
  if (!place.isTight && (last === 0x2e || last === 0x3f || last === 0x21) && stop - start > 1) stop--;
  return { start, end: stop, kind, isStructured: false };
}

function endOf(isOver: (byte: number) => boolean, bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && !isOver(bytes[at] ?? 0)) at++;
  return at;
}

function trimmed(bytes: Buffer, start: number, stop: number): number {
  let at = stop;
  while (at > start && isGap(bytes[at - 1] ?? 0)) at--;
  return at;
}

function endsValue(byte: number): boolean {
  return ENDS_VALUE[byte] === 1;
}

/** Rather than the name of something that holds it, a type, a call, or a word of a sentence. */
function tellsItself(place: Unquoted, bytes: Buffer, start: number, stop: number, end: number): boolean {
  const next = byteAt(bytes, stop, 0, end);
  const isForm =
    place.isTight &&
    (place.before === 0x26 || place.before === 0x3f || place.before === 0x3b || next === 0x26 || next === 0x3b);
  if (isForm) return true;
  if (next === OPENING_PARENTHESIS || next === OPENING_BRACKET) return false;
  let digits = 0;
  let others = 0;
  for (let at = start; at < stop; at++) {
    const byte = bytes[at] ?? 0;
    if (isDigit(byte)) digits++;
    else if (!isLetter(byte) && byte !== 0x5f && byte !== 0x2e) others++;
  }
  if (place.isTight) {
    const isOfLine = place.before === 0 || endsLine(place.before);
    return digits > 0 || others > 0 || (isOfLine && (next === 0 || endsLine(next)));
  }
  if (place.isQuotedName && digits === stop - start) return true;
  return stop - start >= 4 && digits > 0 && (digits < stop - start || place.kind === 'key' || stop - start >= 6);
}

function endsLine(byte: number): boolean {
  return (
    byte === 0x0a || byte === 0x0d || byte === QUOTE || byte === APOSTROPHE || byte === BACKTICK || byte === BACKSLASH
  );
}

function isGap(byte: number): boolean {
  return byte === SPACE || byte === TAB;
}

/** No backtick: in documentation it ends `API_KEY=`. */
function isQuote(byte: number): boolean {
  return byte === QUOTE || byte === APOSTROPHE;
}
