/**
 * The values of a JSON text that are to go because of the name of their member, and numbers that are those of a card: by
 * their places, for text that is known to be JSON.
 */
import { BY_KEY } from '../model/redaction.ts';
import { digitsEnd, isDigit } from './bytes.ts';
import { isBlank, jsonStrings, textOfString } from './json-strings.ts';
import { describesSecret, type SecretName, type SecretNames } from './secret-names.ts';
import { isSecretValue } from './secret-values.ts';

interface JsonValue {
  /** With its quotes. */
  readonly start: number;
  readonly end: number;
  readonly pattern: 'secret' | 'card' | typeof BY_KEY;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const HYPHEN = 0x2d;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const NUMBER_MAX = 32;
/** Numbers of these names are as long as those of cards, and say something else. */
const NO_CARD =
  /(?:^|[^A-Za-z])(?:id|ids|at|ts|time|timestamp|nanos?|micros|millis|count|size|seed|hash|version|offset)$|(?:Id|Ids|At|Ts|Time|Timestamp|Nanos?|Count|Seed|Hash)$/;

export function isNoCardName(name: string): boolean {
  return NO_CARD.test(name);
}

/** Digits as of a card, under a name that says that they are none. */
export function isIdOrTime(name: string, text: Uint8Array): boolean {
  return text.length <= NUMBER_MAX && digitsEnd(text, 0, text.length, NUMBER_MAX) === text.length && isNoCardName(name);
}

/** In order, and without overlaps. */
export function* jsonValues(
  json: Buffer,
  wanted: { readonly names: SecretNames; readonly isCard: (number: string) => boolean },
): Generator<JsonValue> {
  let behind = 0;
  let name = '';
  for (const string of jsonStrings(json)) {
    if (string.start <= behind) continue;
    yield* numbersIn(json, behind, string.start - 1, { name, isCard: wanted.isCard });
    behind = string.end + 1;
    const value = memberValueStart(json, behind);
    if (value === undefined) continue;
    name = string.end - string.start > 256 ? '' : textOfString(json, string.start, string.end).toString();
    const kind = wanted.names.isEmpty ? undefined : wanted.names.of(name);
    if (kind === undefined) continue;
    behind = Math.max(behind, yield* valuesOf({ kind, name }, json, value));
  }
  yield* numbersIn(json, behind, json.length, { name, isCard: wanted.isCard });
}

interface Member {
  readonly kind: SecretName;
  readonly name: string;
}

/** The value, or what is in it; returns where it was looked at to. */
function* valuesOf(member: Member, json: Buffer, start: number): Generator<JsonValue, number> {
  const { kind, name } = member;
  if (kind === 'key') {
    const end = valueEnd(json, start);
    const isMarker = json[start] === QUOTE && !isSecretValue('key', name, json, start + 1, end - 1);
    if (isMarker || /^(?:true|false|null)$/.test(json.toString('latin1', start, Math.min(end, start + 8))))
      return start;
    yield { start, end, pattern: BY_KEY };
    return end;
  }
  const isNested = json[start] === OPENING_BRACE || json[start] === OPENING_BRACKET;
  if (kind === 'secret' && isNested) return yield* nestedValues(member, json, start);
  return yield* flatValues(member, json, start);
}

/** The value, or the first elements of it where it is a list: up to the first that is a list or an object. */
function* flatValues(member: Member, json: Buffer, start: number): Generator<JsonValue, number> {
  const isList = json[start] === OPENING_BRACKET;
  let behind = start;
  let at = isList ? skipBlanks(json, start + 1) : start;
  for (;;) {
    const first = json[at] ?? 0;
    if (first !== QUOTE && !isOfNumber(first)) return behind;
    const end = valueEnd(json, at);
    const isOne = first === QUOTE ? isSecretString(member, json, at, end) : member.kind === 'secret';
    if (isOne) {
      yield { start: at, end, pattern: 'secret' };
      behind = end;
    }
    const next = skipBlanks(json, end);
    if (!isList || json[next] !== COMMA) return behind;
    at = skipBlanks(json, next + 1);
  }
}

/** All texts and numbers in a list or an object, except those that describe a secret. */
function* nestedValues(member: Member, json: Buffer, start: number): Generator<JsonValue, number> {
  const around: string[] = [];
  let { name } = member;
  let at = start;
  while (at < json.length) {
    const byte = json[at] ?? 0;
    if (byte === OPENING_BRACE || byte === OPENING_BRACKET) {
      around.push(name);
      at++;
    } else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
      name = around.pop() ?? '';
      at++;
      if (around.length === 0) return at;
    } else if (byte === QUOTE) {
      const end = stringEnd(json, at);
      const value = memberValueStart(json, end);
      if (value !== undefined) name = textOfString(json, at + 1, end - 1).toString();
      else if (!describesSecret(name) && isSecretString(member, json, at, end))
        yield { start: at, end, pattern: 'secret' };
      at = value ?? end;
    } else if (isOfNumber(byte)) {
      const end = literalEnd(json, at, json.length);
      if (!describesSecret(name)) yield { start: at, end, pattern: 'secret' };
      at = end;
    } else at++;
  }
  return at;
}

