/** Exports for clients: in pieces as they are taken, few at once, and a connection that breaks off where one cannot go on. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { exportQuery } from '../../../src/api/export.ts';
import type { ReadingEvent } from '../../../src/model/events/reading-events.ts';
import { Exports, type ExportSide } from '../../../src/serve/exporting/exports.ts';

const QUERY = exportQuery.parse({});
const NOWHERE = { kind: 'sqlite', file: '/nowhere/none.db' } as const;

type Piece = Awaited<ReturnType<ExportSide['more']>>;
const bytes = (text: string): Piece => ({ type: 'bytes', bytes: new TextEncoder().encode(text) });

/** Exports whose threads give what `more` gives, and those that were ended. */
function exportsOf(more: (piece: number) => Piece | Promise<Piece>) {
  const events: ReadingEvent[] = [];
  let ended = 0;
  const exports = new Exports({
    store: NOWHERE,
    suites: () => [],
    onEvent: (event) => events.push(event),
    start: () => {
      let piece = 0;
      let isEnded = false;
      return {
        more: async () => more(piece++),
        end: () => {
          if (!isEnded) ended += 1;
          isEnded = true;
        },
      };
    },
  });
  return { exports, events, ended: () => ended };
}

async function served(exports: Exports): Promise<string> {
  const server = createServer((request, response) => {
    exports
      .answer(QUERY, { isHead: request.method === 'HEAD', signal: new AbortController().signal })
      .then((answer) => {
        response.writeHead(answer.status, answer.headers);
        if (answer.stream === undefined) response.end(answer.body);
        else answer.stream(response);
      })
      .catch((error: unknown) => {
        response.writeHead(500);
        response.end(String(error));
      });
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The cast holds for a server that listens on a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('pieces follow one another to the end, and its thread is ended', async () => {
  const { exports, events, ended } = exportsOf((piece) => (piece < 3 ? bytes(`${piece}\n`) : { type: 'end' }));
  const response = await fetch(await served(exports));
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="conversations.jsonl"');
  expect(await response.text()).toBe('0\n1\n2\n');
  await expect.poll(ended).toBe(1);
  expect(events).toMatchObject([{ type: 'store-read', route: '/api/v1/export', status: 200 }]);
});

test('an export that breaks off later is no whole answer, and makes room for another', async () => {
  const { exports, ended } = exportsOf(async (piece) => {
    if (piece === 0) return bytes('0\n');
    // The head has gone out by then.
    await new Promise((resolve) => setTimeout(resolve, 20));
    throw new Error('no such table');
  });
  const url = await served(exports);
  for (let time = 1; time <= 4; time += 1) {
    await expect((await fetch(url)).text()).rejects.toThrow();
    expect(ended()).toBe(time);
  }
});

test('an export that cannot begin says so by its status', async () => {
  const { exports, ended, events } = exportsOf(() => {
    throw new Error('the store is away');
  });
  const response = await fetch(await served(exports));
  expect([response.status, await response.text()]).toEqual([500, 'Error: the store is away']);
  expect(ended()).toBe(1);
  expect(events).toMatchObject([{ type: 'store-read', status: 500 }]);
});

test('a store that is not there fails in the thread, before anything was sent', { timeout: 20_000 }, async () => {
  const exports = new Exports({ store: NOWHERE, suites: () => [], onEvent: () => undefined });
  const response = await fetch(await served(exports));
  expect(response.status).toBe(500);
});

test('a third export at the same time is refused, and begins once one has ended', async () => {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const { exports, events } = exportsOf(async (piece) => {
    if (piece === 1) await opened;
    return piece < 2 ? bytes(`${piece}\n`) : { type: 'end' };
  });
  const url = await served(exports);
  const two = [await fetch(url), await fetch(url)];

  const refused = await fetch(url);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await refused.json()).toEqual({ error: '2 exports are running already' });
  expect(events.at(-1)).toEqual({ type: 'read-refused', because: 'queue_full' });
  // The head of an answer takes no place.
  expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
  open();
  expect(await Promise.all(two.map((response) => response.text()))).toEqual(['0\n1\n', '0\n1\n']);
  expect(await (await fetch(url)).text()).toBe('0\n1\n');
});

test('a client that takes nothing is waited for, and one that goes away ends the reading', async () => {
  let pieces = 0;
  const { exports, ended } = exportsOf(() => {
    pieces += 1;
    return { type: 'bytes', bytes: new Uint8Array(1 << 20) };
  });
  const gone = new AbortController();
  const response = await fetch(await served(exports), { signal: gone.signal });
  expect(response.status).toBe(200);
  const settled = async () => {
    const before = pieces;
    await new Promise((resolve) => setTimeout(resolve, 200));
    return pieces - before;
  };
  await expect.poll(settled, { timeout: 5_000 }).toBe(0);
  // The buffers of the sockets hold some megabytes.
  expect(pieces).toBeLessThan(40);
  expect(ended()).toBe(0);

  gone.abort();
  await expect.poll(ended).toBe(1);
});

test('a stop breaks off exports that run, and refuses others', async () => {
  const { exports, ended } = exportsOf(async (piece) => {
    if (piece > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    return bytes('more\n');
  });
  const url = await served(exports);
  const response = await fetch(url);
  exports.stop();
  expect(ended()).toBe(1);
  expect((await fetch(url)).status).toBe(503);
  await response.body?.cancel();
});
