import { request as httpRequest } from 'node:http';
import { deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BatchTable } from '../../src/otlp/batch-table.ts';
import { type Receiver, startOtlpHttp } from '../../src/receive/otlp-http.ts';
import { otlp } from '../otlp/otlp.proto.ts';
import { EventLog, FakeSink, MIB, openSocket, receiverOptions, wireBody } from './receiving.ts';

const TRACES = wireBody('ai-sdk-7-traces.pb');
const TRACES_JSON = wireBody('ai-sdk-6-traces.json');
const LOGS = wireBody('otel-contrib-openai-logs.pb');
const PROTOBUF = 'application/x-protobuf';
const JSON_TYPE = 'application/json';

let sink: FakeSink;
let log: EventLog;
let receiver: Receiver;

beforeEach(async () => {
  sink = new FakeSink();
  log = new EventLog();
  receiver = await startOtlpHttp(receiverOptions(sink, log));
});
afterEach(() => receiver.stop());

interface Reply {
  readonly status: number;
  readonly type: string | null;
  readonly headers: Headers;
  readonly body: Buffer;
}

async function post(
  path: string,
  body: Uint8Array | string | undefined,
  options: {
    readonly type?: string;
    readonly encoding?: string;
    readonly method?: string;
    readonly port?: number;
  } = {},
): Promise<Reply> {
  const headers: Record<string, string> = { 'content-type': options.type ?? PROTOBUF };
  if (options.encoding !== undefined) headers['content-encoding'] = options.encoding;
  const response = await fetch(`http://127.0.0.1:${options.port ?? receiver.port}${path}`, {
    method: options.method ?? 'POST',
    headers,
    // The cast holds: a Buffer over plain memory is a body.
    ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> | string }),
  });
  const reply = Buffer.from(await response.arrayBuffer());
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    headers: response.headers,
    body: reply,
  };
}

function statusOf(reply: Reply): unknown {
  return otlp.Status.decode(reply.body).toJSON();
}

