import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { BatchTable } from '../../src/otlp/batch-table.ts';
import { indexTraces } from '../../src/otlp/traces-reader.ts';
import { type Receiver, startOtlpHttp } from '../../src/receive/otlp-http.ts';
import { RequestRedactor } from '../../src/redact/request-redactor.ts';
import { RequestReading } from '../../src/receive/request-reading.ts';
import { type RequestBody, understandRequest } from '../../src/receive/understand-request.ts';
import { BY_DEFAULT } from '../redact/redacting.ts';
import { EventLog, FakeSink, MIB, receiverOptions, wireBody } from './receiving.ts';

const IDS = '"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0102030405060708"';

function jsonOf(spans: readonly string[]): Buffer {
  return Buffer.from(`{"resourceSpans":[{"scopeSpans":[{"spans":[${spans.join(',')}]}]}]}`);
}

function body(bytes: Uint8Array, format: 'json' | 'protobuf' = 'json'): RequestBody {
  return { signal: 'traces', format, bytes };
}

describe('reading requests', () => {
  const reading = new RequestReading(undefined);
  afterEach(() => reading.stop());

  it('is done at once where they are small', () => {
    const understood = reading.understand(body(wireBody('ai-sdk-7-traces.pb'), 'protobuf'));
    expect(understood).not.toBeInstanceOf(Promise);
  });

  it('gives the same aside where they are large: rows, table, rejections and what is left of the bytes', async () => {
    const long = 'x'.repeat(2 * MIB);
    const json = jsonOf([`{${IDS},"name":"${long}"}`, `{"name":"no ids"}`, `{${IDS},"name":"short"}`]);
    const before = Buffer.from(json);
    const understood = reading.understand(body(json));
    expect(understood).toBeInstanceOf(Promise);
    const found = await understood;
    if (!('batch' in found)) throw new Error(found.malformed);

    expect(json.equals(before)).toBe(true);
    expect([found.batch.rows, found.rejection?.records]).toEqual([2, 1]);
    const index = indexTraces(found.batch.bytes);
    expect([index.view(0).name, index.view(1).name]).toEqual([long, 'short']);
    const table = BatchTable.read(found.batch.table);
    expect(indexTraces(found.batch.bytes).rows.start(1)).toBe(table.start(1));
  });

  it('says aside what is wrong, too', async () => {
    const found = await reading.understand(body(jsonOf([`{"name":"${'x'.repeat(2 * MIB)}","kind":{}}`])));
    expect('malformed' in found && found.malformed).toMatch(/spans\[0\]\.kind.*expected a number/);
  });

  it('goes on after it was stopped in the middle', async () => {
    const large = body(jsonOf([`{${IDS},"name":"${'x'.repeat(2 * MIB)}"}`]));
    const interrupted = reading.understand(large);
    const failed = expect(interrupted).rejects.toThrow('has ended');
    await reading.stop();
    await failed;
    expect(await reading.understand(large)).toHaveProperty('batch');
  });
});

it('gives redaction up that takes too long at once, and does it aside with the same result', async () => {
  const reading = new RequestReading(BY_DEFAULT);
  onTestFinished(() => reading.stop());
  const hostile = JSON.stringify('"cookie: 4111\\n4111\\u0020", '.repeat(12_000));
  const request = body(jsonOf([`{${IDS},"name":${hostile}}`]));
  expect(reading.isAtOnce('json', request.bytes)).toBe(true);

  const understood = reading.understand(request);

  expect(understood).toBeInstanceOf(Promise);
  const patient = understandRequest(request, new RequestRedactor(BY_DEFAULT));
  const found = await understood;
  if (!('batch' in found && 'batch' in patient)) throw new Error('not understood');
  expect(Buffer.from(found.batch.bytes).equals(patient.batch.bytes)).toBe(true);
  expect(found.redactions).toEqual(patient.redactions);
});

it('reads small requests aside as well after one that took far too long, and they come out the same', async () => {
  const reading = new RequestReading(BY_DEFAULT);
  onTestFinished(() => reading.stop());
  const small = jsonOf([`{${IDS},"name":"${'x'.repeat(20_000)}"}`]);
  const atOnce = reading.understand(body(small));
  expect(atOnce).not.toBeInstanceOf(Promise);
  const hostile = jsonOf([`{${IDS},"name":"${'cookie: '.repeat(50_000)}"}`]);
  // A fast machine may need several to be slow.
  for (let sent = 0; sent < 50 && reading.isAtOnce('json', small); sent += 1) await reading.understand(body(hostile));

  const aside = reading.understand(body(small));

  expect(aside).toBeInstanceOf(Promise);
  const [one, other] = [await atOnce, await aside];
  if (!('batch' in one && 'batch' in other)) throw new Error('not understood');
  expect(Buffer.from(other.batch.bytes).equals(one.batch.bytes)).toBe(true);
  expect(Buffer.from(other.batch.table).equals(one.batch.table)).toBe(true);
});

describe('a receiver', () => {
  let receiver: Receiver;
  afterEach(() => receiver.stop());

  it('answers others while it reads the largest JSON there can be', async () => {
    const sink = new FakeSink();
    receiver = await startOtlpHttp(receiverOptions(sink, new EventLog()));
    const url = `http://127.0.0.1:${receiver.port}/v1/traces`;
    const hostile = Buffer.from(`{"resourceSpans":[${'{},'.repeat(10_000_000)}{}]}`);
    const order: string[] = [];
    const large = fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: hostile }).then(
      ({ status }) => order.push(`large ${status}`),
    );
    const small = Uint8Array.from(wireBody('ai-sdk-7-traces.pb'));
    const headers = { 'content-type': 'application/x-protobuf' };
    for (let i = 0; i < 20; i++) {
      const { status } = await fetch(url, { method: 'POST', headers, body: small });
      order.push(`small ${status}`);
    }
    await large;
    expect(order.filter((entry) => entry === 'small 200')).toHaveLength(20);
    // Ten million resources, none of which has a span.
    expect(order.at(-1)).toBe('large 413');
  });
});
