/** Clients of gRPC that give up their calls: some are in trouble, and some attack. */
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { startOtlpGrpc } from '../../src/receive/otlp-grpc.ts';
import type { Receiver } from '../../src/receive/otlp-http.ts';
import { callHead, END_HEADERS, END_STREAM, FRAME, frame, PREFACE, SHORTEST_HEAD, streamOf } from './http2-frames.ts';
import { EventLog, FakeSink, receiverOptions, wireBody } from './receiving.ts';

const TRACES = wireBody('ai-sdk-7-traces.pb');
const HEAD = {
  ':method': 'POST',
  ':path': '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
  'content-type': 'application/grpc',
  te: 'trailers',
};

let log: EventLog;
let receiver: Receiver;
beforeEach(async () => {
  log = new EventLog();
  receiver = await startOtlpGrpc(receiverOptions(new FakeSink(), log));
});
afterEach(() => receiver.stop());

function session(): ClientHttp2Session {
  const opened = connectHttp2(`http://127.0.0.1:${receiver.port}`);
  opened.on('error', () => undefined);
  onTestFinished(() => opened.destroy());
  return opened;
}

/** Resolves with the status of the call, undefined where it was never answered. */
function exported(of: ClientHttp2Session): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const head = Buffer.alloc(5);
  head.writeUInt32BE(TRACES.length, 1);
  const stream = of.request(HEAD);
  stream.on('trailers', (trailers) => resolve(trailers['grpc-status']));
  stream.on('error', () => undefined);
  stream.on('close', () => resolve(undefined));
  stream.resume();
  stream.end(Buffer.concat([head, TRACES]));
  return promise;
}

function dropped(): readonly string[] {
  return log.events.flatMap((event) => (event.type === 'connection-dropped' ? [event.because] : []));
}

test('a client that gives up all its calls at once, as after a timeout, goes on with the same connection', async () => {
  const client = opened();
  await givenUp(client, { from: 0, calls: 100 });
  const taken = log.counted('batch-received', 100);
  for (let call = 100; call < 200; call += 1) client.write(Buffer.concat([begun(call), emptyMessage(call)]));
  await taken;
  // Their answers are sent by then.
  await pinged(client);
  await givenUp(client, { from: 200, calls: 100 });
  expect(client.destroyed).toBe(false);
  expect(dropped()).toEqual([]);
});

test('a client that completes nothing and gives up more calls than it has at once is closed', async () => {
  const client = opened();
  await givenUp(client, { from: 0, calls: 100 });
  const closed = new Promise((resolve) => client.once('close', resolve));
  await givenUp(client, { from: 100, calls: 1 });
  await closed;
  expect(dropped()).toEqual(['http2_flood']);
});

test('a client whose calls are all refused is closed as well', async () => {
  const client = opened();
  const closed = new Promise((resolve) => client.once('close', resolve));
  const refused = (call: number) =>
    frame({ type: FRAME.headers, flags: END_HEADERS | END_STREAM, id: streamOf(call), body: CALL });
  const all = log.counted('request-refused', 100);
  for (let call = 0; call < 100; call += 1) client.write(refused(call));
  await all;
  await pinged(client);
  client.write(refused(100));
  await closed;
  expect(dropped()).toEqual(['http2_flood']);
});

test('a call that comes in parts of a byte closes its connection', async () => {
  const client = opened();
  const closed = new Promise((resolve) => client.once('close', resolve));
  client.write(begun(0));
  client.write(frame({ type: FRAME.data, id: 1, body: Buffer.from([0, 0, 1, 0, 0]) }));
  for (let part = 0; part < 2_000; part += 1) client.write(frame({ type: FRAME.data, id: 1, body: Buffer.from([1]) }));
  await closed;
  expect(dropped()).toEqual(['http2_flood']);
});

test('a connection with more than a mebibyte that belongs to no call is closed', async () => {
  const client = opened();
  const closed = new Promise((resolve) => client.once('close', resolve));
  // Each has a head of more entries than are read, which HTTP/2 drops by itself.
  const large = Buffer.concat([CALL, Buffer.alloc(12_000, 0x83)]);
  const flood = Array.from({ length: 200 }, (_none, call) =>
    frame({ type: FRAME.headers, flags: END_HEADERS | END_STREAM, id: streamOf(call), body: large }),
  );
  client.write(Buffer.concat(flood));
  await closed;
  expect(dropped()).toEqual(['http2_flood']);
});

