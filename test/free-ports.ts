/**
 * Ports for servers that tests start, stop and restart. They are below the range that the system uses for outgoing
 * connections (32768 and up on Linux). Otherwise a client that keeps trying to reach a stopped server can get that very
 * port as its own. It would then be connected to itself, and the server could not open its port again.
 */
import { createServer, type Server } from 'node:net';

const FIRST = 10_000;
const BLOCK = 32;
const BLOCKS = 680;

/**
 * A process owns the block on whose first port it listens, until it ends. A port is given once, and to one process: a
 * server may open it long after it was given, and until then nothing else shows that it is taken.
 */
let own: number[] = [];
let nextBlock = Math.floor(Math.random() * BLOCKS);

/** Ports on which no program listens at the moment, and which no process of the tests has been given before. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = own.shift();
    if (port === undefined) own = await nextOwnBlock();
    else if (await isFree(port)) ports.push(port);
  }
  return ports;
}

async function nextOwnBlock(): Promise<number[]> {
  for (let tries = 0; tries < BLOCKS; tries++) {
    const first = FIRST + nextBlock * BLOCK;
    nextBlock = (nextBlock + 1) % BLOCKS;
    const owner = await listenOn(first);
    if (owner === undefined) continue;
    owner.unref();
    return Array.from({ length: BLOCK - 1 }, (_, index) => first + 1 + index);
  }
  throw new Error(`another process listens on the first port of each of the ${BLOCKS} blocks from ${FIRST}`);
}

async function isFree(port: number): Promise<boolean> {
  const server = await listenOn(port);
  if (server === undefined) return false;
  await new Promise((resolve) => server.close(resolve));
  return true;
}

function listenOn(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, () => resolve(server));
  });
}
