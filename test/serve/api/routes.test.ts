import { expect, onTestFinished, test } from 'vitest';
import { OPEN_TO_ALL } from '../../../src/model/access.ts';
import { startHttpServer } from '../../../src/report/http/http-server.ts';
import { jsonAnswer } from '../../../src/report/http/answer.ts';
import { answeredFrom } from '../../../src/report/http/route.ts';
import { PROCESS_ROUTES, type WriteSide } from '../../../src/serve/api/routes.ts';
import { STORE_ROUTES } from '../../../src/serve/http/store-routes.ts';
import type { ForgetSide } from '../../../src/serve/api/forget-api.ts';
import type { ReadSide } from '../../../src/serve/api/store-reads.ts';
import type { ComparingSide } from '../../../src/serve/api/v1/comparing-side.ts';
import type { ExportApi } from '../../../src/serve/exporting/export-route.ts';
import { KeptResults } from '../../../src/serve/api/v1/kept-results.ts';
import type { VersionCheckSide } from '../../../src/serve/comparing/version-check-route.ts';
import type { WhatIfApi } from '../../../src/serve/what-if/what-if-routes.ts';
import type { ConversationQuery } from '../../../src/store/conversation-reader.ts';

async function start(
  ready = { ready: true, reasons: [] as string[] },
  store?: { readonly unavailable: string; readonly retryAfterSeconds?: number },
) {
  const queries: ConversationQuery[] = [];
  const process = {
    metrics: async () => ({ contentType: 'text/plain', texts: ['m 1\n'], noteTaken: () => undefined }),
    ready: () => ready,
    reload: async () => ({ reloaded: true, needRestart: [] }) as const,
    setup: () => ({ version: '1', receiving: { kafka: false }, withheld: { effort: [], criteria: [], buckets: [] } }),
    openApi: () => jsonAnswer(200, {}),
    judges: () => ({ judges: [], budget: {}, calibrates_here: true }),
    live: () => jsonAnswer(200, {}),
  };
  const side: ReadSide & WriteSide & ForgetSide & WhatIfApi & ExportApi & ComparingSide & VersionCheckSide = {
    exports: { answer: async () => ({ status: 200, type: 'application/jsonl', body: '' }) },
    experiments: '/nowhere',
    idKeys: [],
    races: [],
    results: new KeptResults(),
    reweighing: { answer: async () => ({ status: 200, type: 'text/plain', body: '' }) },
    conversations: {
      list: async (query) => {
        queries.push(query);
        return { conversations: [] };
      },
      get: async (id, options) => (id === 'a/b ü' ? { id, ...options } : undefined),
    },
    detection: () => Promise.resolve({ active: false }),
    detectionState: () => ({ isActive: false, report: undefined }),
    prices: [],
    onDamage: () => undefined,
    // The cast holds because there are no suites to ask it about.
    reader: {} as ReadSide['reader'],
    suites: () => [],
    liveSuites: () => [],
    put: async () => ({ changed: 0 }),
    accept: async () => ({ accepted: [], others: [] }),
    forget: async () => ({
      is: 'forgotten',
      conversations: 0,
      said: { truths: 0, readings: 0, labels: 0, feedback: 0 },
      experimentRuns: 0,
      setAsideFiles: 0,
    }),
    userForms: (user) => [user],
    redaction: undefined,
    audit: { write: () => undefined },
    comparing: { answer: async () => jsonAnswer(404, { error: 'nothing is compared here' }) },
  };
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    routes: [...answeredFrom(PROCESS_ROUTES, () => process), ...answeredFrom(STORE_ROUTES, () => store ?? side)],
    access: OPEN_TO_ALL,
    onWrite: () => undefined,
    onDropped: () => undefined,
  });
  onTestFinished(() => server.stop());
  const get = (path: string, method = 'GET', body?: string) =>
    fetch(`http://127.0.0.1:${server.port}${path}`, {
      method,
      ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
    });
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
    expect(await response.text()).toContain('POST is not supported here: use GET or HEAD');
  }
  expect((await get('/nothing')).status).toBe(404);
  expect((await get('/metrics/')).status).toBe(404);
  expect(await (await get('/metrics')).text()).toBe('m 1\n');
  const head = await get('/metrics', 'HEAD');
  expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([200, 'text/plain', '']);
  const list = await (await get('/')).text();
  expect(list.match(/^(GET|PUT|POST|DELETE) \S+/gm)).toHaveLength(PROCESS_ROUTES.length + STORE_ROUTES.length);
  expect(list).toMatch(/^GET \/api\/conversations\/<conversation> +one conversation/m);
  expect(list).not.toMatch(/[{}]\S* {2}/);
});

test('what is written takes its own method only, and is not read', async () => {
  const { get } = await start();

  for (const method of ['GET', 'HEAD', 'DELETE']) {
    const response = await get('/v1/labels/c', method);
    expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'PUT']);
  }
});

const A_LABEL = '{"suite":"s","criterion":"c","label":"pass","by":"ann"}';
const BODIES: Readonly<Record<string, string>> = {
  '/api/v1/what-if': '{}',
  '/api/v1/versions/check': '{"metadata":{"agent":"a","version":"2","against":"1"}}',
  '/v1/truth/{conversation}': '{}',
  '/v1/labels/{conversation}': A_LABEL,
  '/v1/readings': '{"conversation_id":"c","answer":"good","by":"ana"}',
  '/v1/failures': '{"agent":"a","kind":"k","state":"open","by":"ana"}',
  '/v1/outcomes': '{"conversation_id":"c","label":"csat","good":true}',
  '/api/v1/detection/accept': '{"agent":"a","suite":"s"}',
  '/api/v1/forget': '{"conversation":"c"}',
  '/api/v1/feedback': '{"conversation_id":"c","label":"up"}',
};

test.each([
  { because: { unavailable: 'this instance is starting', retryAfterSeconds: 1 }, retryAfter: '1' },
  { because: { unavailable: 'this instance has no store' }, retryAfter: null },
])('without a store every route that needs it says why: $because.unavailable', async ({ because, retryAfter }) => {
  const { get } = await start(undefined, because);

  for (const { method, path } of STORE_ROUTES) {
    const body = method === 'GET' ? undefined : BODIES[path];
    const response = await get(path.replace(/\{.*\}/, 'c'), method, body);
    expect([path, response.status, response.headers.get('retry-after')]).toEqual([path, 503, retryAfter]);
    expect(await response.json()).toEqual({ error: because.unavailable });
  }
  for (const { method, path } of PROCESS_ROUTES)
    expect([path, (await get(path, method, method === 'GET' ? undefined : '{}')).status]).toEqual([path, 200]);
});
