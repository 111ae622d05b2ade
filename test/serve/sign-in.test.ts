/** People sign in to the running service, at a real OpenID provider. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { seal, sealingKey, unseal } from '../../src/access/sealed.ts';
import { accessFilesIn } from '../../src/serve/store-place/data-directory.ts';
import { assayHere } from '../assay-here.ts';
import { FIRST } from '../certificates.ts';
import { Browser, type IdentityProvider, startIdentityProvider } from '../access/identity-provider.ts';
import { forFile } from '../for-file.ts';
import { freePorts } from '../free-ports.ts';
import { tempDirectory } from '../temp-directory.ts';
import { runService } from './running-service.ts';

const KEY = 'a-session-key-that-only-this-test-knows';

async function start({ inIdToken = false, config = '', more = '' } = {}) {
  const [httpPort = 0] = await freePorts(1);
  const home = `http://127.0.0.1:${httpPort}`;
  const provider = await startIdentityProvider({ redirectUrl: `${home}/auth/callback`, inIdToken });
  const running = await serve(provider, home, httpPort, config, { more });
  return { ...running, home, provider };
}

const shared = forFile(() => start());

/** Over TLS: Assay's own, or that of a proxy in front, which passes on the name by which people call it. */
async function startOverTls(by: 'assay' | 'proxy') {
  const [httpPort = 0] = await freePorts(1);
  const dataDir = tempDirectory();
  const name = by === 'assay' ? `127.0.0.1:${httpPort}` : 'assay.example.com';
  const home = `${by === 'assay' ? 'https' : 'http'}://127.0.0.1:${httpPort}`;
  const provider = await startIdentityProvider({ redirectUrl: `https://${name}/auth/callback` });
  if (by === 'assay') {
    writeFileSync(path.join(dataDir, 'tls.crt'), FIRST.cert);
    writeFileSync(path.join(dataDir, 'tls.key'), FIRST.key);
  }
  const tls = by === 'assay' ? 'tls: { cert_file: tls.crt, key_file: tls.key }' : '';
  await serve(provider, `https://${name}`, httpPort, '', { dataDir, more: tls });
  const browser = new Browser({ ca: FIRST.cert });
  const get = (url: string, headers: Record<string, string> = {}) =>
    browser.get(url.replace(`https://${name}`, home), { host: name, 'x-forwarded-proto': 'https', ...headers });
  return { home, name, provider, browser, get };
}

async function serve(
  { issuer, clientSecret }: Pick<IdentityProvider, 'issuer' | 'clientSecret'>,
  home: string,
  httpPort: number,
  config: string,
  { dataDir = tempDirectory(), more = '' } = {},
) {
  writeFileSync(path.join(dataDir, 'client-secret'), clientSecret);
  writeFileSync(path.join(dataDir, 'session-key'), KEY);
  writeFileSync(
    path.join(dataDir, 'assay.yaml'),
    `access:
  session_key_file: session-key
  ${config}
  oidc:
    issuer: ${issuer}
    client_id: assay
    client_secret_file: client-secret
    redirect_url: ${home}/auth/callback
    roles: { readers: read, reviewers: review, operators: admin }
${more}
`,
  );
  const running = await runService({ suites: ['default'], dataDir, httpPort });
  return { running, dataDir };
}

/** Signs in, up to where the browser is sent. */
async function signIn(browser: Browser, home: string, returnTo = '/api/me'): Promise<Response> {
  const back = await browser.follow(
    `${home}/auth/login?return_to=${encodeURIComponent(returnTo)}`,
    `${home}/auth/callback`,
  );
  return browser.get(back);
}

const JSON_TYPE = { 'content-type': 'application/json' };