describe('a request that is taken', () => {
  const encodings: readonly (readonly [string, string | undefined, (bytes: Buffer) => Buffer])[] = [
    ['as it is', undefined, (bytes) => bytes],
    ['as identity', 'identity', (bytes) => bytes],
    ['gzipped', 'gzip', (bytes) => gzipSync(bytes)],
    ['gzipped, by the old name', 'x-gzip', (bytes) => gzipSync(bytes)],
    ['deflated in the zlib format', 'deflate', (bytes) => deflateSync(bytes)],
    ['deflated without a head', 'deflate', (bytes) => deflateRawSync(bytes)],
    ['in zstd', 'zstd', (bytes) => zstdCompressSync(bytes)],
    ['with the encoding in capitals', 'GZIP', (bytes) => gzipSync(bytes)],
  ];
  for (const [how, encoding, encode] of encodings) {
    it(`reaches the sink as the same spans ${how}, in protobuf and in JSON`, async () => {
      const options = encoding === undefined ? {} : { encoding };
      const protobuf = await post('/v1/traces', encode(TRACES), options);
      const json = await post('/v1/traces', encode(TRACES_JSON), { ...options, type: JSON_TYPE });

      expect([protobuf.status, protobuf.type, protobuf.body.length]).toEqual([200, PROTOBUF, 0]);
      expect([json.status, json.type, json.body.toString()]).toEqual([200, JSON_TYPE, '{}']);
      expect(Buffer.from(sink.batches[0]?.bytes ?? []).equals(TRACES)).toBe(true);
      const spans = JSON.parse(TRACES_JSON.toString()).resourceSpans[0].scopeSpans[0].spans;
      expect(sink.spanNames.slice(sink.batches[0]?.rows)).toEqual(spans.map((span: { name: string }) => span.name));
    });
  }

  it('comes with a table of its rows and is counted with its size', async () => {
    await post('/v1/traces', TRACES);
    const [batch] = sink.batches;
    const table = BatchTable.read(batch?.table ?? new Uint8Array());
    expect(table.rowCount).toBe(batch?.rows);
    expect(log.events).toEqual([
      {
        type: 'batch-received',
        transport: 'http',
        signal: 'traces',
        encoding: 'identity',
        format: 'protobuf',
        records: table.rowCount,
        bytes: TRACES.length,
      },
    ]);
  });

  it('may be logs', async () => {
    const reply = await post('/v1/logs', LOGS);
    expect([reply.status, reply.body.length]).toEqual([200, 0]);
    expect(sink.batches.map(({ signal }) => signal)).toEqual(['logs']);
  });

  it('may be of metrics, which are counted and thrown away without being looked at', async () => {
    const protobuf = await post('/v1/metrics', Buffer.from('this is no protobuf'));
    const json = await post('/v1/metrics', 'this is no JSON', { type: JSON_TYPE });
    expect([protobuf.status, protobuf.type, protobuf.body.length]).toEqual([200, PROTOBUF, 0]);
    expect([json.status, json.body.toString()]).toEqual([200, '{}']);
    expect(sink.batches).toEqual([]);
    expect(log.events).toEqual([
      { type: 'metrics-discarded', transport: 'http', bytes: 19 },
      { type: 'metrics-discarded', transport: 'http', bytes: 15 },
    ]);
  });

  it('that is JSON without a field of its signal is refused, since nothing of it would be kept', async () => {
    const other = await post('/v1/traces', '{"not":"otlp"}', { type: JSON_TYPE });
    const logs = await post('/v1/traces', '{"resourceLogs":[]}', { type: JSON_TYPE });
    expect([other.status, logs.status]).toEqual([400, 400]);
    expect(logs.body.toString()).toContain('a request of logs, and not of traces');
    expect(log.refusals()).toEqual([
      ['malformed', 400],
      ['malformed', 400],
    ]);
  });

  it('may be empty, which needs no sink', async () => {
    const reply = await post('/v1/traces', Buffer.alloc(0));
    expect([reply.status, reply.body.length]).toEqual([200, 0]);
    expect(sink.batches).toEqual([]);
  });

  it('may name a charset, and end its path with a slash or a query', async () => {
    const replies = [
      await post('/v1/traces', TRACES_JSON, { type: 'Application/JSON; charset=utf-8' }),
      await post('/v1/traces/', TRACES),
      await post('/v1/traces?tenant=1', TRACES),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('may be sent in chunks without a length', async () => {
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    const request = httpRequest(
      { port: receiver.port, path: '/v1/traces', method: 'POST', headers: { 'content-type': PROTOBUF } },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    );
    for (let at = 0; at < TRACES.length; at += 100) request.write(TRACES.subarray(at, at + 100));
    request.end();
    expect(await promise).toBe(200);
    expect(Buffer.from(sink.batches[0]?.bytes ?? []).equals(TRACES)).toBe(true);
  });

  it('is answered only once the sink has it', async () => {
    const gate = Promise.withResolvers<void>();
    sink.gate = gate.promise;
    const arrived = sink.arrival();
    let answered = false;
    const reply = post('/v1/traces', TRACES).finally(() => {
      answered = true;
    });
    await arrived;
    // A whole other round trip takes place, and still there is no answer.
    await post('/v1/metrics', Buffer.alloc(0));
    expect(answered).toBe(false);
    gate.resolve();
    expect((await reply).status).toBe(200);
  });
});

describe('spans without valid ids', () => {
  const span = (traceId: string, spanId: string) => ({ traceId, spanId, name: 'a' });
  const good = span('0123456789abcdef0123456789ABCDEF', '0123456789abcdef');
  const body = (...spans: readonly object[]) => JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });

  it('are rejected by a partial success that says how many and why, the others being taken', async () => {
    const bad = [span('00', '0123456789abcdef'), span(good.traceId, '0'.repeat(16)), span('0'.repeat(32), '')];
    const reply = await post('/v1/traces', body(good, ...bad), { type: JSON_TYPE });
    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.body.toString())).toEqual({
      partialSuccess: {
        rejectedSpans: '3',
        errorMessage:
          'rejected 3 spans: 2 without a trace id of 16 bytes that is not all zero, 1 without a span id of 8 bytes that is not all zero',
      },
    });
    expect(sink.batches.map(({ rows }) => rows)).toEqual([1]);
    expect(log.events).toContainEqual({
      type: 'records-rejected',
      transport: 'http',
      signal: 'traces',
      reason: 'invalid_id',
      records: 3,
    });
  });

  it('are rejected in protobuf alike', async () => {
    const request = otlp.TracesData.encode(
      otlp.TracesData.fromObject({ resourceSpans: [{ scopeSpans: [{ spans: [{ name: 'no ids' }] }] }] }),
    ).finish();
    const reply = await post('/v1/traces', request);
    expect(reply.status).toBe(200);
    expect(otlp.TraceResponse.decode(reply.body).toJSON()).toMatchObject({ partialSuccess: { rejectedSpans: '1' } });
    expect(sink.batches).toEqual([]);
  });
});

