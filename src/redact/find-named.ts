/**
 * Secrets by the name before them, around the sign between the two (`:` or `=`):
 *
 *   "password": "…"      'password': b'…'                            JSON and its like
 *   password=…&x=y       API_KEY=…            Password={…};          forms, environments, connection strings
 *   aws_secret_access_key = …                 x-api-key: …           settings, headers
 *   **Password:** …      Password: `…`       Password:⏎…             as models and people write it
 *
 * A name is looked for in a bounded number of bytes before the sign. A value ends at its quote or, without one, at the
 * first sign that ends values; it is walked once, since what is no secret holds no further sign.
 *
 * Program text names secrets without telling them: `password = getpass()`, `api_key=api_key`. Without quotes, a value of
 * nothing but letters is an identifier, except in forms, in options, in variables of an environment, and alone in a line.
 *
 * A value that is no secret as it is written may be one in another reading: behind escapes, in quotes, or in a list or an
 * object, whose end only a parser knows. Then a closer look is needed.
 */
import { byteAt, isDigit, isLetter, isWord } from './bytes.ts';
import { escapeAt } from './escapes.ts';
import { isBlank } from './json-strings.ts';
import { NAME_BYTES_MAX, type SecretName, type SecretNames } from './secret-names.ts';
import { behindScheme, isSecretValue } from './secret-values.ts';
import { beginsLine, closesLine, endsLine, headerEnd, isGap, isQuote, wordEnd } from './value-ends.ts';

interface NamedValue {
  readonly start: number;
  readonly end: number;
  readonly kind: SecretName;
}

const BACKTICK = 0x60;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const COLON = 0x3a;
const EQUALS = 0x3d;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const SEMICOLON = 0x3b;
const STAR = 0x2a;
const OPENING_PARENTHESIS = 0x28;
const GREATER = 0x3e;
const BAR = 0x7c;
const HYPHEN = 0x2d;
const PLUS = 0x2b;
const DOLLAR = 0x24;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const GAP_MAX = 8;
const QUOTING_MAX = 64;
const DECIDED_BY = 64;
const INDENT_MAX = 64;
const EMPHASIS_MAX = 3;
/** Bytes of a value in backticks, and of one in braces, at most. */
const TICKED_MAX = 1024;
const BRACED_MAX = 64;
/** As Python writes them before quotes. */
const STRING_PREFIX_MAX = 2;
const STRING_PREFIXES: readonly number[] = [...'bBrRuUfF'].map((sign) => sign.charCodeAt(0));
const CARD_CODE = /(?:^|[^a-z])cv[vc]2?$/i;
const VARIABLE = /^[A-Z][A-Z0-9_]*$/;
/** A value in a line of its own. */
const PASTED = /^(?!https?:)(?:(?=.*\d)(?:.*[^\d].*|\d{6,})|[a-z]{8,})$/;
/** `settings.apiKey` */
const MEMBER = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/;

const NAME = new Uint8Array(256);
for (let byte = 0; byte < 128; byte++) if (isWord(byte)) NAME[byte] = 1;
for (const sign of '_-.') NAME[sign.charCodeAt(0)] = 1;

