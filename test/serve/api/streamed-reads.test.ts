/** Answers in parts: all of them in order, few at once, and a connection that breaks off where a part cannot be read. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type Answer, jsonAnswer } from '../../../src/report/http/answer.ts';
import { StreamedReads } from '../../../src/serve/api/streamed-reads.ts';

const lines = (body: string, next?: string): Answer => ({
  status: 200,
  type: 'application/jsonl',
  body,
  ...(next === undefined ? {} : { next }),
});

/** Serves each request with what the reads make of the first part. */
async function served(streams: StreamedReads, part: (query: string) => Promise<Answer>): Promise<string> {
  const server = createServer((_request, response) => {
    const answer = streams.whole(lines('0\n', '1'), part);
    response.writeHead(answer.status);
    if (answer.stream === undefined) response.end(answer.body);
    else answer.stream(response);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The cast holds for a server that listens on a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('parts follow one another to the last, and one that is refused is asked for again', async () => {
  let refusals = 2;
  const taken: string[] = [];
  const url = await served(new StreamedReads({ retryMs: 1 }), async (query) => {
    if (query === '2' && refusals > 0) {
      refusals -= 1;
      return jsonAnswer(429, { error: 'busy' });
    }
    const answer = lines(`${query}\n`, query === '3' ? undefined : String(Number(query) + 1));
    return { ...answer, onTaken: () => taken.push(query) };
  });

  const response = await fetch(url);
  expect(await response.text()).toBe('0\n1\n2\n3\n');
  expect(refusals).toBe(0);
  expect(taken).toEqual(['1', '2', '3']);
});

test('an answer that cannot be read to its end is no whole answer', async () => {
  const url = await served(new StreamedReads({ retryMs: 1 }), async () => jsonAnswer(503, { error: 'away' }));

  const response = await fetch(url);
  await expect(response.text()).rejects.toThrow();
});

test('a part that fails breaks off the connection, and makes room for another', async () => {
  const streams = new StreamedReads({ retryMs: 1 });
  const failing = await served(streams, async () => Promise.reject(new Error('no such table')));
  for (let time = 0; time < 4; time += 1) await expect((await fetch(failing)).text()).rejects.toThrow();

  const url = await served(streams, async () => lines('1\n'));
  expect(await (await fetch(url)).text()).toBe('0\n1\n');
});

test('a third answer at the same time is refused, and begins once one has ended', async () => {
  const { promise: opened, resolve: open } = Promise.withResolvers<Answer>();
  const url = await served(new StreamedReads({ retryMs: 1 }), () => opened);
  const two = [await fetch(url), await fetch(url)];

  const refused = await fetch(url);
  expect(refused.status).toBe(429);
  expect(await refused.json()).toEqual({ error: '2 exports are running already' });
  open(lines('1\n'));
  expect(await Promise.all(two.map((response) => response.text()))).toEqual(['0\n1\n', '0\n1\n']);
  expect(await (await fetch(url)).text()).toBe('0\n1\n');
});

test('a client that goes away ends the reading', async () => {
  let parts = 0;
  const url = await served(new StreamedReads({ retryMs: 1 }), async () => {
    parts += 1;
    await new Promise((resolve) => setTimeout(resolve, 5));
    return lines('more\n', 'more');
  });
  const gone = new AbortController();
  const response = await fetch(url, { signal: gone.signal });
  await response.body?.getReader().read();

  gone.abort();
  await expect
    .poll(async () => {
      const before = parts;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return parts - before;
    })
    .toBe(0);
});
