import { describe, expect, it } from 'vitest';
import { KeyTable, NO_NUMBER } from '../../src/otlp/key-table.ts';
import { LazyAttributes } from '../../src/otlp/lazy-attributes.ts';
import { ProtoWriter } from '../../src/otlp/proto-writer.ts';

function attributesOf(...entries: readonly (readonly [key: string | Uint8Array, value: string])[]): LazyAttributes {
  const writer = new ProtoWriter({ initialBytes: 1024 });
  const places: (readonly [number, number])[] = [];
  for (const [key, value] of entries) {
    writer.openMessage(1);
    if (typeof key === 'string') writer.text(1, key);
    else writer.bytes(1, key);
    writer.openMessage(2);
    writer.text(1, value);
    writer.closeMessage();
    writer.closeMessage();
    places.push([writer.length, writer.length]);
  }
  const buffer = Buffer.from(writer.finish());
  const attributes = new LazyAttributes(buffer);
  let at = 0;
  for (const [end] of places) {
    // Tag and a length of one or two bytes are in front of each message.
    const head = (buffer[at + 1] ?? 0) < 0x80 ? 2 : 3;
    attributes.add(at + head, end);
    at = end;
  }
  return attributes;
}

describe('attributes', () => {
  it('are found by key, and a key that is not there is not', () => {
    const attributes = attributesOf(['a', '1'], ['b', '2'], ['', '3']);
    expect([attributes.get('a'), attributes.text('b'), attributes.get(''), attributes.get('c')]).toEqual([
      '1',
      '2',
      '3',
      undefined,
    ]);
    expect([attributes.has('a'), attributes.has('c'), attributes.count]).toEqual([true, false, 3]);
    expect(attributes.keys()).toEqual(['a', 'b', '']);
  });

  it('with the same key are one, the first', () => {
    const attributes = attributesOf(['a', 'first'], ['b', '2'], ['a', 'second']);
    expect([attributes.get('a'), attributes.count, attributes.keys()]).toEqual(['first', 2, ['a', 'b']]);
  });

  it('give their bytes, to be compared without being decoded', () => {
    const one = attributesOf(['a', 'x'], ['b', 'y']).bytesOf('b');
    const other = attributesOf(['b', 'y']).bytesOf('b');
    expect(one).toBeDefined();
    expect(Buffer.from(one ?? []).equals(Buffer.from(other ?? []))).toBe(true);
    expect(attributesOf(['a', 'x']).bytesOf('b')).toBeUndefined();
  });

  it('are found though their keys are too long, too many or not Unicode for the table of keys', () => {
    const long = 'k'.repeat(1000);
    expect(attributesOf([long, 'x'], [long, 'y']).get(long)).toBe('x');
    const invalid = attributesOf([Buffer.from([0xff]), 'x'], ['\uFFFD', 'y']);
    expect([invalid.get('\uFFFD'), invalid.keys()]).toEqual(['x', ['\uFFFD']]);
    for (let round = 0; round < 3; round++) {
      const keys = Array.from({ length: 4000 }, (_, i) => `llm.input_messages.${round * 4000 + i}.message.role`);
      const attributes = attributesOf(...keys.map((key): [string, string] => [key, `of ${key}`]));
      expect(attributes.keys()).toEqual(keys);
      expect(keys.filter((key) => attributes.get(key) !== `of ${key}`)).toEqual([]);
    }
  });

  it('are looked up in time that does not grow with their number', () => {
    const keys = Array.from({ length: 60_000 }, (_, i) => `unusual.${i}.${'x'.repeat(130)}`);
    const attributes = attributesOf(...keys.map((key): [string, string] => [key, 'v']));
    // 3.6 thousand million comparisons would outlast any test's time.
    expect(keys.every((key) => attributes.get(key) === 'v')).toBe(true);
  });
});

describe('the table of keys', () => {
  const numberOf = (table: KeyTable, key: string) => table.numberOf(Buffer.from(key), 0, Buffer.byteLength(key));

  it('gives a key one number, whether it is seen or asked for first', () => {
    const table = new KeyTable();
    const seen = numberOf(table, 'gen_ai.system');
    expect(table.numberOfText('gen_ai.system')).toBe(seen);
    const asked = table.numberOfText('gen_ai.operation.name');
    expect(numberOf(table, 'gen_ai.operation.name')).toBe(asked);
    expect([table.text(seen), table.text(asked)]).toEqual(['gen_ai.system', 'gen_ai.operation.name']);
  });

  it('stops at its bound, and still has room for what the program asks for', () => {
    const table = new KeyTable();
    const numbers = Array.from({ length: 20_000 }, (_, i) => numberOf(table, `key.${i}`));
    const given = numbers.filter((number) => number !== NO_NUMBER);
    expect(given.length).toBeGreaterThan(4000);
    expect(given.length).toBeLessThanOrEqual(4096);
    expect(new Set(given).size).toBe(given.length);
    expect(table.numberOfText('asked.for')).not.toBe(NO_NUMBER);
  });
});
