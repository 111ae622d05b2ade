import { expect, test } from 'vitest';
import { deadLetterOf, tryReadDeadLetter } from '../../../src/receive/kafka/dead-letter.ts';

const PLACE = { topic: 'otlp_spans', partition: 3 };
const RECORD = {
  offset: 41,
  timestamp: 1_700_000_000_000,
  key: Buffer.from('k'),
  value: Buffer.from('v'),
  headers: [{ key: 'theirs', value: Buffer.from('1') }],
};

test('a dead letter says where it came from and why, and its record can be had back', () => {
  const letter = deadLetterOf(PLACE, RECORD, 'decode: it broke');

  expect(letter).toMatchObject({ key: RECORD.key, value: RECORD.value });
  expect(tryReadDeadLetter(letter)).toEqual({
    ...PLACE,
    offset: 41,
    timestamp: 1_700_000_000_000,
    reason: 'decode: it broke',
    headers: RECORD.headers,
  });
});

test('a record that died, was replayed and died again is told by its last death', () => {
  const first = deadLetterOf(PLACE, RECORD, 'first');
  const second = deadLetterOf(
    { topic: 'other', partition: 0 },
    { ...RECORD, headers: first.headers, offset: 7 },
    'second',
  );

  expect(tryReadDeadLetter(second)).toMatchObject({
    topic: 'other',
    offset: 7,
    reason: 'second',
    headers: first.headers,
  });
});

test('a long reason is cut', () => {
  expect(tryReadDeadLetter(deadLetterOf(PLACE, RECORD, 'x'.repeat(5000)))?.reason).toHaveLength(1000);
});

test.each([
  ['no headers', []],
  ['headers of others', [{ key: 'a', value: Buffer.from('b') }]],
  [
    'a partition that is no number',
    deadLetterOf(PLACE, RECORD, 'r').headers.map((header) =>
      header.key === 'assay.partition' ? { ...header, value: Buffer.from('x') } : header,
    ),
  ],
])('%s make no dead letter', (_, headers) => {
  expect(tryReadDeadLetter({ headers })).toBeUndefined();
});
