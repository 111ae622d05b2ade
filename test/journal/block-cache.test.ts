import { expect, test } from 'vitest';
import { BlockCache } from '../../src/journal/block-cache.ts';

const BLOCK = 1 << 16;

/** A log whose byte at each position follows from the position. */
function byteAt(position: number): number {
  return (position * 31 + (position >>> 16)) & 0xff;
}

function cacheOf(options: { readonly end: number }) {
  const reads: number[] = [];
  const cache = new BlockCache((target, position) => {
    if (position + target.length > options.end) throw new Error('past the end');
    reads.push(target.length);
    for (let index = 0; index < target.length; index += 1) target[index] = byteAt(position + index);
  });
  return { cache, reads };
}

function expected(position: number, length: number): number[] {
  return Array.from({ length }, (_, index) => byteAt(position + index));
}

test('a block is read once, whatever is asked of it', () => {
  const { cache, reads } = cacheOf({ end: 4 * BLOCK });
  cache.completeTo(4 * BLOCK);

  const first = [...cache.read(10, 100)];
  const second = [...cache.read(5000, 100)];

  expect([first, second]).toEqual([expected(10, 100), expected(5000, 100)]);
  expect(reads).toEqual([BLOCK]);
});

test('a piece that lies across two blocks is put together', () => {
  const { cache } = cacheOf({ end: 4 * BLOCK });
  cache.completeTo(4 * BLOCK);

  expect([...cache.read(BLOCK - 50, 120)]).toEqual(expected(BLOCK - 50, 120));
});

test('a piece without bytes is empty wherever it lies, also at the beginning of a block', () => {
  const { cache, reads } = cacheOf({ end: 4 * BLOCK });
  cache.completeTo(4 * BLOCK);

  const lengths = [0, 1, BLOCK - 1, BLOCK, 2 * BLOCK, 4 * BLOCK].map((position) => cache.read(position, 0).length);

  expect(lengths).toEqual([0, 0, 0, 0, 0, 0]);
  expect(reads).toEqual([]);
});

test('what may still change is read anew each time', () => {
  const { cache, reads } = cacheOf({ end: 4 * BLOCK });
  cache.completeTo(BLOCK - 1);

  cache.read(10, 100);
  cache.read(10, 100);

  expect(reads).toEqual([100, 100]);
});

test('where a block reaches past the segment, the piece is read alone', () => {
  const { cache, reads } = cacheOf({ end: BLOCK + 500 });
  cache.completeTo(3 * BLOCK);

  expect([...cache.read(BLOCK + 100, 200)]).toEqual(expected(BLOCK + 100, 200));
  expect(reads).toEqual([200]);
});

test('what was read holds until the next completeTo, however many blocks are read meanwhile', () => {
  const blocks = 2000;
  const { cache } = cacheOf({ end: blocks * BLOCK });
  cache.completeTo(blocks * BLOCK);

  const pieces: [position: number, bytes: Uint8Array][] = [];
  for (let block = 0; block < blocks; block += 1) pieces.push([block * BLOCK + 7, cache.read(block * BLOCK + 7, 16)]);

  for (const [position, bytes] of pieces) expect([...bytes]).toEqual(expected(position, 16));
});

test('memory is used again after completeTo, and holds what is read then', () => {
  const blocks = 1600;
  const { cache } = cacheOf({ end: blocks * BLOCK });
  const buffers = new Set<ArrayBufferLike>();

  for (let block = 0; block < blocks; block += 1) {
    cache.completeTo(blocks * BLOCK);
    const bytes = cache.read(block * BLOCK + 3, 16);
    buffers.add(bytes.buffer);
    expect([...bytes]).toEqual(expected(block * BLOCK + 3, 16));
  }

  expect(buffers.size).toBe(513);
});

test('an empty piece is empty, also where a block begins', () => {
  const { cache, reads } = cacheOf({ end: 4 * BLOCK });
  cache.completeTo(4 * BLOCK);
  expect([cache.read(0, 0), cache.read(2 * BLOCK, 0)].map(({ length }) => length)).toEqual([0, 0]);
  expect(reads).toEqual([]);
});