function isOfNumber(byte: number): boolean {
  return isDigit(byte) || byte === HYPHEN;
}

function isSecretString({ kind, name }: Member, json: Buffer, start: number, end: number): boolean {
  const text = textOfString(json, start + 1, end - 1);
  return isSecretValue(kind, name, text, 0, text.length);
}

function* numbersIn(
  json: Buffer,
  start: number,
  end: number,
  { name, isCard }: { readonly name: string; readonly isCard: (number: string) => boolean },
): Generator<JsonValue> {
  for (let at = start; at < end; at++) {
    const byte = json[at] ?? 0;
    if (!isDigit(byte) && byte !== HYPHEN) continue;
    const stop = literalEnd(json, at, end);
    if (stop - at >= 13 && stop - at <= NUMBER_MAX && !isNoCardName(name)) {
      if (isCard(wholeNumber(json.toString('latin1', at, stop)))) yield { start: at, end: stop, pattern: 'card' };
    }
    at = stop;
  }
}

/** `4111111111111111.0` and `4.111111111111111e15` are whole. */
function wholeNumber(literal: string): string {
  if (/^\d+$/.test(literal)) return literal;
  const number = Number(literal);
  return Number.isSafeInteger(number) ? String(number) : '';
}

/** Behind a value that begins there. */
function valueEnd(json: Buffer, start: number): number {
  const first = json[start];
  if (first === QUOTE) return stringEnd(json, start);
  if (first !== OPENING_BRACE && first !== OPENING_BRACKET) return literalEnd(json, start, json.length);
  let depth = 0;
  for (let at = start; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = stringEnd(json, at) - 1;
    else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) depth++;
    else if ((byte === CLOSING_BRACE || byte === CLOSING_BRACKET) && --depth === 0) return at + 1;
  }
  return json.length;
}

function stringEnd(json: Buffer, open: number): number {
  let at = open + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === 0x5c ? 2 : 1;
  return Math.min(json.length, at + 1);
}

function literalEnd(json: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && json[at] !== COMMA && json[at] !== 0x7d && json[at] !== 0x5d && !isBlank(json[at] ?? 0)) at++;
  return at;
}

/** Behind the name of a member that ends there; undefined if it is no name. */
export function memberValueStart(json: Buffer, nameEnd: number): number | undefined {
  const at = skipBlanks(json, nameEnd);
  return json[at] === COLON ? skipBlanks(json, at + 1) : undefined;
}

function skipBlanks(json: Buffer, start: number): number {
  let at = start;
  while (at < json.length && isBlank(json[at] ?? 0)) at++;
  return at;
}
