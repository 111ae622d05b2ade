/** Limits of connections, and of requests that a connection has unanswered. */
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { connectionsFor, limitConnections } from '../../src/listen/connection-limit.ts';
import { listen } from '../../src/listen/listen.ts';
import { withoutPipelining } from '../../src/listen/pipelining.ts';

let server: Server;
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
  server = createServer();
  expect(connectionsFor(files)).toBe(connections);
});

it('closes a connection beyond the limit, says so, and keeps the others', async () => {
  server = createServer((_request, response) => response.end('here'));
  let dropped = 0;
  limitConnections(server, () => {
    dropped += 1;
  });
  expect(server.maxConnections).toBeGreaterThanOrEqual(50);
  server.maxConnections = 1;
  const port = await listen(server, 'a test', { host: '127.0.0.1', port: 0 });
  const kept = connect(port, '127.0.0.1');
  await new Promise((resolve) => kept.once('connect', resolve));
  const beyond = connect(port, '127.0.0.1');
  beyond.on('error', () => undefined);
  await new Promise((resolve) => beyond.once('close', resolve));
  expect(dropped).toBe(1);
  kept.end('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const said = await new Promise<string>((resolve) => kept.once('data', (data) => resolve(data.toString())));
  expect(said).toMatch(/^HTTP\/1\.1 200 /);
});

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
