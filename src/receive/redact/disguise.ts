/**
 * Text as a reader sees it, who does not mind how it was encoded: a second look for the recognisers at texts with
 * something in it that they would stumble over. Each finding is replaced where it stands in the original text.
 *
 *   %20 %2520         as in URLs, also encoded again
 *   &#64; &#x40; &nbsp; &commat;     as in HTML
 *   \u0040 \/         as JSON may write what need not be
 *   =40               as in mail (only while addresses are looked for, as are `(at)` and `[at]`)
 *   NBSP, thin and other blanks; dashes, middle dots and other hyphens; digits and letters in full width, digits of other scripts
 *   zero-width signs, soft hyphens, the line break of `=` at the end of a line: nothing
 */
import { isDigit, isLetter, isWord } from './bytes.ts';

const NONE = -1;
const DROPPED = 0x81;
/** Neither a letter nor a digit nor a blank to any recogniser. */
const SOMETHING = 0x80;
const ESCAPE_MAX = 64;

const PERCENT = 0x25;
const AMPERSAND = 0x26;
const BACKSLASH = 0x5c;
const EQUALS = 0x3d;
const SLASH = 0x2f;
const AT_SIGN = 0x40;

/** A meaning in the upper bits, the length of what has it in the lower eight; or NONE. */
type Disguise = number;
const LENGTH_BITS = 8;
const LENGTH = 0xff;

export interface UnmaskOptions {
  readonly addresses: boolean;
}

/** Whether a disguise begins there that changes what is found. */
export function isDisguise(bytes: Buffer, at: number, end: number, options: UnmaskOptions): boolean {
  // The first of several backslashes sees what the others would.
  if (bytes[at] === BACKSLASH && bytes[at - 1] === BACKSLASH) return false;
  const disguise = disguiseAt(bytes, at, end, options);
  if (disguise === NONE) return false;
  const meaning = disguise >> LENGTH_BITS;
  const length = disguise & LENGTH;
  if (meaning === SOMETHING) return false;
  // A blank or a hyphen of another kind matters between digits, as nothing between letters does.
  const byte = bytes[at] ?? 0;
  if (byte < 0x80) return true;
  const before = bytes[at - 1] ?? 0;
  const behind = bytes[at + length] ?? 0;
  if (isDigit(meaning) || (options.addresses && meaning === AT_SIGN)) return true;
  return meaning === DROPPED ? isWord(before) || isWord(behind) : isDigit(before) || behind >= 0x80;
}

interface Unmasked {
  readonly text: Buffer;
  /** Where each byte of the text came from; one more than there are bytes. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** Undefined where nothing is disguised. */
export function unmask(bytes: Buffer, options: UnmaskOptions): Unmasked | undefined {
  const text = Buffer.allocUnsafe(bytes.length);
  const starts = new Uint32Array(bytes.length);
  const ends = new Uint32Array(bytes.length);
  let length = 0;
  let found = false;
  const copy = (at: number) => {
    text[length] = bytes[at] ?? 0;
    starts[length] = at;
    ends[length++] = at + 1;
  };
  for (let at = 0; at < bytes.length; ) {
    const disguise = disguiseAt(bytes, at, bytes.length, options);
    if (disguise === NONE) {
      // The first backslash has looked at the text behind all of them.
      const stop = bytes[at] === BACKSLASH ? at + ESCAPE_MAX : 0;
      do copy(at++);
      while (at < stop && bytes[at] === BACKSLASH);
      continue;
    }
    found = true;
    const meaning = disguise >> LENGTH_BITS;
    const behind = at + (disguise & LENGTH);
    if (meaning !== DROPPED) {
      text[length] = meaning;
      starts[length] = at;
      ends[length++] = behind;
    }
    at = behind;
  }
  return found ? { text: text.subarray(0, length), starts, ends } : undefined;
}

function disguiseAt(bytes: Buffer, at: number, end: number, options: UnmaskOptions): Disguise {
  const byte = bytes[at] ?? 0;
  if (byte >= 0x80) return unicodeAt(bytes, at, end);
  switch (byte) {
    case PERCENT:
      return percentAt(bytes, at, end);
    case AMPERSAND:
      return entityAt(bytes, at, end);
    case BACKSLASH:
      return escapeAt(bytes, at, end);
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

/** `%41`, `%2541`; of text in UTF-8 all bytes of a sign: `%C2%A0`. */
function percentAt(bytes: Buffer, at: number, end: number): Disguise {
  let behind = at + 1;
  while (
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
      bytes[behind] === PERCENT &&
      bytes[digits] === 0x32 &&
      bytes[digits + 1] === 0x35 &&
      digits - behind < ESCAPE_MAX
    )
      digits += 2;
    const next = bytes[behind] === PERCENT ? hexPair(bytes, digits, end) : NONE;
    if (next === NONE || next >> 6 !== 2) return as(SOMETHING, behind - at);
    point = (point << 6) | (next & 0x3f);
    behind = digits + 2;
  }
  return as(more === 0 ? SOMETHING : plainOf(point, SOMETHING), behind - at);
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
];

function entityAt(bytes: Buffer, at: number, end: number): Disguise {
  const next = bytes[at + 1] ?? 0;
  if (next !== 0x23 && !isLetter(next)) return NONE;
  const text = bytes.toString('latin1', at, Math.min(end, at + 12));
  if (next === 0x23) {
    const number = /^&#(?:x([0-9a-f]{1,6})|(\d{1,7}));/i.exec(text);
    if (number === null) return NONE;
    const point = number[1] === undefined ? Number(number[2]) : Number.parseInt(number[1], 16);
    return as(plainOf(point, SOMETHING), number[0].length);
  }
  for (const [name, meaning] of NAMED) if (text.startsWith(name)) return as(meaning, name.length);
  return NONE;
}

/** With more backslashes in JSON within JSON. */
function escapeAt(bytes: Buffer, at: number, end: number): Disguise {
  const stop = Math.min(end, at + ESCAPE_MAX);
  let sign = at;
  while (sign < stop && bytes[sign] === BACKSLASH) sign++;
  if (sign < end && bytes[sign] === SLASH) return as(SLASH, sign + 1 - at);
  const high = sign < end && bytes[sign] === 0x75 ? hexPair(bytes, sign + 1, end) : NONE;
  const low = high === NONE ? NONE : hexPair(bytes, sign + 3, end);
  if (low === NONE) return NONE;
  const meaning = plainOf((high << 8) | low, SOMETHING);
  return as(meaning === BACKSLASH ? SOMETHING : meaning, sign + 5 - at);
}

function quotedPrintableAt(bytes: Buffer, at: number, end: number): Disguise {
  return bytes[at + 1] === 0x34 && bytes[at + 2] === 0x30 && at + 3 < end ? as(0x40, 3) : NONE;
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
  return isHex(bytes[at] ?? 0) && isHex(bytes[at + 1] ?? 0);
}

function hexPair(bytes: Buffer, at: number, end: number): number {
  if (at + 2 > end || !isHexPair(bytes, at)) return NONE;
  return (hexValue(bytes[at] ?? 0) << 4) | hexValue(bytes[at + 1] ?? 0);
}

function isHex(byte: number): boolean {
  const letter = byte | 0x20;
  return isDigit(byte) || (letter >= 0x61 && letter <= 0x66);
}

function hexValue(byte: number): number {
  return isDigit(byte) ? byte - 0x30 : (byte | 0x20) - 0x57;
}
