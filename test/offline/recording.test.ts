/** The forms in which people have their recorded spans. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { transcodeTraces } from '../../src/otlp/json-transcoder.ts';
import { readRecording, RecordingError } from '../../src/offline/recording.ts';
import { tempDirectory } from '../temp-directory.ts';

const span = (id: string) => ({
  traceId: id.repeat(32),
  spanId: id.repeat(16),
  name: 'a',
  startTimeUnixNano: '1',
  endTimeUnixNano: '2',
});
const request = (id: string) => ({ resourceSpans: [{ scopeSpans: [{ spans: [span(id)] }] }] });
const line = (id: string) => JSON.stringify(request(id));
const framed = (bytes: Uint8Array) => {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(bytes.length);
  return Buffer.concat([head, bytes]);
};
const protobuf = (id: string) => transcodeTraces(Buffer.from(line(id)));

async function rowsOf(content: string | Uint8Array): Promise<readonly number[]> {
  const file = path.join(tempDirectory(), 'recorded');
  writeFileSync(file, content);
  const rows: number[] = [];
  for await (const batch of readRecording(file)) rows.push(batch.rows);
  return rows;
}

test.each<[string, string | Uint8Array, readonly number[]]>([
  ['a request on each line', `${line('a')}\n${line('b')}\n`, [1, 1]],
  ['a last line without an end', `${line('a')}\n${line('b')}`, [1, 1]],
  ['one document over many lines', JSON.stringify(request('a'), undefined, 2), [1]],
  ['the same, compressed', gzipSync(JSON.stringify(request('a'), undefined, 2)), [1]],
  ['lines, compressed by gzip', gzipSync(`${line('a')}\n${line('b')}\n`), [1, 1]],
  ['lines, compressed by zstd', zstdCompressSync(`${line('a')}\n${line('b')}\n`), [1, 1]],
  ['one request as protobuf', protobuf('a'), [1]],
  ['requests as protobuf, each with its length', Buffer.concat([framed(protobuf('a')), framed(protobuf('b'))]), [1, 1]],
  ['nothing', '', []],
])('%s', async (_form, content, rows) => {
  expect(await rowsOf(content)).toEqual(rows);
});

test.each([
  ['what is no OTLP', '{"hello": 1}', /recorded:1: neither "resourceSpans" nor "resourceLogs"/],
  ['a broken line, with its number', `${line('a')}\n{"resourceSpans": 7}\n`, /recorded:2: /],
  ['a document that ends too early', '{\n  "resourceSpans": [', /recorded: /],
])('%s is refused', async (_what, content, message) => {
  await expect(rowsOf(content)).rejects.toThrow(RecordingError);
  await expect(rowsOf(content)).rejects.toThrow(message);
});

const conversation = (id: string) =>
  JSON.stringify({ conversation_id: id, messages: [{ role: 'user', content: `Hello from ${id}` }] });

test('a file in which two lines are the same conversation is refused, with both lines', async () => {
  const twice = [conversation('a'), conversation('b'), conversation('a')].join('\n');

  await expect(rowsOf(twice)).rejects.toThrow(/recorded:3: the conversation "a" is in line 1 already/);
  await expect(rowsOf(gzipSync(twice))).rejects.toThrow(/:3: the conversation "a" is in line 1 already/);
  await expect(rowsOf([conversation('a'), conversation('b')].join('\n'))).resolves.toHaveLength(2);
});
