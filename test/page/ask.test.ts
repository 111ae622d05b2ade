/** The question to the API: what is sent, and the reason in words for each way in which there is no answer. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ask, askText } from '../../src/page/api/ask.ts';
import { forgetToken, keepToken, keptToken } from '../../src/page/api/token.ts';

let sent: { readonly url: string; readonly init: RequestInit }[];
let answer: () => Response;
beforeEach(() => {
  sent = [];
  const kept = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  });
  vi.stubGlobal('window', { dispatchEvent: () => true });
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    sent.push({ url, init });
    init.signal?.throwIfAborted();
    return answer();
  });
});
afterEach(() => vi.unstubAllGlobals());

const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
  answer = () => new Response(JSON.stringify(body), { status, headers });
};

test('an answer is its value; the question has its query, and no body', async () => {
  json(200, { a: 1 });

  expect(await ask('/api/x', { query: new URLSearchParams({ q: 'a b' }) })).toEqual({ is: 'here', value: { a: 1 } });
  expect(await ask('/api/x', { query: new URLSearchParams() })).toEqual({ is: 'here', value: { a: 1 } });
  expect(sent.map(({ url, init }) => [url, init.method, init.body])).toEqual([
    ['/api/x?q=a+b', 'GET', undefined],
    ['/api/x', 'GET', undefined],
  ]);
});

test('what is written is JSON, an empty object unless there is more', async () => {
  json(200, {});
  await ask('/v1/x', { method: 'PUT', body: null });
  await ask('/v1/x', { method: 'POST' });

  expect(sent.map(({ init }) => init.body)).toEqual(['null', '{}']);
  expect(sent[0]?.init.headers).toMatchObject({ 'content-type': 'application/json' });
});

test('a token of this tab goes along, until it is forgotten', async () => {
  json(200, {});
  expect(keepToken('secret')).toBe(true);
  await ask('/api/x');
  forgetToken();
  await ask('/api/x');

  expect(sent.map(({ init }) => new Headers(init.headers).get('authorization'))).toEqual(['Bearer secret', null]);
});

test.each(['', 'a b', 'ü', 'a\nb', 'x'.repeat(4097)])('no token that a header cannot carry is kept: %j', (token) => {
  expect(keepToken(token)).toBe(false);
  expect(keptToken()).toBeUndefined();
});

test.each([
  [401, { error: 'who?', sign_in: '/auth/login' }, { is: 'signed-out', why: 'who?', signIn: '/auth/login' }],
  [401, { error: 'who?' }, { is: 'signed-out', why: 'who?', signIn: undefined }],
  [403, { error: 'no' }, { is: 'forbidden', why: 'no' }],
  [404, { error: 'gone' }, { is: 'missing', why: 'gone' }],
  [400, { error: 'bad', problems: ['a', 'b'] }, { is: 'refused', why: 'bad: a; b' }],
  [429, { error: 'busy' }, { is: 'away', why: 'busy', isBusy: true, isStore: false }],
  [503, { error: 'no store' }, { is: 'away', why: 'no store', isBusy: false, isStore: true }],
  [500, { error: 7 }, { is: 'away', why: 'The service answered with status 500.', isBusy: false, isStore: false }],
  [418, ['odd'], { is: 'away', why: 'The service answered with status 418.', isBusy: false, isStore: false }],
])('status %i with %j has its reason', async (status, body, reply) => {
  json(status, body);

  expect(await ask('/api/x')).toEqual(reply);
});

test('the time after which it helps to ask again is part of the reason', async () => {
  json(503, { error: 'starting' }, { 'retry-after': '5' });

  expect(await ask('/api/x')).toMatchObject({ why: 'starting (ask again after 5 s)' });
});

test('an answer that is no JSON is no value, whatever its status says', async () => {
  answer = () => new Response('<html>a proxy</html>', { status: 200 });

  expect(await ask('/api/x')).toMatchObject({ is: 'away', why: 'The service answered with status 200.' });
  expect(await askText('/api/x')).toEqual({ is: 'here', value: '<html>a proxy</html>' });
});

test('a service that is not reached is away; a question that nobody asks any more is not answered', async () => {
  answer = () => {
    throw new TypeError('fetch failed');
  };
  const gone = new AbortController();
  gone.abort();

  expect(await ask('/api/x')).toMatchObject({ is: 'away', why: expect.stringContaining('does not answer') });
  await expect(ask('/api/x', { signal: gone.signal })).rejects.toThrow('aborted');
});

test('the clock of the service is noted from its answers, and small differences are not', async () => {
  const { clockOffMs } = await import('../../src/page/api/service-clock.ts');
  const at = (offMs: number) => new Date(Date.now() + offMs).toUTCString();
  json(200, {}, { date: at(60_000) });
  await ask('/api/x');
  expect(clockOffMs()).toBe(0);
  json(200, {}, { date: at(3_600_000) });
  await ask('/api/x');
  expect(Math.round(clockOffMs() / 60_000)).toBe(60);
  json(200, {}, { date: 'no date' });
  await ask('/api/x');
  expect(Math.round(clockOffMs() / 60_000)).toBe(60);
  json(200, {}, { date: at(0) });
  await ask('/api/x');
  expect(clockOffMs()).toBe(0);
});
