import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate, setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { OPEN_TO_ALL } from '../../src/model/access.ts';
import { startHttpServer } from '../../src/report/http/http-server.ts';
import { read } from '../../src/report/http/route.ts';

const LINE = `${'é'.repeat(499)}\n`;
const LINES = 20_000;

/** A server with one long answer, and how many of its texts were taken from it so far. */
async function serving() {
  const seen = { taken: 0, sent: 0, isOver: false };
  function* texts(): Iterable<string> {
    try {
      for (; seen.taken < LINES; seen.taken += 1) yield LINE;
    } finally {
      seen.isOver = true;
    }
  }
  const onSent = () => {
    seen.sent += 1;
  };
  const { port, stop } = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    routes: [
      read('/long', 'long', () => ({ status: 200, type: 'text/plain', body: '', pieces: { texts: texts(), onSent } })),
    ],
    access: OPEN_TO_ALL,
    onWrite: () => undefined,
    onDropped: () => undefined,
  });
  onTestFinished(stop);
  return { seen, port };
}

test('a long answer arrives whole, and others get their turn meanwhile', async () => {
  const { seen, port } = await serving();
  let turns = 0;
  let isOver = false;
  const others = (async () => {
    while (!isOver) {
      if (seen.taken > 0 && seen.taken < LINES) turns += 1;
      await setImmediate();
    }
  })();

  const text = await (await fetch(`http://127.0.0.1:${port}/long`)).text();
  isOver = true;
  await others;

  expect(text === LINE.repeat(LINES)).toBe(true);
  expect(seen.sent).toBe(1);
  // 10 million characters in pieces of 64 Ki.
  expect(turns).toBeGreaterThan(100);
});

test('a client that does not read is not written for, and one that goes ends its answer', async () => {
  const { seen, port } = await serving();
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /long HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(socket, 'readable');
  let before = -1;
  while (seen.taken !== before) {
    before = seen.taken;
    await pause(100);
  }

  expect(seen.taken).toBeLessThan(LINES);
  expect(seen.isOver).toBe(false);
  socket.destroy();
  await expect.poll(() => seen.isOver).toBe(true);

  expect(seen.taken).toBe(before);
  expect(seen.sent).toBe(0);
});

test('only the head of a long answer is sent to who asks for no more', async () => {
  const { seen, port } = await serving();

  const response = await fetch(`http://127.0.0.1:${port}/long`, { method: 'HEAD' });

  expect([response.status, response.headers.get('content-length')]).toEqual([200, null]);
  expect([seen.taken, seen.sent]).toEqual([0, 0]);
});
