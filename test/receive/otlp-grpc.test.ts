import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startOtlpGrpc } from '../../src/receive/otlp-grpc.ts';
import type { Receiver } from '../../src/receive/otlp-http.ts';
import { otlp } from '../otlp/otlp.proto.ts';
import { EventLog, FakeSink, MIB, receiverOptions, wireBody } from './receiving.ts';

const TRACES = wireBody('ai-sdk-7-traces.pb');
const LOGS = wireBody('otel-contrib-openai-logs.pb');
const TRACE_EXPORT = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
const LOGS_EXPORT = '/opentelemetry.proto.collector.logs.v1.LogsService/Export';
const METRICS_EXPORT = '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export';

let sink: FakeSink;
let log: EventLog;
let receiver: Receiver;
let client: Client;

beforeEach(async () => {
  sink = new FakeSink();
  log = new EventLog();
  receiver = await startOtlpGrpc(receiverOptions(sink, log));
  client = clientOf(receiver);
});
afterEach(async () => {
  client.close();
  await receiver.stop();
});

function clientOf({ port }: Receiver): Client {
  return new Client(`127.0.0.1:${port}`, credentials.createInsecure(), { 'grpc.max_send_message_length': -1 });
}

type Reply = { readonly ok: Buffer } | { readonly error: ServiceError };

function call(path: string, bytes: Uint8Array, options: { readonly client?: Client } = {}): Promise<Reply> {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const identity = (value: Buffer) => value;
  (options.client ?? client).makeUnaryRequest(path, identity, identity, Buffer.from(bytes), (error, response) => {
    if (error !== null) resolve({ error });
    else resolve({ ok: response ?? Buffer.alloc(0) });
  });
  return promise;
}

function errorOf(reply: Reply): ServiceError {
  if ('error' in reply) return reply.error;
  throw new Error('expected the call to fail');
}

function detailsOf(error: ServiceError): { readonly message: string; readonly retry: unknown } {
  const [bytes] = error.metadata.get('grpc-status-details-bin');
  if (!Buffer.isBuffer(bytes)) throw new Error('there are no status details');
  const status = otlp.Status.toObject(otlp.Status.decode(bytes), { arrays: true });
  const [detail] = status.details;
  return {
    message: status.message,
    retry: detail === undefined ? undefined : otlp.RetryInfo.decode(detail.value).toJSON(),
  };
}