/** Where the name before the sign ends, behind quotes and blanks; quick, for every sign of a request. */
function nameEndBefore(bytes: Uint8Array, sign: number, floor: number): number {
  let at = sign;
  const stop = Math.max(floor, sign - GAP_MAX);
  while (at > stop && isGap(bytes[at - 1] ?? 0)) at--;
  // `**Password**:`
  while (at > stop && isEmphasis(bytes[at - 1] ?? 0)) at--;
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
): NamedValue | 'look-closer' | undefined {
  const nameEnd = nameEndBefore(bytes, sign, floor);
  if (nameEnd - floor < 3 || !names.mayEndAt(bytes, nameEnd)) return undefined;
  const nameFloor = Math.max(floor, nameEnd - NAME_BYTES_MAX);
  let nameStart = nameEnd;
  while (nameStart > nameFloor && NAME[bytes[nameStart - 1] ?? 0] === 1) nameStart--;
  nameStart = behindEscape(bytes, nameStart, nameFloor, nameEnd);
  let name = bytes.toString('latin1', nameStart, nameEnd);
  let kind = names.of(name);
  if (kind === undefined && byteAt(bytes, nameStart - 1, nameFloor, end) === SPACE) {
    // `API key: …`
    nameStart--;
    while (nameStart > nameFloor && isLetter(bytes[nameStart - 1] ?? 0)) nameStart--;
    nameStart = behindEscape(bytes, nameStart, nameFloor, nameEnd);
    name = bytes.toString('latin1', nameStart, nameEnd);
    kind = names.of(name);
  }
  if (kind === undefined) return undefined;
  const isQuotedName = isQuote(bytes[sign - 1] ?? 0) || nameEnd < sign;
  let at = sign + 1;
  // `=>` gives a value as well; `==` and `!=` compare.
  if (bytes[sign] === EQUALS) {
    if (byteAt(bytes, at, floor, end) === EQUALS) return undefined;
    if (byteAt(bytes, at, floor, end) === GREATER) at++;
  } else if (byteAt(bytes, at, floor, end) === EQUALS) at++;
  const behindSign = at;
  // `**Password:** …`
  while (at < Math.min(end, behindSign + EMPHASIS_MAX) && bytes[at] === STAR) at++;
  const gapMax = Math.min(end, at + GAP_MAX);
  while (at < gapMax && isGap(bytes[at] ?? 0)) at++;
  const before = byteAt(bytes, nameStart - 1, floor, end);
  const first = byteAt(bytes, at, floor, end);
  if (first === OPENING_BRACKET && isQuotedName) return 'look-closer';
  if (first === OPENING_BRACE) {
    const isOdbc = before === SEMICOLON && bytes[sign] === EQUALS;
    return (isOdbc ? braced({ kind, name }, bytes, at, end) : undefined) ?? 'look-closer';
  }
  let quote = at;
  while (quote < at + STRING_PREFIX_MAX && STRING_PREFIXES.includes(byteAt(bytes, quote, floor, end))) quote++;
  if (isQuote(byteAt(bytes, quote, floor, end))) return quoted({ kind, name }, bytes, quote, end) ?? 'look-closer';
  const place = {
    names,
    name,
    kind,
    isLine: bytes[sign] === COLON && !isQuotedName && kind === 'likely',
    isTight: bytes[sign] === EQUALS && behindSign === at && nameEnd === sign,
    isLineOfItsOwn: bytes[sign] === COLON && at > behindSign && beginsLine(bytes, nameStart, floor),
    before,
    isQuotedName,
  };
  if (first === BACKTICK && at > behindSign) return ticked(place, bytes, at, end) ?? 'look-closer';
  const lineBreak = bytes[sign] === COLON ? lineBreakAt(bytes, at, end) : undefined;
  const value = lineBreak === undefined ? unquoted(place, bytes, at, end) : inNextLine(place, bytes, lineBreak, end);
  return value ?? 'look-closer';
}

/** Also behind what YAML writes before a text in lines of its own: `>-`, `|`. */
function lineBreakAt(bytes: Uint8Array, start: number, end: number): number | undefined {
  let at = start;
  if (bytes[at] === GREATER || bytes[at] === BAR) at++;
  if (at > start && (bytes[at] === HYPHEN || bytes[at] === PLUS)) at++;
  const byte = byteAt(bytes, at, start, end);
  return byte === LINE_FEED || byte === CARRIAGE_RETURN ? at : undefined;
}

/** The letter of an escape before a name is none of it. */
function behindEscape(bytes: Uint8Array, start: number, floor: number, end: number): number {
  if (start <= floor || bytes[start - 1] !== BACKSLASH) return start;
  return Math.min(end, start - 1 + Math.max(1, escapeAt(bytes, start - 1, end).length));
}

function quoted(
  { kind, name }: { readonly kind: SecretName; readonly name: string },
  bytes: Buffer,
  open: number,
  end: number,
): NamedValue | undefined {
  const start = open + 1;
  const sign = bytes[open] ?? 0;
  let close = start;
  while (close < end && bytes[close] !== sign) close += bytes[close] === BACKSLASH ? 2 : 1;
  close = Math.min(close, end);
  return isSecretValue(kind, name, bytes, start, close) ? { start, end: close, kind } : undefined;
}

/** A password of ODBC that has a semicolon in it: `Pwd={a;b};`. Without a sign in it, it is a place to fill in. */
function braced(
  { kind, name }: { readonly kind: SecretName; readonly name: string },
  bytes: Buffer,
  start: number,
  end: number,
): NamedValue | undefined {
  const stop = Math.min(end, start + BRACED_MAX);
  let close = start + 1;
  let isIdentifier = true;
  for (; close < stop && bytes[close] !== CLOSING_BRACE && !endsLine(bytes[close] ?? 0); close++) {
    if (!isLetter(bytes[close] ?? 0) && bytes[close] !== 0x5f) isIdentifier = false;
  }
  const next = byteAt(bytes, close + 1, start, end);
  if (bytes[close] !== CLOSING_BRACE || isIdentifier || !(next === SEMICOLON || next === 0 || endsLine(next)))
    return undefined;
  const isSecret = isSecretValue(kind, name, bytes, start + 1, close);
  return isSecret ? { start, end: close + 1, kind } : undefined;
}

/** One word in backticks. */
function ticked(place: Unquoted, bytes: Buffer, open: number, end: number): NamedValue | undefined {
  const { kind, name } = place;
  const start = open + 1;
  const stop = Math.min(end, start + TICKED_MAX);
  let close = start;
  let hasDigit = false;
  for (; close < stop && !endsLine(bytes[close] ?? 0) && !isGap(bytes[close] ?? 0); close++) {
    hasDigit ||= isDigit(bytes[close] ?? 0);
  }
  if (close === start || bytes[close] !== BACKTICK) return undefined;
  if (!hasDigit && !isAloneInLine(place, bytes, start, close, end)) return undefined;
  return isSecretValue(kind, name, bytes, start, close) ? { start, end: close, kind } : undefined;
}

