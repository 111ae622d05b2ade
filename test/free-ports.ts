/**
 * Ports for servers that tests start, stop and restart. They are below the range that the system uses for outgoing
 * connections (32768 and up on Linux). Otherwise a client that keeps trying to reach a stopped server can get that very
 * port as its own. It would then be connected to itself, and the server could not open its port again.
 */
import { createServer, type Server } from 'node:net';

const FIRST = 10_000;
const BEHIND_LAST = 32_000;

/** Ports on which no program listens at the moment, all different. */
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
