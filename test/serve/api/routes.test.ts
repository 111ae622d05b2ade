import { expect, onTestFinished, test } from 'vitest';
import { startHttpServer } from '../../../src/report/http/http-server.ts';
import { ROUTES } from '../../../src/serve/api/routes.ts';
import type { ConversationQuery } from '../../../src/store/conversation-reader.ts';

async function start(ready = { ready: true, reasons: [] as string[] }) {
  const queries: ConversationQuery[] = [];
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    routes: ROUTES,
    side: {
      metrics: async () => ({ contentType: 'text/plain', body: 'm 1\n' }),
      ready: () => ready,
      conversations: () => ({
        list: async (query) => {
          queries.push(query);
          return { conversations: [] };
        },
        get: async (id, options) => (id === 'a/b ü' ? { id, ...options } : undefined),
      }),
      detection: () => Promise.resolve({ active: false }),
      reader: () => undefined,
      suites: () => [],
      liveSuites: () => [],
      put: async () => ({ changed: 0 }),
      accept: async () => ({ accepted: [], others: [] }),
      reload: async () => ({ reloaded: true, needRestart: [] }) as const,
    },
    writeToken: () => undefined,
    onWrite: () => undefined,
  });
  onTestFinished(() => server.stop());
  const get = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${server.port}${path}`, { method });
  return { get, queries };
}

test('lists by what is asked for', async () => {
  const { get, queries } = await start();

  const response = await get(
    '/api/conversations?outcome=hard_failure&agent=a&segment=gold&criterion=x&since=2026-01-01T00:00:00Z&limit=7',
  );

  expect(response.status).toBe(200);
  expect(queries).toEqual([
    {
      outcome: 'hard_failure',
      agent: 'a',
      segment: 'gold',
      criterion: 'x',
      since: Date.parse('2026-01-01T00:00:00Z'),
      limit: 7,
      agentVersion: undefined,
    },
  ]);
});

test('a stretch such as 24h counts back from now', async () => {
  const { get, queries } = await start();
  const before = Date.now() - 86_400_000;

  await get('/api/conversations?since=24h');

  expect(queries[0]?.since).toBeGreaterThanOrEqual(before);
  expect(queries[0]?.since).toBeLessThanOrEqual(Date.now() - 86_400_000);
});

test('says all mistakes of a query at once', async () => {
  const { get } = await start();

  const response = await get('/api/conversations?outcome=bad&since=yesterday&limit=0&what=1');

  expect(response.status).toBe(400);
  const { problems } = (await response.json()) as { problems: string[] };
  expect(problems.join('\n')).toMatch(/outcome[\s\S]*since: expected a time such as[\s\S]*limit[\s\S]*what/);
});

test('finds a conversation by an id with any characters, and says what may be when there is none', async () => {
  const { get } = await start();

  expect(await (await get(`/api/conversations/${encodeURIComponent('a/b ü')}?revisions=all`)).json()).toEqual({
    id: 'a/b ü',
    revisions: 'all',
  });
  const missing = await get('/api/conversations/nope');
  expect(missing.status).toBe(404);
  expect(await missing.text()).toContain('it may still be open');
  expect((await get('/api/conversations/%ff')).status).toBe(400);
});

test('is ready or says why not', async () => {
  const up = await start();
  const down = await start({ ready: false, reasons: ['nothing has been scored for 31 s although turns are waiting'] });

  expect((await up.get('/readyz')).status).toBe(200);
  const response = await down.get('/readyz');
  expect(response.status).toBe(503);
  expect(await response.text()).toContain('31 s');
  expect((await down.get('/healthz')).status).toBe(200);
});

test('what only reads takes no other method, and the list says what there is', async () => {
  const { get } = await start();

  for (const path of ['/', '/metrics', '/api/conversations', '/api/conversations/', '/api/conversations/a/b']) {
    const response = await get(path, 'POST');
    expect([path, response.status, response.headers.get('allow')]).toEqual([path, 405, 'GET, HEAD']);
    expect(await response.text()).toContain('POST is not supported here: this only reads');
  }
  expect((await get('/nothing')).status).toBe(404);
  expect((await get('/metrics/')).status).toBe(404);
  expect(await (await get('/metrics')).text()).toBe('m 1\n');
  expect((await get('/metrics', 'HEAD')).headers.get('content-length')).toBe('4');
  const list = await (await get('/')).text();
  for (const { method, path } of ROUTES) expect(list).toContain(`\n${method} ${path} `);
});

test('what is written takes its own method only, and is not read', async () => {
  const { get } = await start();

  for (const method of ['GET', 'HEAD', 'DELETE']) {
    const response = await get('/v1/labels/c', method);
    expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'PUT']);
  }
});
