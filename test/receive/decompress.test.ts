import { deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decompressAside, decompressAtOnce } from '../../src/receive/decompress.ts';
import { MIB } from './receiving.ts';

const SMALL = Buffer.from('a span '.repeat(100));
/** Above the limit for synchronous work: this goes through the thread pool. */
const LARGE = Buffer.from('a span, and another one '.repeat(100_000));

type Encoding = Parameters<typeof decompressAside>[0];

/** As the reception does. */
async function decompress(encoding: Encoding, bytes: Buffer, maxBytes = 8 * MIB) {
  return decompressAtOnce(encoding, bytes, maxBytes) ?? (await decompressAside(encoding, bytes, maxBytes));
}

const codecs = [
  ['gzip', 'gzip', gzipSync],
  ['deflate', 'deflate', deflateSync],
  ['deflate without a head', 'deflate', deflateRawSync],
  ['zstd', 'zstd', zstdCompressSync],
] as const;

describe.each(codecs)('%s', (_name, encoding, compress) => {
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['little', SMALL],
    ['much', LARGE],
  ])('gives back %s', async (_what, bytes) => {
    const found = await decompress(encoding, compress(bytes));
    expect(found).toMatchObject({ result: 'whole' });
    expect('bytes' in found && found.bytes.equals(bytes)).toBe(true);
  });

  it.each([
    ['little', SMALL],
    ['much', LARGE],
  ])('allows exactly the limit, of %s', async (_what, bytes) => {
    const compressed = compress(bytes);
    expect(await decompress(encoding, compressed, bytes.length)).toMatchObject({ result: 'whole' });
    expect(await decompress(encoding, compressed, bytes.length - 1)).toEqual({ result: 'too-large' });
  });

  it.each([
    ['little', SMALL],
    ['much', LARGE],
  ])('is malformed where %s was cut short or something follows', async (_what, bytes) => {
    const compressed = compress(bytes);
    const cut = await decompress(encoding, compressed.subarray(0, -3));
    const followed = await decompress(encoding, Buffer.concat([compressed, Buffer.from('junk')]));
    expect([cut.result, followed.result]).toEqual(['malformed', 'malformed']);
  });

  it('is malformed where it is something else', async () => {
    const found = await decompress(encoding, Buffer.from([0xff, 0xff, 0xff, 0xff, 1, 2, 3]));
    expect(found.result).toBe('malformed');
  });
});

describe('gzip', () => {
  it('may come in several members, and be padded with zeros', async () => {
    const members = Buffer.concat([gzipSync(SMALL), gzipSync(SMALL)]);
    const padded = Buffer.concat([gzipSync(SMALL), Buffer.alloc(20)]);
    const found = await Promise.all([members, padded].map((bytes) => decompress('gzip', bytes)));
    expect(found.map((one) => ('bytes' in one ? one.bytes.length : one.result))).toEqual([
      2 * SMALL.length,
      SMALL.length,
    ]);
  });

  it('is not believed where it lies about its size', async () => {
    const bytes = Buffer.from(gzipSync(LARGE));
    bytes.writeUInt32LE(0xffff_ffff, bytes.length - 4);
    expect((await decompress('gzip', bytes, 8 * MIB)).result).toBe('malformed');
  });
});
