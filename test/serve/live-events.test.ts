/** Live events: what clients are sent, how many there may be, and when they are dropped. */
import { get as httpGet } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { liveConversations } from '../../src/api/live.ts';
import { OPEN_TO_ALL } from '../../src/model/access.ts';
import type { ConversationId } from '../../src/model/ids.ts';
import { startHttpServer } from '../../src/report/http/http-server.ts';
import { read } from '../../src/report/http/route.ts';
import { LiveEvents } from '../../src/serve/running/live-events.ts';
import { filledService, post } from './api/v1/filled-service.ts';

async function serve(times: ConstructorParameters<typeof LiveEvents>[0]) {
  const live = new LiveEvents(times);
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    routes: [read<undefined>('/api/v1/live', 'live', (_, { client }) => live.answer(client))],
    access: {
      ...OPEN_TO_ALL,
      clientOf: ({ address, headers }) => ({ address, group: String(headers['x-from'] ?? address), isNamed: true }),
    },
    onWrite: () => undefined,
    onDropped: () => undefined,
  });
  onTestFinished(async () => {
    live.stop();
    await server.stop();
  });
  return { live, url: `http://127.0.0.1:${server.port}/api/v1/live` };
}

interface Client {
  readonly status: number;
  readonly headers: Headers;
  /** The next event of that name. */
  next(event: string): Promise<unknown>;
  /** Resolves once the server has ended it. */
  ended(): Promise<void>;
}

async function connect(url: string, from = 'somewhere'): Promise<Client> {
  const leave = new AbortController();
  onTestFinished(() => leave.abort());
  const response = await fetch(url, { signal: leave.signal, headers: { 'x-from': from } });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const more = async () => {
    const { value, done } = (await reader?.read()) ?? { done: true };
    text += value ?? '';
    return done !== true;
  };
  return {
    status: response.status,
    headers: response.headers,
    next: async (event) => {
      for (;;) {
        const [whole, data] = new RegExp(`event: ${event}\ndata: (.*)\n\n`).exec(text) ?? [];
        if (whole !== undefined) {
          text = text.slice(text.indexOf(whole) + whole.length);
          return JSON.parse(data ?? '');
        }
        if (!(await more())) throw new Error(`the stream ended before ${event}`);
      }
    },
    ended: async () => {
      while (await more());
    },
  };
}

function evaluated(conversation: string) {
  // The cast is the brand: this is a test.
  const id = conversation as ConversationId;
  return { type: 'conversation-evaluated', conversation: id, cause: 'idle', suites: 1, revision: 2 } as const;
}

test('evaluations of a while are one event with the first of them and the number of others, and silence has heartbeats', async () => {
  const { live, url } = await serve({ gatheredMs: 50, heartbeatMs: 40 });
  // Nobody listens yet.
  live.note(evaluated('before'));
  const client = await connect(url);
  const other = await connect(url);
  expect(client.status).toBe(200);
  expect(client.headers.get('content-type')).toBe('text/event-stream');
  expect(client.headers.get('cache-control')).toBe('no-store');
  expect(await client.next('heartbeat')).toEqual({});

  for (let number = 0; number < 60; number += 1) live.note(evaluated(`c${number}`));
  live.note({ type: 'scorer-failed', error: 'of no interest here' });

  const told = liveConversations.parse(await client.next('conversation'));
  expect(told.conversations.map(({ conversation_id }) => conversation_id)).toEqual(
    Array.from({ length: 50 }, (_, number) => `c${number}`),
  );
  expect(told.left_out).toBe(10);
  expect(told.conversations.every(({ revision }) => revision === 2)).toBe(true);
  expect(await other.next('conversation')).toEqual(told);
  live.note(evaluated('c\u202e\n"later"'));
  expect(await client.next('conversation')).toMatchObject({
    conversations: [{ conversation_id: 'c\u202e\n"later"' }],
    left_out: 0,
  });
});

