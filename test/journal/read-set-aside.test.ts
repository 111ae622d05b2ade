import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readSetAside, stretchName } from '../../src/journal/read-set-aside.ts';
import { bodyChecksum, RECORD_HEAD_BYTES, recordLength, writeRecordHead } from '../../src/journal/record.ts';
import { randomFrom } from '../random.ts';
import { tempDirectory } from '../temp-directory.ts';

const SALT = 0x9d2c5680;
const POSITION = 1_000_000 * 64;
const TABLE = Buffer.from('a table');
const PAYLOAD = Buffer.from('what an agent said, and what was asked of it. '.repeat(40));

/** A record as it stands in the journal, padded. */
function record(position: number, payload: Buffer): Buffer {
  const lengths = { tableLength: TABLE.length, payloadLength: payload.length };
  const bodyCrc = bodyChecksum(SALT, TABLE, payload);
  const head = writeRecordHead(SALT, { position, logTime: 7, kind: 'traces', rows: 3, ...lengths, bodyCrc });
  return Buffer.concat([head, TABLE, payload], recordLength(lengths));
}

function flip(bytes: Buffer, bit: number): void {
  bytes.writeUInt8(bytes.readUInt8(bit >>> 3) ^ (1 << (bit & 7)), bit >>> 3);
}

async function readAll(
  bytes: Buffer,
  name = stretchName(POSITION, SALT),
): Promise<{ requests: string[]; mendedRows: unknown[]; unreadable: number }> {
  const file = path.join(tempDirectory(), name);
  writeFileSync(file, bytes);
  const requests: string[] = [];
  const mendedRows: unknown[] = [];
  const reading = readSetAside(file);
  for (;;) {
    const next = await reading.next();
    if (next.done === true) return { requests, mendedRows, unreadable: next.value };
    requests.push(Buffer.from(next.value.bytes).toString());
    mendedRows.push(next.value.mendedRows);
  }
}

test('a record with one flipped bit anywhere in its body is read as it was', async () => {
  const random = randomFrom(3);
  const bits = (TABLE.length + PAYLOAD.length) * 8;
  const somewhere = Array.from({ length: 60 }, () => Math.floor(random() * bits));
  for (const bit of [0, 7, 8, bits - 8, bits - 1, ...somewhere]) {
    const bytes = record(POSITION, PAYLOAD);
    flip(bytes, RECORD_HEAD_BYTES * 8 + bit);

    const found = await readAll(bytes);

    expect(found, `bit ${bit}`).toEqual({ requests: [PAYLOAD.toString()], mendedRows: [3], unreadable: 0 });
  }
});

test('two flipped bits, a damaged head, and a record of another place are not read', async () => {
  const two = record(POSITION, PAYLOAD);
  flip(two, RECORD_HEAD_BYTES * 8 + 100);
  flip(two, RECORD_HEAD_BYTES * 8 + 9000);
  const heads = [8, 16, 24, 30, 36, 40].map((byte) => {
    const head = record(POSITION, PAYLOAD);
    flip(head, byte * 8);
    return head;
  });
  const elsewhere = record(POSITION + 64, PAYLOAD);
  flip(elsewhere, RECORD_HEAD_BYTES * 8 + 100);

  for (const bytes of [two, ...heads, elsewhere])
    expect(await readAll(bytes)).toEqual({ requests: [], mendedRows: [], unreadable: bytes.length });
});

test('a stretch that an earlier version set aside, without the salt, is read as far as it is intact', async () => {
  const intact = record(POSITION, PAYLOAD);
  const damaged = record(POSITION, PAYLOAD);
  flip(damaged, RECORD_HEAD_BYTES * 8 + 100);
  const name = `${POSITION}.bin`;

  expect(await readAll(intact, name)).toMatchObject({ requests: [PAYLOAD.toString()], unreadable: 0 });
  expect(await readAll(damaged, name)).toMatchObject({ requests: [], unreadable: damaged.length });
});

test('what lies behind a corrected record is read as well', async () => {
  const first = record(POSITION, PAYLOAD);
  const second = record(POSITION + first.length, Buffer.from('the second'));
  flip(first, RECORD_HEAD_BYTES * 8 + 1234);

  const found = await readAll(Buffer.concat([first, second]));

  expect(found).toEqual({ requests: [PAYLOAD.toString(), 'the second'], mendedRows: [3, undefined], unreadable: 0 });
});
