import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Brokers } from '../../src/kafka/kafkajs/brokers.ts';

test('a request that was still connecting when its connection was given up leaves none behind', async () => {
  const { port, open, accepted } = await serverThat((socket, number) => {
    // The first connection breaks while others wait behind it; a later one is never answered.
    if (number === 0) socket.once('data', () => socket.destroy());
  });
  const said: string[] = [];
  const brokers = new Brokers(
    { brokers: [`127.0.0.1:${port}`] },
    { requestTimeoutMs: 1000, onLog: ({ message }) => said.push(message) },
  );

  const asked = Array.from({ length: 4 }, () => brokers.places(['any']).catch(() => undefined));
  while (accepted() === 0) await sleep(5);
  await asked[0];
  const later = brokers.places(['any']).catch(() => undefined);
  while (accepted() === 1) await sleep(5);
  brokers.close();
  await Promise.all([...asked, later]);

  while (open() > 0) await sleep(5);
  expect(open()).toBe(0);
  expect(said.filter((message) => message.includes('given up'))).toEqual([]);
});

async function serverThat(onSocket: (socket: Socket, number: number) => void) {
  const sockets = new Set<Socket>();
  let accepted = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    socket.resume();
    onSocket(socket, accepted);
    accepted += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return { port: address.port, open: () => sockets.size, accepted: () => accepted };
}