describe('a request that is refused', () => {
  interface Case {
    readonly name: string;
    readonly send: () => Promise<Reply>;
    readonly status: number;
    readonly code: number;
    readonly reason: string;
    readonly says: RegExp;
  }
  const bomb = Buffer.alloc(65 * MIB);
  const cases: readonly Case[] = [
    {
      name: 'truncated protobuf',
      send: () => post('/v1/traces', TRACES.subarray(0, 100)),
      ...{ status: 400, code: 3, reason: 'malformed', says: /decode OTLP traces: protobuf at byte \d+/ },
    },
    {
      name: 'JSON sent as protobuf',
      send: () => post('/v1/traces', TRACES_JSON),
      ...{ status: 400, code: 3, reason: 'malformed', says: /protobuf/ },
    },
    {
      name: 'truncated gzip',
      send: () => post('/v1/traces', gzipSync(TRACES).subarray(0, -9), { encoding: 'gzip' }),
      ...{ status: 400, code: 3, reason: 'malformed', says: /not a gzip stream: unexpected end of file/ },
    },
    {
      name: 'truncated zstd',
      send: () => post('/v1/traces', zstdCompressSync(TRACES).subarray(0, -9), { encoding: 'zstd' }),
      ...{ status: 400, code: 3, reason: 'malformed', says: /not a zstd stream/ },
    },
    {
      name: 'something after a gzip stream',
      send: () => post('/v1/traces', Buffer.concat([gzipSync(TRACES), Buffer.from('more')]), { encoding: 'gzip' }),
      ...{ status: 400, code: 3, reason: 'malformed', says: /gzip/ },
    },
    {
      name: 'something after a deflate stream',
      send: () =>
        post('/v1/traces', Buffer.concat([deflateSync(TRACES), Buffer.from('more')]), { encoding: 'deflate' }),
      ...{ status: 400, code: 3, reason: 'malformed', says: /4 bytes follow the end of the zlib stream/ },
    },
    {
      name: 'something after a zstd stream',
      send: () =>
        post('/v1/traces', Buffer.concat([zstdCompressSync(TRACES), Buffer.from('more')]), { encoding: 'zstd' }),
      ...{ status: 400, code: 3, reason: 'malformed', says: /4 bytes follow the end of the zstd stream/ },
    },
    {
      name: 'plain bytes said to be gzip',
      send: () => post('/v1/traces', TRACES, { encoding: 'gzip' }),
      ...{ status: 400, code: 3, reason: 'malformed', says: /incorrect header check/ },
    },
    {
      name: 'a gzip bomb',
      send: () => post('/v1/traces', gzipSync(bomb), { encoding: 'gzip' }),
      ...{ status: 413, code: 8, reason: 'too-large', says: /more than 67108864 bytes after decompression/ },
    },
    {
      name: 'a zstd bomb',
      send: () => post('/v1/traces', zstdCompressSync(bomb), { encoding: 'zstd' }),
      ...{ status: 413, code: 8, reason: 'too-large', says: /after decompression/ },
    },
    {
      name: 'an unknown content type',
      send: () => post('/v1/traces', TRACES, { type: 'text/plain' }),
      ...{ status: 415, code: 3, reason: 'unsupported-type', says: /"text\/plain": expected application\/x-protobuf/ },
    },
    {
      name: 'an unknown encoding',
      send: () => post('/v1/traces', TRACES, { encoding: 'br' }),
      ...{ status: 415, code: 3, reason: 'unsupported-encoding', says: /"br": expected one of identity, gzip/ },
    },
    {
      name: 'two encodings',
      send: () => post('/v1/traces', TRACES, { encoding: 'gzip, gzip' }),
      ...{ status: 415, code: 3, reason: 'unsupported-encoding', says: /"gzip, gzip"/ },
    },
    {
      name: 'another method',
      send: () => post('/v1/traces', undefined, { method: 'GET' }),
      ...{ status: 405, code: 12, reason: 'wrong-method', says: /GET \/v1\/traces: expected POST/ },
    },
    {
      name: 'another path',
      send: () => post('/v1/trace', TRACES),
      ...{ status: 404, code: 5, reason: 'unknown-path', says: /\/v1\/trace: POST to \/v1\/traces/ },
    },
  ];
  for (const { name, send, status, code, reason, says } of cases) {
    it(`gets ${status} and a status that says what is wrong: ${name}`, async () => {
      const reply = await send();
      expect([reply.status, reply.type]).toEqual([status, PROTOBUF]);
      expect(statusOf(reply)).toMatchObject({ code, message: expect.stringMatching(says) });
      expect(log.refusals()).toEqual([[reason, status]]);
      expect(sink.batches).toEqual([]);
      expect((await post('/v1/traces', TRACES)).status).toBe(200);
    });
  }

  it('gets its status in JSON where it came in JSON, with the path of the mistake', async () => {
    const reply = await post('/v1/traces', '{"resourceSpans":[{"scopeSpans":[{"spans":[{"kind":[]}]}]}]}', {
      type: JSON_TYPE,
    });
    expect([reply.status, reply.type]).toEqual([400, JSON_TYPE]);
    expect(JSON.parse(reply.body.toString())).toEqual({
      code: 3,
      message:
        'decode OTLP traces: OTLP/JSON at resourceSpans[0].scopeSpans[0].spans[0].kind (byte 51): expected a number, got an array',
      details: [],
    });
  });

  it('names the method that is allowed', async () => {
    expect((await post('/v1/logs', undefined, { method: 'DELETE' })).headers.get('allow')).toBe('POST');
  });

  it('learns when to come back where the sink does not admit it, and is then taken', async () => {
    sink.admission = { admitted: false, reason: 'journal-full: 4 GiB', retryAfterSeconds: 2 };
    const protobuf = await post('/v1/traces', TRACES);
    const json = await post('/v1/traces', TRACES_JSON, { type: JSON_TYPE });

    expect([protobuf.status, protobuf.headers.get('retry-after')]).toEqual([503, '2']);
    const status = otlp.Status.decode(protobuf.body).toJSON();
    expect(status).toMatchObject({ code: 14, message: 'journal-full: 4 GiB' });
    const [detail] = otlp.Status.toObject(otlp.Status.decode(protobuf.body)).details;
    expect(detail.type_url ?? detail.typeUrl).toBe('type.googleapis.com/google.rpc.RetryInfo');
    expect(otlp.RetryInfo.decode(detail.value).toJSON()).toEqual({ retryDelay: { seconds: '2' } });
    expect(JSON.parse(json.body.toString()).details).toEqual([
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '2s' },
    ]);
    expect(log.refusals()).toEqual([
      ['not-admitted', 503],
      ['not-admitted', 503],
    ]);
    expect(log.events.filter(({ type }) => type === 'batch-received')).toEqual([]);

    sink.admission = { admitted: true };
    expect((await post('/v1/traces', TRACES)).status).toBe(200);
  });

  it('is to be sent again where the sink fails', async () => {
    const failing = await startOtlpHttp(
      receiverOptions({ accept: () => Promise.reject(new Error('disk on fire')) }, log),
    );
    const reply = await post('/v1/traces', TRACES, { port: failing.port });
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '1']);
    expect(statusOf(reply)).toMatchObject({ message: 'the batch could not be stored: disk on fire' });
    await failing.stop();
  });
});

