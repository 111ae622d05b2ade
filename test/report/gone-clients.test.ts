/** Clients that leave while their request is worked on. */
import { connect } from 'node:net';
import { onTestFinished, test } from 'vitest';
import { OPEN_TO_ALL } from '../../src/model/access.ts';
import { jsonAnswer } from '../../src/report/http/answer.ts';
import { startHttpServer } from '../../src/report/http/http-server.ts';
import { type Client, type Route, read } from '../../src/report/http/route.ts';

const answer = jsonAnswer(200, {});

/** A server whose route gives away its client and never answers. */
async function asked(method: 'GET' | 'DELETE', bytes: number) {
  const seen = Promise.withResolvers<Client>();
  const wait = (client: Client) => {
    seen.resolve(client);
    return new Promise<typeof answer>(() => {});
  };
  const routes: readonly Route<undefined>[] = [
    read('/', 'a read', (_none, { client }) => wait(client)),
    {
      method: 'DELETE',
      path: '/',
      may: 'write',
      takes: 'admin',
      summary: 'a write',
      handle: { bodyBytesMax: 0, write: (_none, _body, _parameters, { client }) => wait(client) },
    },
  ];
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    routes: routes.filter((route) => route.method === method).map((route) => ({ ...route, path: '/asked' })),
    access: OPEN_TO_ALL,
    onWrite: () => undefined,
    onDropped: () => undefined,
  });
  onTestFinished(() => server.stop());
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`${method} /asked HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${bytes}\r\n\r\n`);
  socket.write(Buffer.alloc(bytes));
  const client = await seen.promise;
  // Closed while the body is on its way: its end comes behind what is not read.
  socket.destroy();
  return { client };
}

test.for([
  ['GET', 0],
  ['GET', 2 << 20],
  ['DELETE', 2 << 20],
] as const)(
  'a %s with a body of %i bytes is known to have lost its client',
  // The server ends an unread request after ten seconds, which is not what is asked here.
  { timeout: 5_000 },
  async ([method, bytes]) => {
    const { client } = await asked(method, bytes);

    await new Promise<void>((resolve) => {
      if (client.gone.aborted) resolve();
      else client.gone.addEventListener('abort', () => resolve());
    });
  },
);
