/**
 * Ports for servers that tests start, stop and start again. They lie below those that the system gives to outgoing connections (32768 and up on
 * Linux): a client that tries again and again to reach a server that is down is else given that very port one day, is connected to itself, and
 * the server can't have its port back.
 */
import { createServer, type Server } from 'node:net';

const FIRST = 10_000;
const BEHIND_LAST = 32_000;

/** On which nobody listens at the moment, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const servers: Server[] = [];
  while (servers.length < count) {
    const server = await listenOn(FIRST + Math.floor(Math.random() * (BEHIND_LAST - FIRST)));
    if (server !== undefined) servers.push(server);
  }
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function listenOn(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, () => resolve(server));
  });
}