test('only so many clients are admitted, those that leave make room, and a stop ends all', async () => {
  const { live, url } = await serve({});
  const clients = [];
  for (let number = 0; number < 20; number += 1) clients.push(await connect(url));
  const refused = await fetch(url, { headers: { 'x-from': 'somewhere' } });
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('10');
  expect(await refused.json()).toEqual({ error: expect.stringContaining('20 clients') });
  expect(live.clients).toBe(20);

  live.stop();
  live.stop();

  for (const client of clients) await client.ended();
  expect(live.clients).toBe(0);
  expect((await fetch(url)).status).toBe(503);
});

test('one address cannot hold all places: its longest connected client gives way to another address', async () => {
  const { live, url } = await serve({});
  const flood = [];
  for (let number = 0; number < 20; number += 1) flood.push(await connect(url, 'flood'));

  const good = [await connect(url, 'ana'), await connect(url, 'rob'), await connect(url, 'ana')];

  expect(good.map(({ status }) => status)).toEqual([200, 200, 200]);
  for (const client of flood.slice(0, 3)) await client.ended();
  expect(live.clients).toBe(20);
  expect((await connect(url, 'flood')).status).toBe(429);
  for (let number = 0; number < 7; number += 1) expect((await connect(url, 'ana')).status).toBe(200);
  // Nine, and the flood has ten.
  expect((await connect(url, 'ana')).status).toBe(429);
});

test('after a while a client gives way to others of its own address, whether it reads or not', async () => {
  const { live, url } = await serve({ placeMs: 300, takenWithinMs: 50 });
  const stuck = Array.from({ length: 20 }, () =>
    httpGet(url, { headers: { 'x-from': 'proxy' } }, (response) => response.pause()),
  );
  const closed = new Promise((resolve) => {
    stuck[0]?.on('error', () => undefined).once('close', resolve);
  });
  onTestFinished(() => stuck.forEach((one) => void one.destroy()));
  await expect.poll(() => live.clients).toBe(20);
  expect((await connect(url, 'proxy')).status).toBe(429);

  await expect.poll(async () => (await connect(url, 'proxy')).status, { timeout: 5_000 }).toBe(200);

  await closed;
  expect(live.clients).toBe(20);
});

test('a connection ends after its lifetime, and one that was closed is forgotten', async () => {
  const { live, url } = await serve({ lifetimeMs: 50 });
  const client = await connect(url);
  await client.ended();
  expect(live.clients).toBe(0);
  const leave = new AbortController();
  const left = await fetch(url, { signal: leave.signal });
  expect(left.status).toBe(200);
  leave.abort();
  await expect.poll(() => live.clients).toBe(0);
});

test('a client that does not read is dropped, and others go on', { timeout: 30_000 }, async () => {
  const { live, url } = await serve({ gatheredMs: 1 });
  const reading = await connect(url);
  const stuck = httpGet(url, (response) => response.pause());
  stuck.on('error', () => undefined);
  onTestFinished(() => void stuck.destroy());
  await expect.poll(() => live.clients).toBe(2);

  const long = 'x'.repeat(100_000);
  for (let rounds = 0; rounds < 400 && live.clients > 1; rounds += 1) {
    live.note(evaluated(`${rounds} ${long}`));
    await reading.next('conversation');
  }

  expect(live.clients).toBe(1);
  live.note(evaluated('after'));
  expect(await reading.next('conversation')).toMatchObject({ conversations: [{ conversation_id: 'after' }] });
});

test('a running service says when a conversation was evaluated, and stops with a client connected', {
  timeout: 60_000,
}, async () => {
  const running = await filledService();
  const client = await connect(`${running.http}/api/v1/live`);

  await post(running, { id: 'live', question: 'Now?', answer: 'Yes.', results: [] }, 9);

  expect(liveConversations.parse(await client.next('conversation'))).toMatchObject({
    conversations: [{ conversation_id: 'live', revision: 1 }],
    left_out: 0,
  });
  const head = await fetch(`${running.http}/api/v1/live`, { method: 'HEAD' });
  expect(head.status).toBe(200);
  await running.service.stop();
  await client.ended().catch(() => undefined);
});
