/** Requests of many spans that are small in bytes: what they may have, and what they cost. */
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { expect, it, onTestFinished } from 'vitest';
import { startOtlpGrpc } from '../../src/receive/otlp-grpc.ts';
import { startOtlpHttp } from '../../src/receive/otlp-http.ts';
import { RequestReading } from '../../src/receive/request-reading.ts';
import { EventLog, FakeSink, MIB, receiverOptions } from './receiving.ts';
import { tinySpans, tinySpansInJson } from './tiny-spans.ts';

const EXPORT = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
const TOO_MANY = /more than 100000 spans or log records: send smaller batches/;

async function overHttp(sink: FakeSink, limits: Parameters<typeof receiverOptions>[2] = {}) {
  const log = new EventLog();
  const receiver = await startOtlpHttp(receiverOptions(sink, log, limits));
  onTestFinished(() => receiver.stop());
  const post = async (body: Buffer, type = 'application/x-protobuf') => {
    const init = { method: 'POST', headers: { 'content-type': type }, body: Uint8Array.from(body) };
    const response = await fetch(`http://127.0.0.1:${receiver.port}/v1/traces`, init);
    return { status: response.status, text: await response.text() };
  };
  return { log, post };
}

it('has up to 100,000 spans over HTTP, and is refused whole beyond', async () => {
  const sink = new FakeSink();
  const { log, post } = await overHttp(sink);
  expect((await post(tinySpans(100_000))).status).toBe(200);
  expect(sink.batches.map(({ rows }) => rows)).toEqual([100_000]);

  const protobuf = await post(tinySpans(100_001));
  const json = await post(tinySpansInJson(100_001), 'application/json');

  expect([protobuf.status, json.status]).toEqual([413, 413]);
  expect(protobuf.text).toMatch(TOO_MANY);
  expect(json.text).toMatch(TOO_MANY);
  expect(sink.batches).toHaveLength(1);
  expect(log.refusals()).toEqual([
    ['too-large', 413],
    ['too-large', 413],
  ]);
});

it('is refused over gRPC with RESOURCE_EXHAUSTED, which nobody retries', async () => {
  const sink = new FakeSink();
  const receiver = await startOtlpGrpc(receiverOptions(sink, new EventLog()));
  onTestFinished(() => receiver.stop());
  const client = new Client(`127.0.0.1:${receiver.port}`, credentials.createInsecure());
  onTestFinished(() => client.close());
  const identity = (value: Buffer) => value;
  const error = await new Promise<ServiceError | null>((resolve) => {
    client.makeUnaryRequest(EXPORT, identity, identity, tinySpans(100_001), resolve);
  });
  expect([error?.code, error?.details]).toEqual([8, expect.stringMatching(TOO_MANY)]);
  expect(sink.batches).toEqual([]);
});

it('takes room in the budget for each span, not for bytes alone', async () => {
  const sink = new FakeSink();
  const gate = Promise.withResolvers<void>();
  sink.gate = gate.promise;
  // 60,000 spans have two megabytes, and take 15 MiB more.
  const { post } = await overHttp(sink, { maxBodyBytes: 20 * MIB, maxInFlightBytes: 20 * MIB });
  const arrival = sink.arrival();
  const first = post(tinySpans(60_000));
  await arrival;
  const second = await post(tinySpans(60_000));
  gate.resolve();

  expect([(await first).status, second.status]).toEqual([200, 503]);
  expect((await post(tinySpans(60_000))).status).toBe(200);
});

it('is read aside, however few bytes it has', async () => {
  const reading = new RequestReading(undefined);
  onTestFinished(() => reading.stop());
  expect(reading.isAtOnce('protobuf', tinySpans(2000))).toBe(true);
  expect(reading.isAtOnce('protobuf', tinySpans(2001))).toBe(false);
});