test('a large message counts as the bytes of its call', async () => {
  const client = opened();
  const taken = log.counted('request-refused', 1);
  client.write(begun(0));
  // A message of three mebibytes that is none of OTLP, beyond what a connection may have beside its calls.
  const message = Buffer.concat([Buffer.from([0, 0, 0x30, 0, 0]), Buffer.alloc(3 << 20, 0xff)]);
  const part = 16_000;
  for (let at = 0; at < message.length; at += part) {
    const body = message.subarray(at, at + part);
    client.write(frame({ type: FRAME.data, flags: at + part >= message.length ? END_STREAM : 0, id: 1, body }));
    if (at % (part * 20) === 0) await pinged(client);
  }
  await taken;
  // Longer than from one look to the next.
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect([dropped(), client.destroyed]).toEqual([[], false]);
});

test('a client that speaks HTTP/1.1 to the port is no flood', async () => {
  const socket = connect(receiver.port, '127.0.0.1');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.resume();
  socket.end('POST /v1/traces HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n');
  await closed;
  expect(dropped()).toEqual([]);
});

test('calls that are taken back in the read in which they come are not handled at all, and end the connection', async () => {
  const other = session();
  expect(await exported(other)).toBe('0');
  const attacker = rapidReset(2000);
  await new Promise((resolve) => attacker.once('close', resolve));
  expect(dropped()).toEqual(['http2_flood']);
  expect(log.refusals()).toEqual([]);
  // A connection that was open before goes on, and a new one of the address waits for its turn.
  expect(await exported(other)).toBe('0');
  const began = performance.now();
  expect(await exported(session())).toBe('0');
  expect(performance.now() - began).toBeGreaterThan(200);
});

test('a connection that waits for its turn is not read, and one that floods meanwhile harms nobody', async () => {
  const attacker = rapidReset(2000);
  await new Promise((resolve) => attacker.once('close', resolve));
  const waiting = [1, 2, 3].map(() => rapidReset(4000));
  const ended = waiting.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
  // Its turn comes after theirs.
  expect(await exported(session())).toBe('0');
  await Promise.all(ended);
  expect(dropped()).toEqual(['http2_flood', 'http2_flood', 'http2_flood', 'http2_flood']);
});

test('a header that never ends closes the connection', async () => {
  const socket = opened();
  socket.write(frame({ type: FRAME.headers, flags: 0, id: 1, body: SHORTEST_HEAD }));
  const continued = frame({ type: FRAME.continuation, flags: 0, id: 1, body: Buffer.from([0x00, 1, 0x61, 1, 0x61]) });
  const pump = setInterval(() => socket.write(Buffer.concat(new Array<Buffer>(500).fill(continued))), 1);
  onTestFinished(() => clearInterval(pump));
  await new Promise((resolve) => socket.once('close', resolve));
});

const CALL = callHead(HEAD[':path']);

function begun(call: number): Buffer {
  return frame({ type: FRAME.headers, flags: END_HEADERS, id: streamOf(call), body: CALL });
}

function emptyMessage(call: number): Buffer {
  return frame({ type: FRAME.data, flags: END_STREAM, id: streamOf(call), body: Buffer.alloc(5) });
}

/** Begins so many calls, gives them up once they are in hand, and resolves when each was seen. */
async function givenUp(
  client: Socket,
  { from, calls }: { readonly from: number; readonly calls: number },
): Promise<void> {
  const counted = log.counted('request-refused', calls);
  const ids = Array.from({ length: calls }, (_none, call) => streamOf(from + call));
  client.write(Buffer.concat(ids.map((id) => frame({ type: FRAME.headers, flags: 4, id, body: CALL }))));
  // The answer to a ping comes after what was sent before it was read.
  await pinged(client);
  client.write(
    Buffer.concat(ids.map((id) => frame({ type: FRAME.reset, flags: 0, id, body: Buffer.from([0, 0, 0, 8]) }))),
  );
  await counted;
}

function pinged(client: Socket): Promise<void> {
  const ping = { type: FRAME.ping, id: 0, body: Buffer.alloc(8) };
  const { promise, resolve } = Promise.withResolvers<void>();
  let said = Buffer.alloc(0);
  const onData = (chunk: Buffer) => {
    said = Buffer.concat([said, chunk]);
    if (!said.includes(frame({ ...ping, flags: 1 }))) return;
    client.off('data', onData);
    resolve();
  };
  client.on('data', onData);
  client.write(frame({ ...ping, flags: 0 }));
  return promise;
}

function rapidReset(calls: number): Socket {
  const socket = opened();
  const frames = Array.from({ length: calls }, (_none, call) => [
    frame({ type: FRAME.headers, flags: 4, id: streamOf(call), body: SHORTEST_HEAD }),
    frame({ type: FRAME.reset, flags: 0, id: streamOf(call), body: Buffer.from([0, 0, 0, 8]) }),
  ]);
  socket.write(Buffer.concat(frames.flat()));
  return socket;
}

function opened(): Socket {
  const socket = connect(receiver.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.resume();
  onTestFinished(() => {
    socket.destroy();
  });
  socket.write(PREFACE);
  return socket;
}
