/**
 * Text in base64 in which something may be found. Bytes that are no text are told by the first few of them, so that a
 * picture costs no more than a look.
 */
import { byteAt } from './bytes.ts';

export const ENCODED_MIN = 20;
const LOOKED_AT = 16;
const NO_VALUE = 0xff;
const NO_TEXT = -1;
const VALUES = new Uint8Array(256).fill(NO_VALUE);
for (const [value, sign] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries()) {
  VALUES[sign.charCodeAt(0)] = value;
}
VALUES[0x2d] = 62;
VALUES[0x5f] = 63;

/** Whether the token that begins there, of at least ENCODED_MIN signs, is text in base64: ASCII, or other UTF-8. */
export function mayBeEncodedText(bytes: Uint8Array, start: number): boolean {
  let more = 0;
  for (let at = start; at < start + LOOKED_AT; at += 4) {
    const [a, b, c, d] = [
      VALUES[bytes[at] ?? 0],
      VALUES[bytes[at + 1] ?? 0],
      VALUES[bytes[at + 2] ?? 0],
      VALUES[bytes[at + 3] ?? 0],
    ];
    if (a === undefined || b === undefined || c === undefined || d === undefined) return false;
    if (a === NO_VALUE || b === NO_VALUE || c === NO_VALUE || d === NO_VALUE) return false;
    more = moreOfSign(more, (a << 2) | (b >> 4));
    if (more !== NO_TEXT) more = moreOfSign(more, ((b & 15) << 4) | (c >> 2));
    if (more !== NO_TEXT) more = moreOfSign(more, ((c & 3) << 6) | d);
    if (more === NO_TEXT) return false;
  }
  return true;
}

/** How many bytes of a sign in UTF-8 are to follow a byte, of which `more` were to follow the one before. */
function moreOfSign(more: number, byte: number): number {
  if (more > 0) return byte >> 6 === 2 ? more - 1 : NO_TEXT;
  if (isText(byte)) return 0;
  return byte >= 0xc2 && byte <= 0xf4 ? (byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1) : NO_TEXT;
}

export function encodedEnd(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && VALUES[bytes[at] ?? 0] !== NO_VALUE) at++;
  while (byteAt(bytes, at, start, end) === 0x3d) at++;
  return at;
}

export function decoded(bytes: Buffer, start: number, end: number): Buffer {
  return Buffer.from(bytes.toString('latin1', start, end), 'base64');
}

function isText(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