/** One word alone in its line. Labels of forms stand there as well, so that it has signs or is long, without capitals. */
function inNextLine(place: Unquoted, bytes: Buffer, lineBreak: number, end: number): NamedValue | undefined {
  const { kind, name } = place;
  if (place.isQuotedName) return undefined;
  const stop = Math.min(end, lineBreak + INDENT_MAX);
  let start = lineBreak;
  while (start < stop && isBlank(bytes[start] ?? 0)) start++;
  const valueEnd = wordEnd(bytes, start, Math.min(end, start + TICKED_MAX));
  if (valueEnd === start || !closesLine(bytes, valueEnd, end) || !isWordOrSign(bytes[valueEnd - 1] ?? 0))
    return undefined;
  const text = bytes.toString('latin1', start, valueEnd);
  if (!PASTED.test(text) || isNameOfSecret(place, bytes, start, valueEnd)) return undefined;
  return isSecretValue(kind, name, bytes, start, valueEnd) ? { start, end: valueEnd, kind } : undefined;
}

interface Unquoted {
  readonly names: SecretNames;
  readonly name: string;
  readonly kind: SecretName;
  /** A header: the value is the rest of the line. */
  readonly isLine: boolean;
  /** `name=value` without blanks. */
  readonly isTight: boolean;
  /** `name: value` with nothing before it in its line. */
  readonly isLineOfItsOwn: boolean;
  readonly before: number;
  readonly isQuotedName: boolean;
}

function unquoted(place: Unquoted, bytes: Buffer, start: number, end: number): NamedValue | undefined {
  const { name, kind, isLine } = place;
  if (bytes[start] === DOLLAR && (bytes[start + 1] === OPENING_BRACE || bytes[start + 1] === OPENING_PARENTHESIS))
    return undefined;
  const stopAt = (stop: number) => (isLine ? headerEnd(bytes, start, stop, place.before) : wordEnd(bytes, start, stop));
  // A value that is decided by its beginning is not walked again for each name in it.
  const looked = stopAt(Math.min(end, start + DECIDED_BY));
  if (looked === start || !(isLine || tellsItself(place, bytes, start, looked, end))) return undefined;
  if (!isSecretValue(kind, name, bytes, start, trimmed(bytes, start, looked))) return undefined;
  let stop = stopAt(end);
  if (isLine) return { start: behindScheme(bytes, start, stop), end: trimmed(bytes, start, stop), kind };
  const last = bytes[stop - 1] ?? 0;
  // The dot or question mark that ends a sentence belongs to the sentence.
  if (!place.isTight && (last === 0x2e || last === 0x3f || last === 0x21) && stop - start > 1) stop--;
  return { start, end: stop, kind };
}

function trimmed(bytes: Buffer, start: number, stop: number): number {
  let at = stop;
  while (at > start && isGap(bytes[at - 1] ?? 0)) at--;
  return at;
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
  const length = stop - start;
  if (!place.isTight && /^https?:/.test(bytes.toString('latin1', start, Math.min(stop, start + 6)))) return false;
  if (place.isTight) {
    if (digits > 0 || others > 0) return true;
    if (next !== 0 && !endsLine(next) && !isGap(next)) return false;
    const isOfLine = (place.before === 0 || endsLine(place.before)) && !isGap(next);
    return isOfLine || (isOfCommand(place) && !isNameOfSecret(place, bytes, start, stop));
  }
  if (digits === length && (place.isQuotedName || (CARD_CODE.test(place.name) && length >= 3))) return true;
  if (length >= 4 && digits > 0 && (digits < length || place.kind === 'key' || length >= 6)) return true;
  return isAloneInLine(place, bytes, start, stop, end);
}

/** `-e POSTGRES_PASSWORD=…`, `--password=…`, `--from-literal=password=…` */
function isOfCommand({ name, before }: Unquoted): boolean {
  return name.startsWith('-') || before === EQUALS || VARIABLE.test(name);
}

/** As in YAML: `password: hunter`, and nothing else in the line. */
function isAloneInLine(place: Unquoted, bytes: Buffer, start: number, stop: number, end: number): boolean {
  if (!place.isLineOfItsOwn || (place.kind !== 'secret' && place.kind !== 'key')) return false;
  if (stop - start < 3 || bytes[start] === STAR || !isWordOrSign(bytes[stop - 1] ?? 0)) return false;
  if (!closesLine(bytes, stop, end) || isNameOfSecret(place, bytes, start, stop)) return false;
  return !MEMBER.test(bytes.toString('latin1', start, stop));
}

/** No sign that ends a sentence. */
function isWordOrSign(byte: number): boolean {
  return byte !== 0x2e && byte !== 0x3f && byte !== 0x21 && byte !== COLON;
}

function isNameOfSecret({ names }: Unquoted, bytes: Buffer, start: number, stop: number): boolean {
  return names.of(bytes.toString('latin1', start, stop)) !== undefined;
}

function isEmphasis(byte: number): boolean {
  return byte === STAR || byte === BACKTICK;
}
