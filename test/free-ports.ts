/**
 * Ports for servers that tests start, stop and restart. They are below the range that the system uses for outgoing
 * connections (32768 and up on Linux). Otherwise a client that keeps trying to reach a stopped server can get that very
 * port as its own. It would then be connected to itself, and the server could not open its port again.
 */
import { createServer, type Server } from 'node:net';

const FIRST = 10_000;
const BEHIND_LAST = 32_000;

/**
 * Each process goes upwards from a place of its own, and gives no port twice: a server may open its port long after it
 * was given, and until then nothing else shows that the port is taken.
 */
let next = FIRST + Math.floor(Math.random() * (BEHIND_LAST - FIRST));

/** Ports on which no program listens at the moment, and which this process has not been given before. */
export async function freePorts(count: number): Promise<number[]> {
  const servers: Server[] = [];
  while (servers.length < count) {
    const port = next;
    next = port + 1 < BEHIND_LAST ? port + 1 : FIRST;
    const server = await listenOn(port);
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
