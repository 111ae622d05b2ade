/**
 * Text as a reader sees it, who does not mind how it was encoded: a second look for the recognisers at texts with
 * something in it that they would stumble over. Each finding is replaced where it stands in the original text.
 *
 *   %20 %2520 +       as in URLs and forms, also encoded again
 *   &#64; &#x40; &nbsp; &commat;     as in HTML
 *   =40               as in mail (only while addresses are looked for, as are `(at)` and `[at]`)
 *   NBSP, thin and other blanks; dashes, middle dots and other hyphens; digits and letters in full width, digits of other scripts
 *   ESC [31m          as terminals colour text: nothing
 *   zero-width signs, soft hyphens: nothing
 */
import { isDigit, isLetter, isWord } from './bytes.ts';
import { escapeAt, hexDigit } from './escapes.ts';
import { type Reading, ReadingBuilder } from './reading.ts';

const NONE = -1;
/** Stands for nothing; above all signs. */
const DROPPED = 0x110000;
const REPLACEMENT = 0xfffd;
const POINT_MAX = 0x10ffff;
const ESCAPE_MAX = 64;

const PERCENT = 0x25;
const AMPERSAND = 0x26;
const BACKSLASH = 0x5c;
const EQUALS = 0x3d;
const AT_SIGN = 0x40;
const PLUS = 0x2b;
const SPACE = 0x20;
const LOWER_X = 0x78;
const ESCAPE = 0x1b;
const OPENING_BRACKET = 0x5b;
const SEMICOLON = 0x3b;
const COLOUR_MAX = 32;
const FIRST_OF_PLAIN: readonly number[] = [0xc2, 0xd9, 0xdb, 0xe2, 0xe3, 0xef];
const ESCAPED = new Uint8Array(256);
for (const sign of 'uxU/_-') ESCAPED[sign.charCodeAt(0)] = 1;
/** All that a disguise may begin with. */
const MAY_HIDE = new Uint8Array(256).fill(1, 0x80);
for (const sign of '%&=([ \x1b') MAY_HIDE[sign.charCodeAt(0)] = 1;

/** A meaning in the upper bits, the length of what has it in the lower eight; or NONE. */
type Disguise = number;
const LENGTH_BITS = 8;
const LENGTH = 0xff;

export interface UnmaskOptions {
  readonly addresses: boolean;
}

/**
 * Whether a disguise begins there that changes what is found: 'changes'. Or the place behind a sign of another script that
 * is written in ASCII (`\u662f`, `%E6%98%AF`), since a letter behind it begins a word.
 */
export function disguiseHere(
  bytes: Buffer,
  at: number,
  end: number,
  options: UnmaskOptions,
): 'changes' | number | undefined {
  const byte = bytes[at] ?? 0;
  const disguise = byte === BACKSLASH ? deepEscape(bytes, at, end) : disguiseAt(bytes, at, end, options);
  if (disguise === NONE) return undefined;
  const meaning = disguise >> LENGTH_BITS;
  const behind = at + (disguise & LENGTH);
  // A blank or a hyphen of another kind matters between digits, as nothing between letters does.
  if (byte < 0x80) return meaning < 0x80 || meaning === DROPPED ? 'changes' : behind;
  if (isDigit(meaning) || (options.addresses && meaning === AT_SIGN)) return 'changes';
  const next = bytes[behind] ?? 0;
  const before = bytes[at - 1] ?? 0;
  const changes = meaning === DROPPED ? isWord(before) || isWord(next) : isDigit(before) || next >= 0x80;
  return changes ? 'changes' : undefined;
}

/** One that says the number of a sign, and `\/`; those with a letter change a text only together with what is around. */
function deepEscape(bytes: Buffer, at: number, end: number): Disguise {
  // The first of several backslashes sees what the others would.
  if (bytes[at - 1] === BACKSLASH) return NONE;
  let last = at;
  const stop = Math.min(end, at + ESCAPE_MAX) - 1;
  while (last < stop && bytes[last + 1] === BACKSLASH) last++;
  if (ESCAPED[bytes[last + 1] ?? 0] !== 1) return NONE;
  const { point, length } = escapeAt(bytes, last, end);
  if (length === 0) return NONE;
  // In bytes of Python, the first byte of a sign that has a plain form.
  const isFirst = bytes[last + 1] === LOWER_X && FIRST_OF_PLAIN.includes(point);
  return as(isFirst ? SPACE : plainOf(point, point), last + length - at);
}

/** Undefined where nothing is disguised. */
export function unmask(bytes: Buffer, options: UnmaskOptions): Reading | undefined {
  const reading = new ReadingBuilder(bytes, 0, bytes.length);
  let from = 0;
  let form: FormWord = { end: 0, isForm: false };
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] ?? 0;
    let meaning = NONE;
    let behind = at + 1;
    if (byte === PLUS) {
      if (at >= form.end) form = formWordAt(bytes, at);
      if (form.isForm && !isSignOfNumber(bytes, at)) meaning = SPACE;
    } else if (MAY_HIDE[byte] === 1) {
      const disguise = disguiseAt(bytes, at, bytes.length, options);
      if (disguise !== NONE) {
        meaning = disguise >> LENGTH_BITS;
        behind = at + (disguise & LENGTH);
      }
    }
    if (meaning !== NONE) {
      reading.keep(from, at);
      reading.stand(meaning === DROPPED ? NONE : meaning, at, behind);
      from = behind;
    }
    at = behind;
  }
  reading.keep(from, bytes.length);
  const done = reading.finish();
  return done.isOther ? done : undefined;
}

