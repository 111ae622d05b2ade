import { expect, test } from 'vitest';
import type { ClusterEvent } from '../../../src/model/events/cluster-events.ts';
import type { ReceiveEvent } from '../../../src/model/events/receive-events.ts';
import { RecordReading } from '../../../src/serve/cluster/record-reading.ts';

function reading() {
  const events: (ClusterEvent | ReceiveEvent)[] = [];
  const dead: string[] = [];
  const records = new RecordReading({
    kafka: { topics: { spans: ['spans'], logs: [] }, maxRecordBytes: 10_000 },
    redaction: undefined,
    deadLetters: { put: async (_place, _record, reason) => void dead.push(reason) },
    notes: { note: () => undefined },
    onEvent: (event) => events.push(event),
  });
  const read = (value: Buffer | undefined) =>
    records.read({ topic: 'spans', partition: 0 }, { offset: 7, timestamp: 1, key: undefined, value, headers: [] });
  return { read, dead, typesOf: () => events.map(({ type }) => type) };
}

test.each([
  ['a tombstone', undefined],
  ['an empty value', Buffer.alloc(0)],
  ['an empty document', Buffer.from('{}')],
  ['a request of no spans', Buffer.from('{"resourceSpans":[]}')],
])('%s is counted as empty, and is no dead letter', (_, value) => {
  const { read, dead, typesOf } = reading();

  expect(read(value).heldBy).toBeUndefined();

  expect([dead, typesOf()]).toEqual([[], ['record-empty', 'records-read']]);
});

test('JSON that is not OTLP is a dead letter, which holds its offset until it is safe', async () => {
  const { read, dead } = reading();

  await read(Buffer.from('{"not":"otlp"}')).heldBy;

  expect(dead).toEqual([expect.stringMatching(/^decode OTLP traces: .*no resourceSpans \(read as json\)$/)]);
});
