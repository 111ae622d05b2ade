import { expect, test } from 'vitest';
import { newToken } from '../../src/access/token.ts';
import type { RequestHead } from '../../src/model/access.ts';
import { ROLES, type Role } from '../../src/model/caller.ts';
import { bearing, guardFor, head } from './guards.ts';

const TOKENS = {
  'the-ingest-token': 'ingest',
  'the-read-token': 'read',
  'the-review-token': 'review',
  'the-admin-token': 'admin',
} as const;
const MAY: Readonly<Record<Role, readonly Role[]>> = {
  ingest: ['ingest'],
  read: ['read'],
  review: ['read', 'review'],
  admin: ['ingest', 'read', 'review', 'admin'],
};

test.for(Object.entries(TOKENS).flatMap(([token, role]) => ROLES.map((wanted) => [role, wanted, token] as const)))(
  'a token of the role %s, for what takes %s',
  ([role, wanted, token]) => {
    const { guard, lines } = guardFor({ mode: 'required', tokens: TOKENS });

    const access = guard.decide(bearing(token, { address: '10.0.0.9' }), { takes: wanted, route: '/x' });

    expect(access.allowed).toBe(MAY[role].includes(wanted));
    if (!access.allowed) expect(access).toMatchObject({ status: 403, reason: 'role' });
    else expect(lines).toEqual([expect.objectContaining({ who: `token ${role} (id-of-${role})`, route: '/x' })]);
  },
);

const ACTION = { takes: 'read', route: '/metrics' } as const;
const WRITE = { takes: 'review', route: '/v1/truth/{conversation}' } as const;