const DIVIDES_FORM = new Uint8Array(256).fill(1, 0, SPACE + 1);
for (const sign of '&=?"<>\\') DIVIDES_FORM[sign.charCodeAt(0)] = 1;

/** Values and names of forms and queries, each as it was before it was percent-encoded, which is undone once. */
export function* formValuesOf(bytes: Buffer): Generator<{ readonly start: number; readonly end: number }> {
  for (let at = 0; at < bytes.length; at++) {
    const start = at;
    let isEncoded = false;
    for (; at < bytes.length && DIVIDES_FORM[bytes[at] ?? 0] !== 1; at++)
      isEncoded ||= bytes[at] === PERCENT && isHexPair(bytes, at + 1);
    if (isEncoded) yield { start, end: at };
  }
}

export function formValue(bytes: Buffer, start: number, end: number): Reading {
  const reading = new ReadingBuilder(bytes, start, end);
  for (let at = start; at < end; ) {
    const byte = bytes[at] ?? 0;
    const disguise = byte === PERCENT ? percentAt(bytes, at, end, 'one') : NONE;
    const behind = disguise === NONE ? at + 1 : at + (disguise & LENGTH);
    if (disguise !== NONE) reading.stand(disguise >> LENGTH_BITS, at, behind);
    else if (byte === PLUS && !isSignOfNumber(bytes, at)) reading.stand(SPACE, at, behind);
    else reading.keep(at, behind);
    at = behind;
  }
  return reading.finish();
}

interface FormWord {
  readonly end: number;
  /** In a form, blanks are written as `+`, and what is no letter is percent-encoded. */
  readonly isForm: boolean;
}

/** The word around a first `+`. */
function formWordAt(bytes: Buffer, at: number): FormWord {
  let isForm = false;
  let end = at;
  while (end < bytes.length && (bytes[end] ?? 0) > SPACE) {
    isForm ||= bytes[end] === PERCENT && isHexPair(bytes, end + 1);
    end++;
  }
  let start = at;
  while (!isForm && start > 0 && (bytes[start - 1] ?? 0) > SPACE) {
    start--;
    isForm = bytes[start] === PERCENT && isHexPair(bytes, start + 1);
  }
  return { end, isForm };
}

/** `+49`, rather than a blank before digits. */
function isSignOfNumber(bytes: Buffer, at: number): boolean {
  return isDigit(bytes[at + 1] ?? 0) && !isWord(bytes[at - 1] ?? 0);
}

function disguiseAt(bytes: Buffer, at: number, end: number, options: UnmaskOptions): Disguise {
  const byte = bytes[at] ?? 0;
  if (byte >= 0x80) return unicodeAt(bytes, at, end);
  switch (byte) {
    case PERCENT:
      return percentAt(bytes, at, end, 'all');
    case AMPERSAND:
      return entityAt(bytes, at, end);
    case ESCAPE:
      return colourAt(bytes, at, end);
    case EQUALS:
      return options.addresses ? quotedPrintableAt(bytes, at, end) : NONE;
    case 0x28:
    case 0x5b:
    case 0x20:
      return options.addresses ? spelledAt(bytes, at, end) : NONE;
    default:
      return NONE;
  }
}

function as(meaning: number, length: number): Disguise {
  return meaning === NONE ? NONE : (meaning << LENGTH_BITS) | length;
}

/** `%41`, and `%2541` with all levels; of text in UTF-8 all bytes of a sign: `%C2%A0`. */
function percentAt(bytes: Buffer, at: number, end: number, levels: 'all' | 'one'): Disguise {
  let behind = at + 1;
  while (
    levels === 'all' &&
    behind + 3 < end &&
    behind - at < ESCAPE_MAX &&
    bytes[behind] === 0x32 &&
    bytes[behind + 1] === 0x35 &&
    isHexPair(bytes, behind + 2)
  )
    behind += 2;
  const first = hexPair(bytes, behind, end);
  if (first === NONE) return NONE;
  behind += 2;
  if (first < 0x80) return as(first, behind - at);
  const more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
  let point = first & (0x3f >> more);
  for (let index = 0; index < more; index++) {
    let digits = behind + 1;
    while (
      levels === 'all' &&
      bytes[behind] === PERCENT &&
      bytes[digits] === 0x32 &&
      bytes[digits + 1] === 0x35 &&
      digits - behind < ESCAPE_MAX
    )
      digits += 2;
    const next = bytes[behind] === PERCENT ? hexPair(bytes, digits, end) : NONE;
    if (next === NONE || next >> 6 !== 2) return as(REPLACEMENT, behind - at);
    point = (point << 6) | (next & 0x3f);
    behind = digits + 2;
  }
  if (more === 0 || point > POINT_MAX) return as(REPLACEMENT, behind - at);
  return as(levels === 'all' ? plainOf(point, point) : point, behind - at);
}

