import { gzipSync, zstdCompressSync } from 'node:zlib';
import { compressFrameSync } from 'lz4-napi';
import { compressSync } from 'snappy';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { offsetBehind, readBatches } from '../../../src/kafka/kafkajs/record-batches.ts';
import { rounds } from '../../rounds.ts';

const LIMIT = 1_000_000;

function varint(value: number): Buffer {
  let zigzag = BigInt(value) >= 0n ? BigInt(value) * 2n : -BigInt(value) * 2n - 1n;
  const bytes: number[] = [];
  for (; zigzag >= 128n; zigzag >>= 7n) bytes.push(Number(zigzag & 127n) | 128);
  bytes.push(Number(zigzag));
  return Buffer.from(bytes);
}

const sized = (bytes: Buffer | undefined) =>
  bytes === undefined ? varint(-1) : Buffer.concat([varint(bytes.length), bytes]);

interface TestRecord {
  readonly key?: Buffer;
  readonly value?: Buffer | undefined;
  readonly headers?: readonly (readonly [string, Buffer | undefined])[];
}

interface TestBatch {
  readonly baseOffset?: number;
  readonly attributes?: number;
  readonly producerId?: number;
  readonly lastOffsetDelta?: number;
  readonly records: readonly TestRecord[];
  readonly compress?: (bytes: Buffer) => Buffer;
}

function batchOf({ baseOffset = 0, attributes = 0, producerId = -1, records, compress, ...rest }: TestBatch): Buffer {
  const body = Buffer.concat(
    records.map(({ key, value, headers = [] }, index) =>
      sized(
        Buffer.concat([
          Buffer.from([0]),
          varint(index * 10),
          varint(index),
          sized(key),
          sized(value),
          varint(headers.length),
          ...headers.flatMap(([name, content]) => [sized(Buffer.from(name)), sized(content)]),
        ]),
      ),
    ),
  );
  const content = compress?.(body) ?? body;
  const head = Buffer.alloc(61);
  head.writeBigInt64BE(BigInt(baseOffset), 0);
  head.writeInt32BE(49 + content.length, 8);
  head.writeInt8(2, 16);
  head.writeInt16BE(attributes, 21);
  head.writeInt32BE(rest.lastOffsetDelta ?? records.length - 1, 23);
  head.writeBigInt64BE(1_000n, 27);
  head.writeBigInt64BE(5_000n, 35);
  head.writeBigInt64BE(BigInt(producerId), 43);
  head.writeInt32BE(records.length, 57);
  return Buffer.concat([head, content]);
}

const value = (text: string): TestRecord => ({ value: Buffer.from(text) });
const read = (bytes: Buffer, fromOffset = 0, aborted: { producerId: bigint; firstOffset: number }[] = []) =>
  readBatches({ bytes, fromOffset, aborted }, LIMIT);

test('records have offsets, times, keys and headers as written; null is nothing, empty is empty', async () => {
  const batch = batchOf({
    baseOffset: 70,
    records: [
      {
        key: Buffer.from('k'),
        value: undefined,
        headers: [
          ['h', undefined],
          ['h', Buffer.from('1')],
        ],
      },
      { value: Buffer.alloc(0) },
    ],
  });

  expect(await read(batch)).toEqual([
    {
      offset: 70,
      timestamp: 1000,
      key: Buffer.from('k'),
      value: undefined,
      headers: [
        { key: 'h', value: undefined },
        { key: 'h', value: Buffer.from('1') },
      ],
    },
    { offset: 71, timestamp: 1010, key: undefined, value: Buffer.alloc(0), headers: [] },
  ]);
});

test('where the broker gives the time, all records of the batch have it', async () => {
  const records = await read(batchOf({ attributes: 0x08, records: [value('a'), value('b')] }));

  expect(records.map(({ timestamp }) => timestamp)).toEqual([5000, 5000]);
});

/** Framing as Java does it. */
function xerial(bytes: Buffer): Buffer {
  const parts: Buffer[] = [Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0, 0, 0, 0, 1, 0, 0, 0, 1])];
  for (let at = 0; at < bytes.length; at += 32_768) {
    const block = compressSync(bytes.subarray(at, at + 32_768));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(block.length);
    parts.push(length, block);
  }
  return Buffer.concat(parts);
}

