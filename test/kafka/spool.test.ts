import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { JournalReader } from '../../src/journal/journal-reader.ts';
import { TurnSpool } from '../../src/kafka/turn-spool.ts';
import { tempDirectory } from '../temp-directory.ts';

function appendOne(spool: TurnSpool, entry: Uint8Array): number {
  return spool.append([entry])[0] ?? -1;
}

function open(segmentBytes: number) {
  const directory = path.join(tempDirectory(), 'spool');
  const spool = new TurnSpool(directory, { segmentBytes });
  const reader = new JournalReader(directory);
  onTestFinished(() => {
    reader.close();
    spool.close();
  });
  return { spool, reader, files: () => readdirSync(directory).length };
}

test('what was appended is read by position, over many files', () => {
  const { spool, reader, files } = open(1000);
  const entries = Array.from({ length: 100 }, (_, index) => Buffer.from(`entry ${index} `.repeat(10)));
  const positions = entries.map((entry) => appendOne(spool, entry));

  reader.completeTo(spool.end);
  for (const [index, entry] of entries.entries()) {
    const read = reader.read(positions[index] ?? 0, entry.length);
    expect(Buffer.from(read).toString()).toBe(entry.toString());
  }
  expect(files()).toBeGreaterThan(5);
});

test('entries that are appended at once lie one behind the other, however many and large they are', () => {
  const { spool, reader } = open(1 << 20);
  appendOne(spool, Buffer.from('before'));
  const entries = Array.from({ length: 3000 }, (_, index) => Buffer.alloc(index % 700, index));

  const positions = spool.append(entries);
  const after = appendOne(spool, Buffer.from('after'));

  reader.completeTo(spool.end);
  for (const [index, entry] of entries.entries()) {
    expect(Buffer.from(reader.read(positions[index] ?? 0, entry.length)).equals(entry), `entry ${index}`).toBe(true);
  }
  expect(new Set(positions).size).toBe(3000);
  expect(Buffer.from(reader.read(after, 5)).toString()).toBe('after');
  expect(spool.append([])).toEqual([]);
});

test('a file goes once nothing in it is needed, in whatever order that happens', () => {
  const { spool, reader, files } = open(100);
  const positions = Array.from({ length: 20 }, (_, index) => appendOne(spool, Buffer.alloc(60, index)));
  const before = spool.bytes;

  for (const position of positions.slice(5, 15).reverse()) spool.release(position);
  expect(files()).toBeLessThan(20);
  expect(Buffer.from(reader.read(positions[19] ?? 0, 60))).toEqual(Buffer.alloc(60, 19));
  expect(Buffer.from(reader.read(positions[0] ?? 0, 60))).toEqual(Buffer.alloc(60, 0));

  for (const position of [...positions.slice(0, 5), ...positions.slice(15)]) spool.release(position);
  expect(files()).toBe(1);
  expect(spool.bytes).toBeLessThan(before);
});

test('empty entries have places of their own', () => {
  const { spool } = open(100);

  expect(appendOne(spool, new Uint8Array(0))).not.toBe(appendOne(spool, new Uint8Array(0)));
});

test('entries of different files are too far from each other to be read in one go', () => {
  const { spool, files } = open(100);
  const first = appendOne(spool, Buffer.alloc(100, 1));
  const second = appendOne(spool, Buffer.alloc(100, 2));

  expect(files()).toBe(2);
  // More than `READ_GAP_BYTES` of trace-content.ts: otherwise it would have read both from one file at once.
  expect(second - (first + 100)).toBeGreaterThan(4096);
});