const BROWSER = { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' };
const REFUSED: readonly (readonly [why: string, given: Partial<RequestHead>, reason: string])[] = [
  ['another machine', { address: '10.0.0.9' }, 'not_local'],
  ['another machine over IPv6', { address: 'fe80::1' }, 'not_local'],
  ['an address that is not known', { address: undefined }, 'not_local'],
  ['a proxy that says Forwarded', { headers: { forwarded: 'for=10.0.0.9' } }, 'proxy'],
  ['a proxy that says X-Forwarded-For', { headers: { 'x-forwarded-for': '10.0.0.9' } }, 'proxy'],
  ['a proxy that says X-Forwarded-Proto', { headers: { 'x-forwarded-proto': 'https' } }, 'proxy'],
  ['a proxy that says X-Real-IP', { headers: { 'x-real-ip': '10.0.0.9' } }, 'proxy'],
  ['a proxy that says X-Cluster-Client-IP', { headers: { 'x-cluster-client-ip': '10.0.0.9' } }, 'proxy'],
  ['a proxy that says Fly-Client-IP', { headers: { 'fly-client-ip': '10.0.0.9' } }, 'proxy'],
  ['a proxy that says Fastly-Client-IP', { headers: { 'fastly-client-ip': '10.0.0.9' } }, 'proxy'],
  ['a proxy that says X-Azure-ClientIP', { headers: { 'x-azure-clientip': '10.0.0.9' } }, 'proxy'],
  ['a proxy that says X-Forwarded', { headers: { 'x-forwarded': 'for=10.0.0.9' } }, 'proxy'],
  ['a proxy that says Via', { headers: { via: '1.1 nginx' } }, 'proxy'],
  ['Cloudflare', { headers: { 'cf-connecting-ip': '10.0.0.9' } }, 'proxy'],
  ['a proxy that speaks HTTP/1.0', { httpVersion: '1.0' }, 'proxy'],
  [
    'a page whose name was pointed here',
    { headers: { host: 'evil.example:4319', origin: 'http://evil.example:4319' } },
    'host',
  ],
  ['the same without an Origin', { headers: { host: 'evil.example' } }, 'host'],
  ['a name that begins like loopback', { headers: { host: 'localhost.evil.example' } }, 'host'],
  ['a name that ends like loopback', { headers: { host: 'evil.localhost.example:80' } }, 'host'],
  ['a host with a user', { headers: { host: 'localhost@evil.example' } }, 'host'],
  ['no Host at all', { headers: { host: undefined } }, 'host'],
  ['a page of another site', { headers: { origin: 'https://evil.example' } }, 'foreign_page'],
  ['a page of another server here', { headers: { origin: 'http://localhost:1' } }, 'foreign_page'],
  ['a page that hides where it is from', { headers: { origin: 'null' } }, 'foreign_page'],
  [
    'an image of another site',
    { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' } },
    'foreign_page',
  ],
  [
    'a frame of another site',
    { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' } },
    'foreign_page',
  ],
  ['a page of another port here', { headers: { ...BROWSER, 'sec-fetch-site': 'same-site' } }, 'foreign_page'],
  [
    'a form that another site sends',
    {
      method: 'POST',
      headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    },
    'foreign_page',
  ],
];

test.for(REFUSED)('on loopback, %s may not read, write or send', ([, given, reason]) => {
  const { guard, events, lines } = guardFor({});

  for (const takes of ROLES) {
    expect(guard.decide(head(given), { takes, route: '/x' })).toMatchObject({ allowed: false, status: 403, reason });
  }
  expect(events).toEqual(ROLES.map(() => ({ type: 'access-refused', port: 'http', reason })));
  expect(lines.every(({ noted, why }) => noted === 'refusal' && why === reason)).toBe(true);
});

test.for([
  ['127.0.0.1', {}],
  ['127.1.2.3', {}],
  ['::1', { host: '[::1]:4319' }],
  ['::ffff:127.0.0.1', { host: '127.0.0.1' }],
  ['127.0.0.1', { host: 'LOCALHOST:1' }],
  // A container that asks its host, whose Docker Desktop connects from loopback.
  ['127.0.0.1', { host: 'host.docker.internal:4318' }],
  // Our own page.
  ['127.0.0.1', { host: 'localhost:4319', origin: 'http://localhost:4319', 'sec-fetch-site': 'same-origin' }],
  // Somebody typed the address, or followed a link from Grafana.
  ['127.0.0.1', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }],
  ['127.0.0.1', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }],
  // A token of another backend.
  ['127.0.0.1', { authorization: 'Bearer of-another-backend' }],
  ['127.0.0.1', { authorization: 'Basic dXNlcjpwYXNz' }],
] as const)('on loopback, a program at %s with %o needs nothing', ([address, headers]) => {
  const { guard, events } = guardFor({});

  const access = guard.decide(head({ address, headers }), ACTION);

  expect(access).toMatchObject({ allowed: true, caller: { by: 'loopback' } });
  expect(events).toEqual([{ type: 'access-allowed', port: 'http', role: 'read', by: 'loopback' }]);
});

test('names that are allowed are as good as loopback names, with a port or without', () => {
  const { guard } = guardFor({ allowedHosts: ['assay.lan', 'other.lan:4319'] });
  const isAllowed = (host: string) => guard.decide(head({ headers: { host } }), ACTION).allowed;

  expect(['assay.lan', 'ASSAY.lan:80', 'other.lan:4319'].map(isAllowed)).toEqual([true, true, true]);
  expect(['assay.lan.evil', 'other.lan', 'other.lan:1', ''].map(isAllowed)).toEqual([false, false, false, false]);
});

test.for(['loopback', 'required', 'open'] as const)('two Host headers are refused whatever is asked: %s', (mode) => {
  const { guard } = guardFor({ mode, tokens: TOKENS });

  expect(guard.decide(bearing('the-admin-token', { hosts: 2 }), ACTION)).toMatchObject({
    status: 400,
    reason: 'ambiguous',
  });
});

test('a token lets in what would be refused without one: a proxy, another machine, another name', () => {
  const { guard } = guardFor({ tokens: TOKENS });

  for (const [, given] of REFUSED) expect(guard.decide(bearing('the-read-token', given), ACTION).allowed).toBe(true);
});

test('a token of another role is not a reason to let a program of this machine do more than its token may', () => {
  const { guard } = guardFor({ tokens: TOKENS });

  expect(guard.decide(bearing('the-ingest-token'), ACTION)).toMatchObject({ status: 403, reason: 'role' });
});

test('where a token is needed, this machine needs one as well', () => {
  const { guard } = guardFor({ mode: 'required', tokens: TOKENS });

  expect(guard.decide(head(), ACTION)).toMatchObject({ status: 401, reason: 'no_token' });
  expect(guard.decide(bearing('another'), ACTION)).toMatchObject({ status: 401, reason: 'unknown_token' });
  expect(guard.decide(bearing('the-read-token'), ACTION).allowed).toBe(true);
});

test('an expired token is answered as an unknown one', () => {
  const { guard, clock } = guardFor({ mode: 'required', tokens: TOKENS, expiresAt: 2_000_000 });
  clock.now = 1_999_999;
  expect(guard.decide(bearing('the-read-token'), ACTION).allowed).toBe(true);
  clock.now = 2_000_000;

  const expired = guard.decide(bearing('the-read-token'), ACTION);
  const unknown = guard.decide(bearing('another'), ACTION);

  expect(expired).toMatchObject({ status: 401, reason: 'expired_token' });
  expect({ ...expired, reason: '' }).toEqual({ ...unknown, reason: '' });
});

test('the token of http.write_token may write and do nothing else', () => {
  const { guard } = guardFor({ mode: 'required', writeToken: 'a-token-that-nobody-guesses' });
  const with_ = (takes: Role) => guard.decide(bearing('a-token-that-nobody-guesses'), { takes, route: '/x' }).allowed;

  expect(ROLES.filter(with_)).toEqual(['review', 'admin']);
});

test('with http.write_token, writing takes a token on loopback as well, and reading does not', () => {
  const { guard } = guardFor({ writeToken: 'a-token-that-nobody-guesses', tokens: TOKENS });

  expect(guard.decide(head(), WRITE)).toMatchObject({ status: 401 });
  expect(guard.decide(bearing('wrong'), WRITE)).toMatchObject({ status: 401 });
  expect(guard.decide(bearing('the-review-token'), WRITE).allowed).toBe(true);
  expect(guard.decide(head(), ACTION).allowed).toBe(true);
});

test('where nothing is asked of anybody, who writes comes from this machine or has a token', () => {
  const { guard } = guardFor({ mode: 'open', tokens: TOKENS });
  const far = { address: '10.0.0.9', headers: { host: 'assay:4319' } };

  expect(guard.decide(head(far), ACTION)).toMatchObject({ allowed: true, caller: { by: 'insecure' } });
  expect(guard.decide(head(far), { takes: 'ingest', route: '/v1/traces' }).allowed).toBe(true);
  expect(guard.decide(head(far), WRITE)).toMatchObject({ status: 403, reason: 'not_local' });
  expect(guard.decide(head(), WRITE).allowed).toBe(true);
  expect(guard.decide(bearing('the-review-token', far), WRITE).allowed).toBe(true);
  expect(
    guard.decide(head({ ...far, headers: { ...far.headers, origin: 'http://evil.example' } }), ACTION),
  ).toMatchObject({ reason: 'foreign_page' });
});

test('with allowed names, an open service is called by no other: a page whose name was pointed here is refused', () => {
  const { guard } = guardFor({ mode: 'open', allowedHosts: ['assay'] });
  const by = (host: string) => guard.decide(head({ address: '172.17.0.1', headers: { host } }), ACTION).allowed;

  expect(['assay:4319', 'localhost:4319', 'evil.example:4319'].map(by)).toEqual([true, true, false]);
});

test('beyond a number of unknown tokens an address is told to wait, and others are not', () => {
  const { guard, clock } = guardFor({ mode: 'required', tokens: TOKENS });
  const guess = (address: string) => guard.decide(bearing('a-guess', { address }), ACTION);

  const statuses = Array.from({ length: 25 }, () => guess('10.0.0.9')).map(
    (access) => !access.allowed && access.status,
  );

  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 401), ...Array.from({ length: 5 }, () => 429)]);
  expect(guess('10.0.0.9')).toMatchObject({ retryAfterSeconds: 60 });
  expect(guess('10.0.0.8')).toMatchObject({ status: 401 });
  clock.now += 60_001;
  expect(guess('10.0.0.9')).toMatchObject({ status: 401 });
});

