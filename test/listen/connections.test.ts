/** Limits of connections, and of requests that a connection has unanswered. */
import { createServer, type Server } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { connectionsFor, limitConnections } from '../../src/listen/connection-limit.ts';
import { listen } from '../../src/listen/listen.ts';
import { createWebServer } from '../../src/listen/web-server.ts';
import { withoutPipelining } from '../../src/listen/pipelining.ts';

let server: Server;
beforeEach(() => {
  server = createServer();
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

it.each([
  [1024, 256],
  [65_536, 10_000],
  [4096, 1280],
  [256, 50],
])('with %i files, a port has %i connections', (files, connections) => {
  expect(connectionsFor(files)).toBe(connections);
});

describe('a port that is full', () => {
  const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

  it('closes silent connections for clients that come and ask, also of the same address, and says so', async () => {
    server = createServer((_request, response) => response.end('here'));
    let dropped = 0;
    const onDropped = () => {
      dropped += 1;
    };
    limitConnections(server, { onDropped, max: 3 });
    const port = await listen(server, 'a test', { host: '127.0.0.1', port: 0 });
    const silent = [await opened(port), await opened(port), await opened(port)];
    const closed = silent.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    for (let asked = 0; asked < 3; asked += 1) {
      const client = await opened(port);
      expect(await answerTo(client, REQUEST)).toMatch(/^HTTP\/1\.1 200 /);
    }
    await Promise.all(closed);
    expect(dropped).toBe(3);
  });

  it('refuses a client while all others of its address have a request in hand', async () => {
    server = createServer(() => {});
    const dropped = Promise.withResolvers<void>();
    limitConnections(server, { onDropped: dropped.resolve, max: 1 });
    const port = await listen(server, 'a test', { host: '127.0.0.1', port: 0 });
    const busy = await opened(port);
    const asked = new Promise((resolve) => server.once('request', resolve));
    busy.write(REQUEST);
    await asked;
    const beyond = connect(port, '127.0.0.1');
    beyond.on('error', () => undefined);
    await Promise.all([dropped.promise, new Promise((resolve) => beyond.once('close', resolve))]);
    expect([busy.destroyed, busy.readableEnded]).toEqual([false, false]);
  });

  it('keeps a call of gRPC, and closes connections that have none', async () => {
    const grpc = createHttp2Server();
    const { promise: called, resolve: onCall } = Promise.withResolvers<void>();
    grpc.on('stream', (stream) => {
      stream.on('error', () => undefined);
      onCall();
    });
    let dropped = 0;
    limitConnections(grpc, { onDropped: () => (dropped += 1), max: 2 });
    const port = await listen(grpc, 'a test', { host: '127.0.0.1', port: 0 });
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    onTestFinished(() => {
      session.destroy();
      grpc.close();
    });
    session.on('error', () => undefined);
    session.request({ ':method': 'POST', ':path': '/' }).on('error', () => undefined);
    await called;
    const silent = (await opened(port)).resume();
    const closed = new Promise((resolve) => silent.once('close', resolve));
    const last = await opened(port);
    await closed;
    last.destroy();
    expect([dropped, session.destroyed]).toEqual([1, false]);
  });
});

describe('a server of HTTP', () => {
  it('closes a connection that never ends the head of a request', { timeout: 20_000 }, async () => {
    const web = createWebServer({ requestMsMax: 10_000, idleMsMax: 5_000 }, undefined);
    onTestFinished(() => void web.close());
    const port = await listen(web, 'a test', { host: '127.0.0.1', port: 0 });
    const since = performance.now();
    const silent = await opened(port);
    const slow = await opened(port);
    slow.write('GET / HTTP/1.1\r\nHost: a\r\n');
    for (const socket of [silent, slow]) socket.resume();
    await Promise.all([silent, slow].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    expect(performance.now() - since).toBeLessThan(15_000);
  });
});

async function opened(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

function answerTo(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  return new Promise((resolve) => socket.once('data', (data) => resolve(data.toString())));
}

it('ends a connection that sends thousands of requests without waiting, and serves one that sends a few', async () => {
  let handled = 0;
  server = createServer(
    withoutPipelining((_request, response) => {
      handled += 1;
      response.end('here');
    }),
  );
  await listen(server, 'a test', { host: '127.0.0.1', port: 0 });
  const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
  expect((await exchange(REQUEST.repeat(10), 10)).match(/HTTP\/1\.1 200/g)).toHaveLength(10);
  handled = 0;
  await exchange(REQUEST.repeat(2000), 2000);
  expect(handled).toBeLessThanOrEqual(16);
});

/** Everything that the server says to it, until it has answered so often or closed the connection. */
function exchange(text: string, answers: number): Promise<string> {
  // The cast holds for a server that listens on a port.
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const { promise, resolve } = Promise.withResolvers<string>();
  let said = '';
  socket.on('data', (data) => {
    said += data.toString();
    if ((said.match(/HTTP\/1\.1/g)?.length ?? 0) >= answers) socket.destroy();
  });
  socket.on('error', () => undefined);
  socket.on('close', () => resolve(said));
  socket.write(text);
  return promise;
}
