import { readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ContentFiles } from '../../src/store/sqlite/content-files.ts';
import { type ContentPlace, ContentReader, contentFile } from '../../src/store/sqlite/content-reader.ts';
import { randomFrom } from '../random.ts';
import { tempDirectory } from '../temp-directory.ts';

const MIB = 1 << 20;

function open(directory: string, last = { file: 0, end: 0 }): ContentFiles {
  const files = new ContentFiles(directory, { durable: false, last });
  onTestFinished(() => files.close());
  return files;
}

function piece(length: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let index = 0; index < length; index += 1) bytes[index] = (index * 7 + seed * 13 + (index >>> 8)) & 0xff;
  return bytes;
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

test('what was appended is read back before the flush, after it, and by others', () => {
  const directory = tempDirectory();
  const files = open(directory);
  const bytes = piece(10_000, 1);

  const place = files.append(bytes.subarray(0, 4000), bytes.subarray(4000));
  const before = files.read(place);
  files.flush();

  expect(isSame(before, bytes)).toBe(true);
  expect(isSame(files.read(place), bytes)).toBe(true);
  const reader = new ContentReader(directory);
  onTestFinished(() => reader.close());
  expect(isSame(reader.read(place), bytes)).toBe(true);
});

test('the pieces may change after append: a copy was taken', () => {
  const files = open(tempDirectory());
  const bytes = piece(100, 1);
  const place = files.append(bytes);

  bytes.fill(0);

  expect(isSame(files.read(place), piece(100, 1))).toBe(true);
});

test('pieces of any size are read back, from memory and from disk, while the ring comes round', () => {
  const files = open(tempDirectory());
  const random = randomFrom(7);
  const kept: { readonly place: ContentPlace; readonly length: number; readonly seed: number }[] = [];
  for (let seed = 0; seed < 60; seed += 1) {
    const length = 1 + Math.floor(random() ** 3 * 3 * MIB);
    kept.push({ place: files.append(piece(length, seed)), length, seed });
    if (seed % 7 === 0) files.flush();
    const some = kept[Math.floor(random() * kept.length)];
    if (some === undefined) throw new Error('nothing was kept');
    expect(isSame(files.read(some.place), piece(some.length, some.seed)), `piece ${some.seed}`).toBe(true);
  }
  files.flush();

  for (const { place, length, seed } of kept) {
    expect(isSame(files.read(place), piece(length, seed)), `piece ${seed}`).toBe(true);
  }
});

test('a piece larger than the memory is read back before the flush', () => {
  const files = open(tempDirectory());
  files.append(piece(1000, 1));

  const place = files.append(piece(40 * MIB, 2));

  expect(isSame(files.read(place), piece(40 * MIB, 2))).toBe(true);
});

test('after a rollback the next pieces take the place of what was lost, and what was flushed is still there', () => {
  const files = open(tempDirectory());
  const kept = files.append(piece(5000, 1));
  files.flush();
  const lost = files.append(piece(9 * MIB, 2));
  files.append(piece(9 * MIB, 3));

  files.discard();
  const next = files.append(piece(7000, 4));
  files.flush();

  expect(next.offset).toBe(lost.offset);
  expect(isSame(files.read(kept), piece(5000, 1))).toBe(true);
  expect(isSame(files.read(next), piece(7000, 4))).toBe(true);
});

test('a flush never writes to a block that an earlier one wrote', () => {
  const files = open(tempDirectory());

  const first = files.append(piece(10, 1));
  files.flush();
  const second = files.append(piece(10, 2));

  expect(first.offset).toBe(16);
  expect(second.offset).toBe(4096 + 16);
});

test('a file that is full is followed by the next', () => {
  const directory = tempDirectory();
  const files = open(directory);
  const places: ContentPlace[] = [];
  for (let seed = 0; seed < 5; seed += 1) places.push(files.append(piece(30 * MIB, seed)));
  files.flush();

  expect(places.map(({ file }) => file)).toEqual([0, 0, 0, 0, 1]);
  for (const [seed, place] of places.entries()) expect(isSame(files.read(place), piece(30 * MIB, seed))).toBe(true);
  expect(files.isCurrent(1)).toBe(true);

  files.remove(0);
  expect(readdirSync(directory)).toEqual(['00000001.content']);
});

test('what no row refers to is cut at the start', () => {
  const directory = tempDirectory();
  const files = open(directory);
  const place = files.append(piece(5000, 1));
  files.append(piece(9000, 2));
  files.flush();
  files.close();
  writeFileSync(contentFile(directory, 1), 'never committed');
  writeFileSync(path.join(directory, 'notes.txt'), 'not ours');

  const again = open(directory, { file: 0, end: 5016 });

  expect(readdirSync(directory).toSorted()).toEqual(['00000000.content', 'notes.txt']);
  expect(statSync(contentFile(directory, 0)).size).toBe(5016);
  const next = again.append(piece(100, 3));
  again.flush();
  expect(isSame(again.read(place), piece(5000, 1))).toBe(true);
  expect(isSame(again.read(next), piece(100, 3))).toBe(true);
});

test('a file that has lost its end is reported with the place that was asked for', () => {
  const directory = tempDirectory();
  const files = open(directory);
  const place = files.append(piece(8000, 1));
  files.flush();
  files.close();
  truncateSync(contentFile(directory, 0), 4000);

  const reader = new ContentReader(directory);
  onTestFinished(() => reader.close());
  expect(() => reader.read(place)).toThrow(
    /8000 bytes of content at 16 of .*00000000\.content are damaged: the file ends before them/,
  );
});