test('wrong tokens keep out no right one, whoever chose it', () => {
  const { token } = newToken('read', { name: 'n', now: 0, expiresAt: undefined });
  const writeToken = 'chosen-by-a-person';
  const { guard } = guardFor({ mode: 'required', tokens: { [token]: 'read' }, writeToken });
  const send = (text: string, takes: Role) => guard.decide(bearing(text), { takes, route: '/x' });
  for (let n = 0; n < 20; n++) send(`guess-${n}`, 'review');

  expect(send('guess-20', 'review')).toMatchObject({ status: 429 });
  expect(send(writeToken, 'review').allowed).toBe(true);
  expect(send(token, 'read').allowed).toBe(true);
});

test('behind a trusted proxy, clients are told to wait one by one', () => {
  const { guard, lines } = guardFor({ mode: 'required', trustedProxies: ['10.0.0.7'] });
  const guess = (client: string) =>
    guard.decide(bearing('a-guess', { address: '10.0.0.7', headers: { 'x-forwarded-for': client } }), ACTION);

  for (let n = 0; n < 20; n++) guess(`192.0.2.${n}, 198.51.100.1`);

  expect(guess('198.51.100.1')).toMatchObject({ status: 429 });
  expect(guess('198.51.100.2')).toMatchObject({ status: 401 });
  expect(lines.at(-1)).toMatchObject({ from: '198.51.100.2' });
});