describe('a request without good manners', () => {
  it('is refused by the length that it announces, before a byte of it has come', async () => {
    const { socket, said } = openSocket(receiver.port);
    socket.write(
      `POST /v1/traces HTTP/1.1\r\nHost: a\r\nContent-Type: ${PROTOBUF}\r\nContent-Length: 1073741824\r\n\r\n`,
    );
    await log.next('request-refused');
    expect(log.refusals()).toEqual([['too-large', 413]]);
    socket.end();
    expect(await said).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('is refused when its chunks have become too many', async () => {
    const small = await startOtlpHttp(receiverOptions(sink, log, { maxBodyBytes: 1000 }));
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    const request = httpRequest(
      { port: small.port, path: '/v1/traces', method: 'POST', headers: { 'content-type': PROTOBUF } },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    );
    request.on('error', () => undefined);
    request.write(Buffer.alloc(600));
    request.write(Buffer.alloc(600));
    expect(await promise).toBe(413);
    request.destroy();
    await small.stop();
  });

  it('may hold up to the limit exactly', async () => {
    const small = await startOtlpHttp(receiverOptions(sink, log, { maxBodyBytes: TRACES.length }));
    const plain = await post('/v1/traces', TRACES, { port: small.port });
    const zipped = await post('/v1/traces', gzipSync(TRACES), { port: small.port, encoding: 'gzip' });
    expect([plain.status, zipped.status]).toEqual([200, 200]);
    await small.stop();
    const smaller = await startOtlpHttp(receiverOptions(sink, log, { maxBodyBytes: TRACES.length - 1 }));
    const plainOver = await post('/v1/traces', TRACES, { port: smaller.port });
    const zippedOver = await post('/v1/traces', gzipSync(TRACES), { port: smaller.port, encoding: 'gzip' });
    expect([plainOver.status, zippedOver.status]).toEqual([413, 413]);
    await smaller.stop();
  });

  it('is counted and forgotten when its client goes away in the middle', async () => {
    const tight = await startOtlpHttp(receiverOptions(sink, log, { maxInFlightBytes: TRACES.length }));
    const { socket } = openSocket(tight.port);
    const refused = log.next('request-refused');
    socket.write(
      `POST /v1/traces HTTP/1.1\r\nHost: a\r\nContent-Type: ${PROTOBUF}\r\nContent-Length: ${TRACES.length}\r\n\r\n`,
    );
    socket.write(TRACES.subarray(0, 1000), () => socket.destroy());
    await refused;
    expect(log.refusals()).toEqual([['aborted', 0]]);
    // Its bytes are free again: the next request needs all of them.
    expect((await post('/v1/traces', TRACES, { port: tight.port })).status).toBe(200);
    await tight.stop();
  });

  it('that is not even HTTP gets 400', async () => {
    const { socket, said } = openSocket(receiver.port);
    socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    expect(await said).toMatch(/^HTTP\/1\.1 400 /);
    expect(log.refusals()).toEqual([['malformed', 400]]);
  });
});

describe('under load', () => {
  it('turns requests away while those in hand fill the room, and takes them afterwards', async () => {
    const tight = await startOtlpHttp(receiverOptions(sink, log, { maxInFlightBytes: TRACES.length }));
    const gate = Promise.withResolvers<void>();
    sink.gate = gate.promise;
    const arrived = sink.arrival();
    const first = post('/v1/traces', TRACES, { port: tight.port });
    await arrived;

    const second = await post('/v1/traces', TRACES, { port: tight.port });
    expect([second.status, second.headers.get('retry-after')]).toEqual([503, '1']);
    expect(statusOf(second)).toMatchObject({ code: 14 });
    expect(log.refusals()).toEqual([['overloaded', 503]]);

    gate.resolve();
    expect((await first).status).toBe(200);
    expect((await post('/v1/traces', TRACES, { port: tight.port })).status).toBe(200);
    await tight.stop();
  });

  it('lets nobody wait for a client that announces much and sends nothing', async () => {
    const { socket } = openSocket(receiver.port);
    socket.write(
      `POST /v1/traces HTTP/1.1\r\nHost: a\r\nContent-Type: ${PROTOBUF}\r\nContent-Length: ${64 * MIB}\r\n\r\n`,
    );
    const replies = await Promise.all(Array.from({ length: 20 }, () => post('/v1/traces', TRACES)));
    expect(replies.every(({ status }) => status === 200)).toBe(true);
    socket.destroy();
  });

  it('answers others while bombs are being defused', async () => {
    const bomb = gzipSync(Buffer.alloc(65 * MIB));
    const order: string[] = [];
    const bombs = Array.from({ length: 6 }, () =>
      post('/v1/traces', bomb, { encoding: 'gzip' }).then(({ status }) => order.push(`bomb ${status}`)),
    );
    await post('/v1/traces', TRACES).then(({ status }) => order.push(`good ${status}`));
    await Promise.all(bombs);
    expect(order.filter((entry) => entry === 'bomb 413')).toHaveLength(6);
    expect(order[0]).toBe('good 200');
  });
});

describe('stopping', () => {
  it('lets a request in hand finish, takes no new one, and may be asked for twice', async () => {
    const gate = Promise.withResolvers<void>();
    sink.gate = gate.promise;
    const arrived = sink.arrival();
    const reply = post('/v1/traces', TRACES);
    await arrived;

    const stopped = receiver.stop();
    await expect(post('/v1/traces', TRACES)).rejects.toThrow();
    gate.resolve();
    expect((await reply).status).toBe(200);
    await Promise.all([stopped, receiver.stop()]);
  });

  it('says what to do where the port is taken', async () => {
    await expect(startOtlpHttp({ ...receiverOptions(sink, log), port: receiver.port })).rejects.toThrow(
      /cannot listen on 127\.0\.0\.1:\d+ for OTLP\/HTTP: another program uses it.*choose another port/,
    );
  });
});