test.for([true, false])(
  'a person signs in, reads what the role lets him, and signs out; roles in the ID token: %s',
  { timeout: 60_000 },
  async (inIdToken) => {
    const { home, provider, running, dataDir } = await start({ inIdToken });
    provider.person = { subject: 'ana', roles: ['readers', 'others'] };
    const browser = new Browser();
    expect((await browser.get(`${home}/api/me`)).status).toBe(401);

    const back = await signIn(browser, home);

    expect([back.status, back.headers.get('location')]).toEqual([302, '/api/me']);
    const me = await browser.get(`${home}/api/me`);
    expect(await me.json()).toEqual({
      name: 'person ana@example.com (ana)',
      by: 'session',
      roles: ['read'],
      sign_out: '/auth/logout',
    });
    expect((await browser.get(`${home}/api/conversations`)).status).toBe(200);
    // The role does not let him write, from whatever page.
    const truth = await browser.send('PUT', `${home}/v1/truth/c`, { ...JSON_TYPE, origin: home }, '{}');
    expect([truth.status, await truth.text()]).toEqual([
      403,
      expect.stringContaining('you have the role read, and review'),
    ]);
    const kept = new Map(browser.cookies.get(home));
    const out = await browser.send('POST', `${home}/auth/logout`, { ...JSON_TYPE, origin: home }, '{}');
    expect(out.status).toBe(200);
    expect((await browser.get(`${home}/api/me`)).status).toBe(401);
    // Somebody who kept the cookie is out as well.
    browser.cookies.set(home, kept);
    expect((await browser.get(`${home}/api/me`)).status).toBe(401);

    await running.service.stop();
    const audit = readFileSync(accessFilesIn(dataDir).auditFile, 'utf8');
    expect(audit).toMatch(
      /"what":"signed-in","who":"person ana@example\.com \(ana\)","from":"127\.0\.0\.1","role":"read"/,
    );
    expect(audit).toMatch(/"what":"signed-out","who":"person ana@example\.com"/);
  },
);

