import { describe, expect, it } from 'vitest';
import { WireError, WireReader } from '../../src/otlp/wire.ts';

function reader(...bytes: number[]): WireReader {
  return new WireReader(Uint8Array.from(bytes), 0);
}

function problemOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof WireError) return `${error.problem} at ${error.offset}`;
    throw error;
  }
  return 'none';
}

describe('a tag', () => {
  it.each([
    ['of one byte', [0x0a], 0x0a],
    ['of two bytes', [0x85, 0x01], 0x85],
    ['with padding', [0x8a, 0x00], 0x0a],
    ['of the highest field', [0xfa, 0xff, 0xff, 0xff, 0x0f], 0xfffffffa],
  ])('%s is read whole', (_what, bytes, tag) => {
    const wire = reader(...bytes);
    expect([wire.tag(bytes.length), wire.at]).toEqual([tag, bytes.length]);
  });

  it.each([
    ['that is not there', [], 'truncated at 0'],
    ['that breaks off', [0x85], 'truncated at 1'],
    ['of field 0', [0x02], 'malformed at 0'],
    ['of field 0 with padding', [0x82, 0x00], 'malformed at 0'],
    ['of more than 32 bits', [0xfa, 0xff, 0xff, 0xff, 0x10], 'malformed at 0'],
  ])('%s is refused', (_what, bytes, problem) => {
    expect(problemOf(() => reader(...bytes).tag(bytes.length))).toBe(problem);
  });
});

describe('a length', () => {
  it.each([
    ['of nothing', [0], 1, 1],
    ['that reaches the end exactly', [2, 0, 0], 3, 3],
    ['with padding', [0x81, 0x80, 0x00, 9], 4, 4],
  ])('%s gives where it ends', (_what, bytes, end, stop) => {
    expect(reader(...bytes).lengthEnd(end)).toBe(stop);
  });

  it.each([
    ['that is not there', [], 0, 'truncated at 0'],
    ['that reaches one byte too far', [3, 0, 0], 3, 'truncated at 0'],
    ['that ends in the buffer but not in its message', [2, 0, 0], 2, 'truncated at 0'],
    ['of a gibibyte', [0x80, 0x80, 0x80, 0x80, 0x04, 0], 6, 'truncated at 0'],
    ['of more than 31 bits', [0xff, 0xff, 0xff, 0xff, 0x08], 5, 'malformed at 0'],
  ])('%s is refused', (_what, bytes, end, problem) => {
    expect(problemOf(() => reader(...bytes).lengthEnd(end))).toBe(problem);
  });
});

describe('a varint', () => {
  it.each([
    ['0', [0], 0, 0],
    ['300', [0xac, 0x02], 300, 0],
    ['2^32', [0x80, 0x80, 0x80, 0x80, 0x10], 0, 1],
    ['-1', [255, 255, 255, 255, 255, 255, 255, 255, 255, 1], 0xffffffff, 0xffffffff],
  ])('of %s is read in halves', (_what, bytes, low, high) => {
    const wire = reader(...bytes);
    wire.varint(bytes.length);
    expect([wire.low, wire.high, wire.at]).toEqual([low, high, bytes.length]);
  });

  it('of more than ten bytes is refused, and so is one that breaks off', () => {
    expect(problemOf(() => reader(...Array(11).fill(0x80)).varint(11))).toBe('overlong at 0');
    expect(problemOf(() => reader(0x80, 0x80).varint(2))).toBe('truncated at 2');
  });
});

describe('skipping', () => {
  it.each([
    ['a varint', 0x08, [0xff, 0x01], 2],
    ['eight bytes', 0x09, [1, 2, 3, 4, 5, 6, 7, 8], 8],
    ['a string', 0x0a, [3, 1, 2, 3], 4],
    ['four bytes', 0x0d, [1, 2, 3, 4], 4],
  ])('passes over %s', (_what, tag, bytes, at) => {
    const wire = reader(...bytes, 99);
    wire.skip(tag, bytes.length);
    expect(wire.at).toBe(at);
  });

  it.each([
    ['the beginning of a group', 0x0b, [], 'group at 0'],
    ['the end of a group', 0x0c, [], 'group at 0'],
    ['a type that does not exist', 0x0e, [], 'malformed at 0'],
    ['seven bytes of eight', 0x09, [1, 2, 3, 4, 5, 6, 7], 'truncated at 0'],
    ['three bytes of four', 0x0d, [1, 2, 3], 'truncated at 0'],
  ])('refuses %s', (_what, tag, bytes, problem) => {
    expect(problemOf(() => reader(...bytes).skip(tag, bytes.length))).toBe(problem);
  });
});
