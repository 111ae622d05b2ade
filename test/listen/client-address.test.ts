import { expect, test } from 'vitest';
import { Clients, isAddressOrNetwork } from '../../src/listen/client-address.ts';

const PROXIES = ['10.0.0.0/8', '192.168.1.1', '2001:db8:ff::/48'];
const clients = new Clients(() => PROXIES);

interface Row {
  readonly is: string;
  readonly from?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly client: string;
  readonly isNamed?: boolean;
}

const ROWS: readonly Row[] = [
  { is: 'no proxy', from: '198.51.100.9', client: '198.51.100.9' },
  {
    is: 'not a trusted proxy',
    from: '198.51.100.9',
    headers: { 'x-forwarded-for': '1.1.1.1' },
    client: '198.51.100.9',
  },
  { is: 'a trusted proxy that names nobody', client: '10.0.0.1' },
  { is: 'one client', headers: { 'x-forwarded-for': '1.1.1.1' }, client: '1.1.1.1', isNamed: true },
  {
    is: 'what the client invented',
    headers: { 'x-forwarded-for': '6.6.6.6, 1.1.1.1' },
    client: '1.1.1.1',
    isNamed: true,
  },
  {
    is: 'past trusted hops',
    headers: { 'x-forwarded-for': '1.1.1.1, 10.9.9.9,192.168.1.1' },
    client: '1.1.1.1',
    isNamed: true,
  },
  { is: 'trusted hops alone', headers: { 'x-forwarded-for': '10.2.2.2, 10.9.9.9' }, client: '10.2.2.2', isNamed: true },
  { is: 'with a port', headers: { 'x-forwarded-for': '1.1.1.1:4711' }, client: '1.1.1.1', isNamed: true },
  {
    is: 'IPv6 with a port',
    headers: { 'x-forwarded-for': '[2001:db8::1]:4711' },
    client: '2001:db8::1',
    isNamed: true,
  },
  { is: 'IPv6', headers: { 'x-forwarded-for': '2001:db8::1' }, client: '2001:db8::1', isNamed: true },
  {
    is: 'a mapped proxy',
    from: '::ffff:10.0.0.1',
    headers: { 'x-forwarded-for': '::ffff:1.1.1.1' },
    client: '1.1.1.1',
    isNamed: true,
  },
  {
    is: 'a proxy of IPv6',
    from: '2001:db8:ff::7',
    headers: { 'x-forwarded-for': '1.1.1.1' },
    client: '1.1.1.1',
    isNamed: true,
  },
  { is: 'no address', headers: { 'x-forwarded-for': 'unknown' }, client: '10.0.0.1' },
  { is: 'no address before a proxy', headers: { 'x-forwarded-for': '1.1.1.1, unknown, 10.9.9.9' }, client: '10.0.0.1' },
  { is: 'an empty header', headers: { 'x-forwarded-for': '' }, client: '10.0.0.1' },
  {
    is: 'Forwarded',
    headers: { forwarded: 'for=6.6.6.6, for="1.1.1.1:99";proto=https' },
    client: '1.1.1.1',
    isNamed: true,
  },
  {
    is: 'Forwarded with IPv6',
    headers: { forwarded: 'By=x;For="[2001:db8::1]:4711"' },
    client: '2001:db8::1',
    isNamed: true,
  },
  { is: 'Forwarded without for', headers: { forwarded: 'for=1.1.1.1, proto=https' }, client: '10.0.0.1' },
  { is: 'a hidden name', headers: { forwarded: 'for=_hidden' }, client: '10.0.0.1' },
  {
    is: 'both, alike',
    headers: { forwarded: 'for=1.1.1.1', 'x-forwarded-for': '1.1.1.1' },
    client: '1.1.1.1',
    isNamed: true,
  },
  {
    is: 'both, of which the client wrote one',
    headers: { forwarded: 'for=6.6.6.6', 'x-forwarded-for': '1.1.1.1' },
    client: '10.0.0.1',
  },
  {
    is: 'a very long list',
    headers: { 'x-forwarded-for': `${'6.6.6.6,'.repeat(100_000)}1.1.1.1` },
    client: '1.1.1.1',
    isNamed: true,
  },
];

test.each(ROWS)('$is', ({ from = '10.0.0.1', headers = {}, client, isNamed = false }) => {
  const { address, isNamed: named } = clients.of({ address: from, headers });

  expect([address, named]).toEqual([client, isNamed]);
});

test('without trusted proxies nobody names a client', () => {
  const nobody = new Clients(() => []);

  expect(nobody.of({ address: '10.0.0.1', headers: { 'x-forwarded-for': '1.1.1.1' } })).toEqual({
    address: '10.0.0.1',
    group: '10.0.0.1',
    isNamed: false,
  });
});

test('proxies that are reloaded hold for the next request', () => {
  let list: readonly string[] = [];
  const reloaded = new Clients(() => list);
  const sent = { address: '10.0.0.1', headers: { 'x-forwarded-for': '1.1.1.1' } };
  const before = reloaded.of(sent).address;

  list = ['10.0.0.1'];

  expect([before, reloaded.of(sent).address]).toEqual(['10.0.0.1', '1.1.1.1']);
});

test.each([
  ['10.0.0.1', true],
  ['10.0.0.0/8', true],
  ['2001:db8::/32', true],
  ['10.0.0.0/33', false],
  ['10.0.0', false],
  ['proxy.example.com', false],
  ['10.0.0.0/', false],
  ['', false],
])('%j is an address or a network: %s', (text, expected) => {
  expect(isAddressOrNetwork(text)).toBe(expected);
});