describe('an export over gRPC', () => {
  it('reaches the sink byte for byte, traces and logs', async () => {
    const traces = await call(TRACE_EXPORT, TRACES);
    const logs = await call(LOGS_EXPORT, LOGS);
    expect([traces, logs]).toEqual([{ ok: Buffer.alloc(0) }, { ok: Buffer.alloc(0) }]);
    expect(sink.batches.map(({ signal }) => signal)).toEqual(['traces', 'logs']);
    expect(Buffer.from(sink.batches[0]?.bytes ?? []).equals(TRACES)).toBe(true);
    expect(Buffer.from(sink.batches[1]?.bytes ?? []).equals(LOGS)).toBe(true);
  });

  it('of metrics is counted and thrown away', async () => {
    expect(await call(METRICS_EXPORT, Buffer.from('anything'))).toEqual({ ok: Buffer.alloc(0) });
    expect(sink.batches).toEqual([]);
    expect(log.events).toEqual([{ type: 'metrics-discarded', transport: 'grpc', bytes: 8 }]);
  });

  it("of more than gRPC's usual 4 MiB is taken", async () => {
    const span = { traceId: Buffer.alloc(16, 1), spanId: Buffer.alloc(8, 1), name: 'x'.repeat(5 * MIB) };
    const request = otlp.TracesData.encode(
      otlp.TracesData.fromObject({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
    ).finish();
    expect(await call(TRACE_EXPORT, request)).toEqual({ ok: Buffer.alloc(0) });
  });

  it('is told by a partial success which spans were rejected', async () => {
    const request = otlp.TracesData.encode(
      otlp.TracesData.fromObject({ resourceSpans: [{ scopeSpans: [{ spans: [{ name: 'a' }, { name: 'b' }] }] }] }),
    ).finish();
    const reply = await call(TRACE_EXPORT, request);
    if ('error' in reply) throw reply.error;
    expect(otlp.TraceResponse.decode(reply.ok).toJSON()).toEqual({
      partialSuccess: {
        rejectedSpans: '2',
        errorMessage: 'rejected 2 spans: 2 without a trace id of 16 bytes that is not all zero',
      },
    });
  });

  it('gets INVALID_ARGUMENT where it is malformed, with no hint to send it again', async () => {
    const error = errorOf(await call(TRACE_EXPORT, TRACES.subarray(0, 100)));
    expect(error.code).toBe(3);
    expect(error.details).toMatch(/^decode OTLP traces: protobuf at byte \d+: /);
    expect(detailsOf(error)).toEqual({ message: error.details, retry: undefined });
    expect(log.refusals()).toEqual([['malformed', 3]]);
  });

  it('gets UNAVAILABLE with RetryInfo where the sink does not admit it', async () => {
    sink.admission = { admitted: false, reason: 'disk-full: no space left', retryAfterSeconds: 3 };
    const error = errorOf(await call(TRACE_EXPORT, TRACES));
    expect(error.code).toBe(14);
    expect(detailsOf(error)).toEqual({ message: 'disk-full: no space left', retry: { retryDelay: { seconds: '3' } } });
    expect(log.refusals()).toEqual([['not-admitted', 14]]);
  });

  it('gets RESOURCE_EXHAUSTED without RetryInfo where it is too large', async () => {
    const small = await startOtlpGrpc(receiverOptions(sink, log, { maxBodyBytes: TRACES.length - 1 }));
    const smallClient = clientOf(small);
    const error = errorOf(await call(TRACE_EXPORT, TRACES, { client: smallClient }));
    expect(error.code).toBe(8);
    expect(detailsOf(error).retry).toBeUndefined();
    expect(log.refusals()).toEqual([['too-large', 8]]);
    smallClient.close();
    await small.stop();
  });

  it('is turned away while requests in hand fill the room, and taken afterwards', async () => {
    const tight = await startOtlpGrpc(receiverOptions(sink, log, { maxInFlightBytes: TRACES.length + 5 }));
    const tightClient = clientOf(tight);
    const gate = Promise.withResolvers<void>();
    sink.gate = gate.promise;
    const arrived = sink.arrival();
    const first = call(TRACE_EXPORT, TRACES, { client: tightClient });
    await arrived;

    const error = errorOf(await call(TRACE_EXPORT, TRACES, { client: tightClient }));
    expect([error.code, detailsOf(error).retry]).toEqual([14, { retryDelay: { seconds: '1' } }]);
    expect(log.refusals()).toEqual([['overloaded', 14]]);

    gate.resolve();
    expect(await first).toEqual({ ok: Buffer.alloc(0) });
    expect(await call(TRACE_EXPORT, TRACES, { client: tightClient })).toEqual({ ok: Buffer.alloc(0) });
    tightClient.close();
    await tight.stop();
  });

  it('that its client abandons is counted, and nobody else notices', async () => {
    const session = connectHttp2(`http://127.0.0.1:${receiver.port}`);
    const stream = session.request({
      ':method': 'POST',
      ':path': TRACE_EXPORT,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    stream.on('error', () => undefined);
    const counted = log.next('request-refused');
    // A head that announces a mebibyte, and a few bytes of it.
    stream.write(Buffer.from([0, 0, 0x10, 0, 0, 1, 2, 3]), () => session.destroy());
    await counted;
    expect(log.refusals().map(([reason]) => reason)).toEqual(['aborted']);
    expect(await call(TRACE_EXPORT, TRACES)).toEqual({ ok: Buffer.alloc(0) });
  });
});

describe('a call that no client library makes', () => {
  const HEAD = { ':method': 'POST', ':path': TRACE_EXPORT, 'content-type': 'application/grpc', te: 'trailers' };

  async function rawCall(
    body: Buffer,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly status: unknown; readonly code: unknown; readonly message: string }> {
    const session = connectHttp2(`http://127.0.0.1:${receiver.port}`);
    const stream = session.request({ ...HEAD, ...headers });
    const { promise, resolve } = Promise.withResolvers<Readonly<Record<string, unknown>>>();
    stream.on('error', () => undefined);
    stream.on('response', resolve);
    stream.write(body);
    const said = await promise;
    session.destroy();
    return {
      status: said[':status'],
      code: said['grpc-status'],
      message: decodeURIComponent(String(said['grpc-message'] ?? '')),
    };
  }

  const framed = (flag: number, bytes: Uint8Array) => {
    const head = Buffer.alloc(5);
    head.writeUInt8(flag);
    head.writeUInt32BE(bytes.length, 1);
    return Buffer.concat([head, bytes]);
  };

  it('is refused at once where it announces too much', async () => {
    expect(await rawCall(Buffer.from([0, 0x40, 0, 0, 0, 1]))).toMatchObject({ status: 200, code: '8' });
    expect(log.refusals()).toEqual([['too-large', 8]]);
  });

  it('is refused where it is another method, compression or type', async () => {
    const message = framed(0, TRACES);
    expect(await rawCall(message, { ':path': '/x.Y/Z' })).toMatchObject({ code: '12' });
    expect(await rawCall(message, { 'grpc-encoding': 'snappy' })).toMatchObject({
      code: '12',
      message: 'grpc-encoding "snappy": expected identity, gzip, deflate or zstd',
    });
    expect(await rawCall(message, { 'content-type': 'application/json' })).toMatchObject({ status: 415 });
    expect(log.refusals()).toEqual([
      ['unknown-path', 12],
      ['unsupported-encoding', 12],
    ]);
  });
});

describe('compression', () => {
  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['zstd', zstdCompressSync],
  ] as const)('%s is undone, small and large', async (encoding, compress) => {
    const large = otlp.TracesData.encode(
      otlp.TracesData.fromObject({
        resourceSpans: [
          {
            scopeSpans: [
              { spans: [{ traceId: Buffer.alloc(16, 1), spanId: Buffer.alloc(8, 1), name: 'x'.repeat(MIB) }] },
            ],
          },
        ],
      }),
    ).finish();
    const session = connectHttp2(`http://127.0.0.1:${receiver.port}`);
    for (const bytes of [TRACES, large]) {
      const compressed = compress(bytes);
      const head = Buffer.alloc(5);
      head.writeUInt8(1);
      head.writeUInt32BE(compressed.length, 1);
      const stream = session.request({
        ':method': 'POST',
        ':path': TRACE_EXPORT,
        'content-type': 'application/grpc+proto',
        'grpc-encoding': encoding,
        te: 'trailers',
      });
      const { promise, resolve } = Promise.withResolvers<unknown>();
      stream.on('trailers', (trailers) => resolve(trailers['grpc-status']));
      stream.resume();
      stream.end(Buffer.concat([head, compressed]));
      expect(await promise).toBe('0');
      expect(Buffer.from(sink.batches.at(-1)?.bytes ?? []).equals(Buffer.from(bytes))).toBe(true);
    }
    session.close();
  });
});

describe('stopping', () => {
  it('lets a call in hand finish, and may be asked for twice', async () => {
    const gate = Promise.withResolvers<void>();
    sink.gate = gate.promise;
    const arrived = sink.arrival();
    const reply = call(TRACE_EXPORT, TRACES);
    await arrived;
    const stopped = receiver.stop();
    gate.resolve();
    expect(await reply).toEqual({ ok: Buffer.alloc(0) });
    await Promise.all([stopped, receiver.stop()]);
  });

  it('ends although a client is frozen, and never closes its side', { timeout: 20_000 }, async () => {
    const frozen = connect({ port: receiver.port, host: '127.0.0.1', allowHalfOpen: true });
    onTestFinished(() => void frozen.destroy());
    const settings = Buffer.from('000000040000000000', 'hex');
    frozen.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), settings]));
    // The server's settings: it has a session.
    await once(frozen, 'readable');
    await receiver.stop();
  });

  it('says what to do where the port is taken', async () => {
    await expect(startOtlpGrpc({ ...receiverOptions(sink, log), port: receiver.port })).rejects.toThrow(
      /cannot listen on 127\.0\.0\.1:\d+ for OTLP\/gRPC: another program uses it/,
    );
  });
});
