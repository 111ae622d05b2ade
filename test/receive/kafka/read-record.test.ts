import { gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { transcodeLogs, transcodeTraces } from '../../../src/otlp/json-transcoder.ts';
import { readRecord } from '../../../src/receive/kafka/read-record.ts';

const TRACE_ID = 'a'.repeat(32);
const JSON_TRACES = JSON.stringify({
  resourceSpans: [{ scopeSpans: [{ spans: [{ traceId: TRACE_ID, spanId: '1'.repeat(16), name: 'span' }] }] }],
});
const JSON_LOGS = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [{ traceId: TRACE_ID }] }] }] });
const NO_IDS = '{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"span"}]}]}]}';
const PROTO_TRACES = transcodeTraces(Buffer.from(JSON_TRACES));
const PROTO_LOGS = transcodeLogs(Buffer.from(JSON_LOGS));

function read(value: Uint8Array | undefined, signal: 'traces' | 'logs' = 'traces') {
  return readRecord(value, { signal, bytesMax: 10_000, redactor: undefined });
}

test.each([
  ['protobuf', PROTO_TRACES, 'traces'],
  ['JSON', Buffer.from(JSON_TRACES), 'traces'],
  ['JSON after white space', Buffer.from(`\n  ${JSON_TRACES}`), 'traces'],
  ['gzipped protobuf', gzipSync(PROTO_TRACES), 'traces'],
  ['JSON in zstd', zstdCompressSync(Buffer.from(JSON_TRACES)), 'traces'],
  ['log records in protobuf', PROTO_LOGS, 'logs'],
  ['log records in JSON', Buffer.from(JSON_LOGS), 'logs'],
] as const)('%s is read', (_, value, signal) => {
  const found = read(value, signal);

  if (!('batch' in found)) throw new Error(JSON.stringify(found));
  expect(found.batch.rows).toBe(1);
  expect(found.batch.signal).toBe(signal);
});

test.each([
  ['an empty message', Buffer.from('{}')],
  ['a message of no spans', Buffer.from('{"resourceSpans":[]}')],
])('%s is read, and has no rows', (_, value) => {
  expect(read(value)).toMatchObject({ batch: { rows: 0 }, rejected: 0 });
});

test('spans in a topic of log records are poison', () => {
  expect(read(Buffer.from(JSON_TRACES), 'logs')).toEqual({
    poison: expect.stringContaining('a request of traces, and not of logs'),
  });
  expect('poison' in read(PROTO_TRACES, 'logs')).toBe(true);
});

test('a record without a value is nothing of ours', () => {
  expect(read(undefined)).toEqual({ empty: true });
  expect(read(Buffer.alloc(0))).toEqual({ empty: true });
});

test.each([
  ['text', Buffer.from('hello world'), 'read as protobuf'],
  ['half a message', PROTO_TRACES.subarray(0, PROTO_TRACES.length - 3), 'read as protobuf'],
  ['half a JSON text', Buffer.from(JSON_TRACES.slice(0, -5)), 'read as json'],
  ['gzip that breaks off', gzipSync(PROTO_TRACES).subarray(0, 20), 'decompress'],
  ['a request of metrics', Buffer.from('{"resourceMetrics":[{}]}'), 'a request of metrics, and not of traces'],
  ['log records among spans', Buffer.from(JSON_LOGS), 'a request of logs, and not of traces'],
  ['JSON of another kind', Buffer.from('{"not":"otlp"}'), 'no resourceSpans'],
  ['spans without ids', transcodeTraces(Buffer.from(NO_IDS)), '1 without a trace id'],
  ['more than a record may hold', gzipSync(Buffer.alloc(20_000)), 'decompress'],
  ['more than a record may hold, as it is', Buffer.alloc(10_001), 'more than a record may have'],
])('%s is poison, and says why', (_, value, reason) => {
  const found = read(value);

  expect('poison' in found && found.poison).toContain(reason);
});