const CODECS: readonly (readonly [string, number, (bytes: Buffer) => Buffer])[] = [
  ['gzip', 1, (bytes) => gzipSync(bytes)],
  ['snappy in blocks', 2, xerial],
  ['snappy, bare', 2, (bytes) => compressSync(bytes)],
  ['lz4', 3, (bytes) => compressFrameSync(Buffer.from(bytes))],
  ['zstd', 4, (bytes) => zstdCompressSync(bytes)],
];

test.each(CODECS)('%s is undone, up to the limit', async (_, attributes, compress) => {
  const fits = batchOf({ attributes, compress, records: [value('a'.repeat(300_000)), value('b'.repeat(300_000))] });
  const bomb = batchOf({ baseOffset: 2, attributes, compress, records: [value('0'.repeat(5_000_000))] });
  const behind = batchOf({ baseOffset: 3, records: [value('fine')] });

  const records = await read(Buffer.concat([fits, bomb, behind]));

  expect(records.map((record) => record.unreadable ?? record.value?.length)).toEqual([
    300_000,
    300_000,
    expect.stringContaining('cannot be read'),
    4,
  ]);
  expect(records[2]).toMatchObject({ offset: 2, value: bomb });
});

test('what lies before the offset that was asked for is left out', async () => {
  const batches = Buffer.concat([
    batchOf({ records: [value('a'), value('b')] }),
    batchOf({ baseOffset: 2, records: [value('c'), value('d')] }),
  ]);

  expect((await read(batches, 3)).map(({ offset }) => offset)).toEqual([3]);
});

test('a batch that is cut off waits for the next fetch; an empty one is passed', async () => {
  const whole = batchOf({ records: [value('a')] });
  const emptied = batchOf({ baseOffset: 1, lastOffsetDelta: 4, records: [] });
  const bytes = Buffer.concat([whole, emptied, whole.subarray(0, whole.length - 1)]);

  expect(offsetBehind(bytes)).toBe(6);
  expect((await read(bytes)).map(({ offset }) => offset)).toEqual([0]);
  expect(offsetBehind(whole.subarray(0, 30))).toBeUndefined();
});

test('of an aborted transaction nothing is seen, of the same producer’s next one everything', async () => {
  const inTransaction = 0x10;
  const marker = batchOf({ baseOffset: 2, attributes: inTransaction | 0x20, producerId: 9, records: [value('')] });
  const bytes = Buffer.concat([
    batchOf({ baseOffset: 0, attributes: inTransaction, producerId: 9, records: [value('aborted')] }),
    batchOf({ baseOffset: 1, attributes: inTransaction, producerId: 8, records: [value('other')] }),
    marker,
    batchOf({ baseOffset: 3, attributes: inTransaction, producerId: 9, records: [value('next')] }),
  ]);

  const records = await read(bytes, 0, [{ producerId: 9n, firstOffset: 0 }]);

  expect(records.map((record) => record.value?.toString())).toEqual(['other', 'next']);
});

test.each([
  ['an older message format', (batch: Buffer) => batch.writeInt8(1, 16), 'message format 1'],
  ['a compression of the future', (batch: Buffer) => batch.writeInt16BE(7, 21), 'compression 7'],
  ['more records than there are', (batch: Buffer) => batch.writeInt32BE(1000, 57), 'cut off'],
  ['a record that says another length', (batch: Buffer) => batch.writeInt8(4, 61), 'not as long as it says'],
])('%s becomes one record that says so, and the next batch is read', async (_, spoil, reason) => {
  const spoiled = batchOf({ records: [value('a')] });
  spoil(spoiled);

  const [bad, next] = await read(Buffer.concat([spoiled, batchOf({ baseOffset: 1, records: [value('b')] })]));

  expect(bad).toMatchObject({ offset: 0, unreadable: expect.stringContaining(reason), value: spoiled });
  expect(next?.value?.toString()).toBe('b');
});

test('noise throws nothing and does not take long', async () => {
  const batch = batchOf({ records: [{ ...value('abc'), headers: [['h', Buffer.from('v')]] }, value('d')] });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(batch.length - 1), fc.nat(255)), { maxLength: 6 }), async (changes) => {
      const noisy = Buffer.from(batch);
      for (const [at, byte] of changes) noisy[at] = byte;
      const records = await read(noisy);
      expect(records.length).toBeLessThanOrEqual(noisy.length);
    }),
    { numRuns: rounds(2_000) },
  );
});
