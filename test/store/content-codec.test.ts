import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { decodeContent, encodeContent } from '../../src/store/content-codec.ts';

/** Field 1 of an OTLP message, with this body. */
function messageOf(body: Uint8Array): Buffer {
  const length = [(body.length & 0x7f) | 0x80, ((body.length >> 7) & 0x7f) | 0x80, body.length >> 14];
  return Buffer.concat([Buffer.from([0x0a, ...length]), body]);
}

test('a turn of a few kilobytes is compressed, and a short one is kept as it is', () => {
  const turn = messageOf(Buffer.from('Where is my order 4711? It is on its way. '.repeat(60)));
  const short = messageOf(Buffer.from('Where is my order 4711? '.repeat(60)));

  expect(encodeContent(turn).length).toBeLessThan(turn.length / 4);
  expect(Buffer.from(decodeContent(encodeContent(turn))).equals(turn)).toBe(true);
  expect(encodeContent(short)).toBe(short);
  expect(decodeContent(short)).toBe(short);
});

test('a message that would not become smaller is kept as it is', () => {
  for (const size of [2_044, 2_045, 8_192, 100_000, 1_000_000]) {
    const message = messageOf(randomBytes(size));
    expect(encodeContent(message), `${size} bytes`).toBe(message);
    expect(decodeContent(message), `${size} bytes`).toBe(message);
  }
});
