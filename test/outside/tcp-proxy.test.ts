import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type ProxyOptions, TcpProxy } from './tcp-proxy.ts';

test('a cut network delivers nothing until it is whole again, then everything and in order', async () => {
  const { proxy, accepted } = await echo();
  const client = await clientOf(proxy);
  expect(await exchange(client, 'one')).toBe('one');

  proxy.cut();
  client.write('two');
  const late = connect(proxy.port, '127.0.0.1');
  onTestFinished(() => void late.destroy());
  await once(late, 'connect');
  late.write('three');
  expect(accepted.length).toBe(1);

  proxy.heal();
  expect(await answer(client)).toBe('two');
  expect(await answer(late)).toBe('three');
  expect(accepted.length).toBe(2);
});

test('the server learns that a client has gone once the network is whole again, and not before', async () => {
  const { proxy, accepted } = await echo();
  const client = await clientOf(proxy);
  await exchange(client, 'one');
  const [server] = accepted;

  proxy.cut();
  client.destroy();
  await once(client, 'close');
  expect(server?.closed).toBe(false);

  const closed = server === undefined ? undefined : once(server, 'close');
  proxy.heal();
  await closed;
  expect(server?.closed).toBe(true);
});

test('an answer can be lost while all else goes through', async () => {
  const { proxy } = await echo({ passAnswer: (chunk) => chunk.toString() !== 'lost' });
  const client = await clientOf(proxy);

  expect(await exchange(client, 'one')).toBe('one');
  client.write('lost');
  await new Promise((resolve) => setImmediate(resolve));
  expect(await exchange(client, 'two')).toMatch(/two$/);
});

async function echo(options: ProxyOptions = {}): Promise<{ proxy: TcpProxy; accepted: Socket[] }> {
  const accepted: Socket[] = [];
  const server = createServer((socket) => {
    accepted.push(socket);
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => void socket.write(chunk));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  const proxy = await TcpProxy.start({ host: '127.0.0.1', port: address.port }, options);
  onTestFinished(async () => {
    await proxy.close();
    for (const socket of accepted) socket.destroy();
    server.close();
  });
  return { proxy, accepted };
}

async function clientOf(proxy: TcpProxy): Promise<Socket> {
  const client = connect(proxy.port, '127.0.0.1');
  onTestFinished(() => void client.destroy());
  await once(client, 'connect');
  return client;
}

function exchange(client: Socket, text: string): Promise<string> {
  client.write(text);
  return answer(client);
}

async function answer(client: Socket): Promise<string> {
  const [chunk] = await once(client, 'data');
  return String(chunk);
}
