/**
 * Text in base64 in which something may be found. Bytes that are no text are told by the first few of them, so that a
 * picture costs no more than a look.
 */
import { byteAt } from './bytes.ts';

export const ENCODED_MIN = 20;
const LOOKED_AT = 16;
const NO_VALUE = 0xff;
const VALUES = new Uint8Array(256).fill(NO_VALUE);
for (const [value, sign] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries()) {
  VALUES[sign.charCodeAt(0)] = value;
}
VALUES[0x2d] = 62;
VALUES[0x5f] = 63;

/** Whether the token that begins there, of at least ENCODED_MIN signs, is text in base64. */
export function mayBeEncodedText(bytes: Uint8Array, start: number): boolean {
  for (let at = start; at < start + LOOKED_AT; at += 4) {
    const [a, b, c, d] = [
      VALUES[bytes[at] ?? 0],
      VALUES[bytes[at + 1] ?? 0],
      VALUES[bytes[at + 2] ?? 0],
      VALUES[bytes[at + 3] ?? 0],
    ];
    if (a === undefined || b === undefined || c === undefined || d === undefined) return false;
    if (a === NO_VALUE || b === NO_VALUE || c === NO_VALUE || d === NO_VALUE) return false;
    if (!isText((a << 2) | (b >> 4)) || !isText(((b & 15) << 4) | (c >> 2)) || !isText(((c & 3) << 6) | d))
      return false;
  }
  return true;
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