const NAMED: readonly (readonly [string, number])[] = [
  ['&nbsp;', 0x20],
  ['&thinsp;', 0x20],
  ['&ensp;', 0x20],
  ['&emsp;', 0x20],
  ['&ndash;', 0x2d],
  ['&shy;', DROPPED],
  ['&zwnj;', DROPPED],
  ['&zwj;', DROPPED],
  ['&commat;', 0x40],
  ['&period;', 0x2e],
  ['&colon;', 0x3a],
  ['&equals;', 0x3d],
  ['&quot;', 0x22],
  ['&apos;', 0x27],
  ['&lowbar;', 0x5f],
  ['&amp;', 0x26],
  ['&lt;', 0x3c],
  ['&gt;', 0x3e],
];

function entityAt(bytes: Buffer, at: number, end: number): Disguise {
  const next = bytes[at + 1] ?? 0;
  if (next !== 0x23 && !isLetter(next)) return NONE;
  const text = bytes.toString('latin1', at, Math.min(end, at + 12));
  if (next === 0x23) {
    const number = /^&#(?:x([0-9a-f]{1,6})|(\d{1,7}));/i.exec(text);
    if (number === null) return NONE;
    const point = number[1] === undefined ? Number(number[2]) : Number.parseInt(number[1], 16);
    return as(point > POINT_MAX ? REPLACEMENT : plainOf(point, point), number[0].length);
  }
  for (const [name, meaning] of NAMED) if (text.startsWith(name)) return as(meaning, name.length);
  return NONE;
}

function quotedPrintableAt(bytes: Buffer, at: number, end: number): Disguise {
  return bytes[at + 1] === 0x34 && bytes[at + 2] === 0x30 && at + 3 < end ? as(0x40, 3) : NONE;
}

/** `ESC [1;31m`, and `ESC [K`, which clears a line. */
function colourAt(bytes: Buffer, at: number, end: number): Disguise {
  if (bytes[at + 1] !== OPENING_BRACKET) return NONE;
  const stop = Math.min(end, at + COLOUR_MAX);
  let behind = at + 2;
  while (behind < stop && (isDigit(bytes[behind] ?? 0) || bytes[behind] === SEMICOLON)) behind++;
  return behind < stop && isLetter(bytes[behind] ?? 0) ? as(DROPPED, behind + 1 - at) : NONE;
}

const SPELLED = / ?(?:\(at\)|\[at\]|\(dot\)|\[dot\]) ?/iy;

/** `ada (at) example (dot) org` */
function spelledAt(bytes: Buffer, at: number, end: number): Disguise {
  const sign = bytes[at] === 0x20 ? bytes[at + 1] : bytes[at];
  if (sign !== 0x28 && sign !== 0x5b) return NONE;
  SPELLED.lastIndex = 0;
  const found = SPELLED.exec(bytes.toString('latin1', at, Math.min(end, at + 8)));
  if (found === null) return NONE;
  return as(/at/i.test(found[0]) ? 0x40 : 0x2e, found[0].length);
}

function unicodeAt(bytes: Buffer, at: number, end: number): Disguise {
  const byte = bytes[at] ?? 0;
  const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
  if (length === 1 || at + length > end) return NONE;
  let point = byte & (0xff >> (length + 1));
  for (let index = 1; index < length; index++) {
    const next = bytes[at + index] ?? 0;
    if (next >> 6 !== 2) return NONE;
    point = (point << 6) | (next & 0x3f);
  }
  return as(plainOf(point, NONE), length);
}

/** The sign of ASCII that stands for it, or `otherwise`. */
function plainOf(point: number, otherwise: number): number {
  if (point < 0x80) return point;
  if (point >= 0xff01 && point <= 0xff5e) return point - 0xfee0;
  if (point >= 0x0660 && point <= 0x0669) return point - 0x0630;
  if (point >= 0x06f0 && point <= 0x06f9) return point - 0x06c0;
  if (
    point === 0x00a0 ||
    (point >= 0x2000 && point <= 0x200a) ||
    point === 0x202f ||
    point === 0x205f ||
    point === 0x3000
  )
    return 0x20;
  if ((point >= 0x2010 && point <= 0x2014) || point === 0x2212 || point === 0x00b7) return 0x2d;
  if (
    point === 0x00ad ||
    (point >= 0x200b && point <= 0x200f) ||
    (point >= 0x2060 && point <= 0x2064) ||
    point === 0xfeff
  )
    return DROPPED;
  return otherwise;
}

function isHexPair(bytes: Buffer, at: number): boolean {
  return hexDigit(bytes[at] ?? 0) >= 0 && hexDigit(bytes[at + 1] ?? 0) >= 0;
}

function hexPair(bytes: Buffer, at: number, end: number): number {
  if (at + 2 > end || !isHexPair(bytes, at)) return NONE;
  return (hexDigit(bytes[at] ?? 0) << 4) | hexDigit(bytes[at + 1] ?? 0);
}