test('cookies are for us alone, and are not read by scripts', async () => {
  const { home, provider } = shared();
  provider.person = { subject: 'ana', roles: ['readers'] };
  const browser = new Browser();

  const login = await browser.get(`${home}/auth/login`);
  const back = await signIn(browser, home);

  const set = [...login.headers.getSetCookie(), ...back.headers.getSetCookie()];
  expect(set).toHaveLength(3);
  for (const cookie of set)
    expect(cookie).toMatch(/^assay(-sign-in)?=[\w-]*; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
  expect(set.join()).not.toContain('ana');
});

test.for(['assay', 'proxy'] as const)('over TLS of %s, cookies go over TLS only and to no other host', async (by) => {
  const { home, name, provider, browser, get } = await startOverTls(by);
  provider.person = { subject: 'ana', roles: ['readers'] };

  const login = await get(`${home}/auth/login?return_to=/api/me`);
  const callback = await browser.follow(login.headers.get('location') ?? '', `https://${name}/auth/callback`);
  const back = await get(callback);

  expect([back.status, back.headers.get('location')]).toEqual([302, '/api/me']);
  const out = await browser.send(
    'POST',
    `${home}/auth/logout`,
    { ...JSON_TYPE, host: name, origin: `https://${name}` },
    '{}',
  );
  const set = [login, back, out].flatMap(({ headers }) => headers.getSetCookie());
  expect(set.map((cookie) => cookie.slice(0, cookie.indexOf('=')))).toEqual([
    '__Host-assay-sign-in',
    '__Host-assay-sign-in',
    '__Host-assay',
    '__Host-assay',
  ]);
  // Browsers take a cookie with this prefix only if it is Secure, has the path / and no Domain.
  for (const cookie of set)
    expect(cookie).toMatch(/^__Host-[a-z-]+=[\w-]*; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/);
});

test.for(['assay', 'proxy'] as const)(
  'over TLS of %s, a cookie that a neighbouring host can set is no session',
  async (by) => {
    const { home, name, provider, browser, get } = await startOverTls(by);
    provider.person = { subject: 'ana', roles: ['readers'] };
    const sealed = seal(sealingKey(KEY), 'session', SESSION);
    const me = async (cookie: string) => (await get(`${home}/api/me`, { cookie })).status;

    expect(await me(`assay=${sealed}`)).toBe(401);
    expect(await me(`__Secure-assay=${sealed}`)).toBe(401);
    expect(await me(`__Host-assay=${sealed}`)).toBe(200);
    // A page that came in the clear may be anybody's.
    const put = await browser.send(
      'PUT',
      `${home}/v1/truth/c`,
      { ...JSON_TYPE, host: name, origin: `http://${name}`, cookie: `__Host-assay=${sealed}` },
      '{}',
    );
    expect([put.status, await put.text()]).toEqual([403, expect.stringContaining('pages of other sites')]);
  },
);

test('somebody without a role here is known and not let in', async () => {
  const { home, provider } = shared();
  provider.person = { subject: 'eve', roles: ['others'] };
  const browser = new Browser();

  const back = await signIn(browser, home);

  expect(back.status).toBe(403);
  expect(await back.json()).toEqual({ error: 'you are known, and have no role here: ask for one' });
  expect((await browser.get(`${home}/api/me`)).status).toBe(401);
});

test('a session writes from our own page only, and a page of others reads nothing with it', async () => {
  const { home, provider } = shared();
  provider.person = { subject: 'rob', roles: ['reviewers'] };
  const browser = new Browser();
  await signIn(browser, home);
  const put = async (headers: Record<string, string>) =>
    (await browser.send('PUT', `${home}/v1/truth/c`, { ...JSON_TYPE, ...headers }, '{}')).status;
  const get = async (headers: Record<string, string>) =>
    (await browser.get(`${home}/api/conversations`, headers)).status;

  expect(await put({ origin: home })).toBe(200);
  expect(await put({ 'sec-fetch-site': 'same-origin' })).toBe(200);
  expect(await put({})).toBe(403);
  expect(await put({ origin: 'https://evil.example' })).toBe(403);
  expect(await put({ origin: 'null' })).toBe(403);
  expect(await put({ origin: home.replace('http:', 'https:') })).toBe(403);
  expect(await put({ 'sec-fetch-site': 'cross-site' })).toBe(403);
  // Other programs of this machine have the same cookie and other ports.
  expect(await put({ origin: 'http://127.0.0.1:8080' })).toBe(403);
  expect(await put({ origin: 'http://localhost:8080' })).toBe(403);
  expect(await put({ origin: 'http://127.0.0.1' })).toBe(403);
  expect(await put({ origin: home, 'sec-fetch-site': 'same-site' })).toBe(403);
  // By another name of this service, such as that of a tunnel.
  expect(await put({ host: 'localhost:9999', origin: 'http://localhost:9999' })).toBe(200);
  expect(await put({ host: 'localhost:9999', origin: 'http://localhost:9998' })).toBe(403);
  expect(await put({ origin: home, 'content-type': 'text/plain' })).toBe(415);
  expect(await get({ origin: 'https://evil.example' })).toBe(403);
  expect(await get({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' })).toBe(
    403,
  );
  expect(
    await get({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }),
  ).toBe(200);
  const out = await browser.send('POST', `${home}/auth/logout`, { ...JSON_TYPE, origin: 'https://evil.example' }, '{}');
  expect(out.status).toBe(403);
  expect((await browser.get(`${home}/api/me`)).status).toBe(200);
});

test('a sign-in finishes once, in the browser that began it, with the state that it began with', async () => {
  const { home, provider } = shared();
  provider.person = { subject: 'ana', roles: ['readers'] };
  const browser = new Browser();
  const back = await browser.follow(`${home}/auth/login`, `${home}/auth/callback`);
  const cookies = new Map(browser.cookies.get(home));
  const another = back.replace(/state=[^&]*/, 'state=another');

  // The victim of a login that somebody else began.
  expect((await new Browser().get(back)).status).toBe(400);
  expect((await browser.get(another)).status).toBe(400);
  browser.cookies.set(home, new Map(cookies));
  expect((await browser.get(back)).status).toBe(302);
  browser.cookies.set(home, new Map(cookies));
  expect((await browser.get(back)).status).toBe(400);
  expect((await browser.get(`${home}/auth/callback`)).status).toBe(400);
});

/** A callback with a cookie of ours and a code that the provider does not know. */
async function failToSignIn(home: string, headers: Record<string, string> = {}): Promise<number> {
  const browser = new Browser();
  const login = await browser.get(`${home}/auth/login`);
  const state = new URL(login.headers.get('location') ?? '').searchParams.get('state');
  return (await browser.get(`${home}/auth/callback?state=${state}&code=guessed`, headers)).status;
}

test('nobody keeps others behind the same proxy from signing in', { timeout: 60_000 }, async () => {
  const { home, provider } = await start();
  provider.person = { subject: 'ana', roles: ['readers'] };
  const proxied = { 'x-forwarded-for': '198.51.100.1' };
  const back = new Browser();
  const callback = await back.follow(`${home}/auth/login`, `${home}/auth/callback`);

  const statuses = new Set<number>();
  for (let n = 0; n < 30; n += 1) {
    statuses.add((await new Browser().get(`${home}/auth/callback?state=x&code=y`, proxied)).status);
    statuses.add(await failToSignIn(home, proxied));
    // A page of another site sends the browser of a person who is signing in.
    statuses.add((await back.get(`${home}/auth/callback?state=x&code=y`, proxied)).status);
  }

  expect([...statuses]).toEqual([400]);
  expect((await back.get(callback, proxied)).status).toBe(302);
});

test('a client that a trusted proxy names is told to wait, and others are not', { timeout: 60_000 }, async () => {
  const { home, provider } = await start({ more: 'http: { trusted_proxies: [127.0.0.1] }' });
  provider.person = { subject: 'ana', roles: ['readers'] };
  const by = (client: string) => ({ 'x-forwarded-for': client });
  for (let n = 0; n < 20; n += 1) await failToSignIn(home, by(`203.0.113.${n}, 198.51.100.1`));
  const browser = new Browser();
  const callback = await browser.follow(`${home}/auth/login`, `${home}/auth/callback`);

  expect((await browser.get(callback, by('198.51.100.1'))).status).toBe(429);
  // It was not used up.
  expect((await browser.get(callback, by('198.51.100.2'))).status).toBe(302);
});

test.for(['nonce', 'verifier'] as const)(
  'with another %s than it began with, a sign-in begins no session',
  async (part) => {
    const { home, provider } = shared();
    provider.person = { subject: 'ana', roles: ['readers'] };
    const browser = new Browser();
    const back = await browser.follow(`${home}/auth/login`, `${home}/auth/callback`);
    const cookies = browser.cookies.get(home);
    const pending = z
      .record(z.string(), z.unknown())
      .parse(unseal(sealingKey(KEY), 'sign-in', cookies?.get('assay-sign-in') ?? ''));
    expect(String(pending[part])).toHaveLength(43);
    cookies?.set('assay-sign-in', seal(sealingKey(KEY), 'sign-in', { ...pending, [part]: 'x'.repeat(43) }));

    expect((await browser.get(back)).status).toBe(400);
    expect((await browser.get(`${home}/api/me`)).status).toBe(401);
  },
);

const SESSION = { id: 'x', subject: 'mallory', name: 'mallory', roles: ['admin'], from: 0, until: 8e15 };

const COOKIES: readonly (readonly [what: string, make: () => string])[] = [
  ['of another key', () => seal(sealingKey('another key of thirty-two letters'), 'session', SESSION)],
  ['of another purpose', () => seal(sealingKey(KEY), 'sign-in', SESSION)],
  ['that has expired', () => seal(sealingKey(KEY), 'session', { ...SESSION, until: Date.now() - 1 })],
  ['of another shape', () => seal(sealingKey(KEY), 'session', { ...SESSION, roles: ['root'] })],
  ['with a changed byte', () => changed(seal(sealingKey(KEY), 'session', SESSION))],
  ['that is not sealed', () => Buffer.from(JSON.stringify(SESSION)).toString('base64url')],
  ['that is empty', () => ''],
];

test.for(COOKIES)('a cookie %s is no session', async ([, cookie]) => {
  const { home } = shared();
  const status = async (value: string) =>
    (await fetch(`${home}/api/conversations`, { headers: { cookie: `other=1; assay=${value}` } })).status;

  expect(await status(cookie())).toBe(401);
  // The same, as it should be, is let in: the test would not notice otherwise that it sends nothing.
  expect(await status(seal(sealingKey(KEY), 'session', SESSION))).toBe(200);
});

function changed(sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64url');
  bytes[40] = (bytes[40] ?? 0) ^ 1;
  return bytes.toString('base64url');
}

test.for([
  [
    ['--person', 'ana'],
    [401, 200],
  ],
  [['--all'], [401, 401]],
] as const)(
  'an operator ends sessions with %o while the service runs',
  { timeout: 60_000 },
  async ([flags, expected]) => {
    const { home, provider, dataDir } = await start();
    const people = [new Browser(), new Browser()];
    for (const [index, subject] of ['ana', 'rob'].entries()) {
      provider.person = { subject, roles: ['readers'] };
      await signIn(people[index] ?? new Browser(), home);
    }
    const statuses = () => Promise.all(people.map(async (browser) => (await browser.get(`${home}/api/me`)).status));
    expect(await statuses()).toEqual([200, 200]);

    expect((await assayHere(['sessions', 'end', ...flags, '--data-dir', dataDir])).status).toBe(0);

    await expect.poll(async () => (await statuses())[0], { timeout: 20_000 }).toBe(401);
    expect(await statuses()).toEqual(expected);
    // Signing in again works as before.
    for (const browser of people) await signIn(browser, home);
    expect(await statuses()).toEqual([200, 200]);
  },
);

test('a session is over at its age', async () => {
  const { home, provider } = await start({ config: 'session_lifetime: 1m' });
  provider.person = { subject: 'ana', roles: ['readers'] };
  const browser = new Browser();

  const back = await signIn(browser, home);

  expect(back.headers.getSetCookie().find((set) => set.startsWith('assay='))).toContain('Max-Age=60;');
});

test.for([
  ['/api/conversations?limit=5', '/api/conversations?limit=5'],
  ['https://evil.example/', '/'],
  ['//evil.example/', '/'],
  ['/\\evil.example', '/'],
  ['/%5cevil', '/%5cevil'],
  ['/a\r\nset-cookie: x=1', '/'],
  ['javascript:alert(1)', '/'],
  ['', '/'],
] as const)('after signing in, %j leads to %s', async ([returnTo, expected]) => {
  const { home, provider } = shared();
  provider.person = { subject: 'ana', roles: ['readers'] };

  expect((await signIn(new Browser(), home, returnTo)).headers.get('location')).toBe(expected);
});

test('a browser that opens an address is sent to sign in, and a program is told that it can', async () => {
  const { home } = shared();

  const page = await new Browser().get(`${home}/api/conversations?limit=5`, { accept: 'text/html,*/*' });
  const program = await fetch(`${home}/api/conversations`);

  expect([page.status, page.headers.get('location')]).toEqual([
    302,
    '/auth/login?return_to=%2Fapi%2Fconversations%3Flimit%3D5',
  ]);
  expect([program.status, await program.json()]).toEqual([401, expect.objectContaining({ sign_in: '/auth/login' })]);
});

test('while the provider is away nobody signs in, sessions go on, and it is found again', {
  timeout: 60_000,
}, async () => {
  const broken = createServer((_request, response) => void response.writeHead(503).end());
  const [port = 0, httpPort = 0] = await freePorts(2);
  await new Promise<void>((resolve) => {
    broken.listen(port, '127.0.0.1', resolve);
  });
  onTestFinished(() => void broken.close());
  const home = `http://127.0.0.1:${httpPort}`;
  const { running } = await serve({ issuer: `http://127.0.0.1:${port}`, clientSecret: 'x' }, home, httpPort, '');
  const cookie = `assay=${seal(sealingKey(KEY), 'session', SESSION)}`;

  const login = await new Browser().get(`${home}/auth/login`);

  expect([login.status, login.headers.get('retry-after')]).toEqual([503, '5']);
  expect((await fetch(`${home}/api/me`, { headers: { cookie } })).status).toBe(200);
  const metrics = await (await fetch(`${home}/metrics`, { headers: { cookie } })).text();
  expect(metrics).toContain('assay_sign_ins_total{result="unavailable"} 1');
  expect(running.lines.join('')).toContain('identity provider cannot be used');
});

test('where no provider is configured there is nothing to sign in to', async () => {
  const { http } = await runService({ suites: ['default'] });

  expect((await fetch(`${http}/auth/login`)).status).toBe(404);
  expect(await (await fetch(`${http}/api/me`)).json()).toMatchObject({ by: 'loopback', sign_out: null });
});