test('a client that a trusted proxy names is not on this machine, whatever its address', () => {
  const { guard } = guardFor({ trustedProxies: ['127.0.0.1', '10.0.0.7'] });
  const named = { 'x-forwarded-for': '127.0.0.1' };

  expect(guard.decide(head({ headers: named }), ACTION)).toMatchObject({ reason: 'proxy' });
  expect(guard.decide(head({ address: '10.0.0.7', headers: named }), ACTION)).toMatchObject({ reason: 'proxy' });
  expect(guard.decide(head({ address: '10.0.0.7' }), ACTION)).toMatchObject({ reason: 'not_local' });
});

test('addresses of one IPv6 network are one', () => {
  const { guard } = guardFor({ mode: 'required' });
  const guess = (address: string) => guard.decide(bearing('a-guess', { address }), ACTION);

  for (let n = 0; n < 20; n++) guess(`2001:db8:1:2::${n.toString(16)}`);

  expect(guess('2001:db8:1:2:ffff:1:2:3')).toMatchObject({ status: 429 });
  expect(guess('2001:db8:1:3::1')).toMatchObject({ status: 401 });
});

test('what is noted has no token and no query, and writes have a line each', () => {
  const { guard, lines } = guardFor({ mode: 'required', tokens: TOKENS });

  guard.decide(bearing('the-review-token', { method: 'PUT', port: 'http' }), WRITE);
  guard.decide(bearing('the-read-token'), ACTION);
  guard.decide(bearing('something-else'), ACTION);

  expect(lines.map(({ noted }) => noted)).toEqual(['line', 'sum', 'refusal']);
  expect(JSON.stringify(lines)).not.toMatch(/the-review-token|the-read-token|something-else/);
  expect(lines[0]).toMatchObject({
    what: 'allowed',
    method: 'PUT',
    route: WRITE.route,
    from: '127.0.0.1',
    role: 'review',
  });
});
