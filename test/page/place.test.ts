import { expect, test } from 'vitest';
import { addressOf, placeOf, sharedFilters, withChanges, withFixedTime } from '../../src/page/shell/place.ts';

test.each(['conv-1', 'a/b', 'ü ?#%', '..x', '<script>', '100%'])(
  'a conversation has an address, and back: %s',
  (id) => {
    const address = new URL(addressOf('conversations', new URLSearchParams('order=worst'), id), 'http://assay');

    expect(placeOf(address)).toMatchObject({ view: 'conversations', conversation: id });
    expect(placeOf(address)?.query.get('order')).toBe('worst');
  },
);

test.each([
  ['/', 'overview'],
  ['/conversations', 'conversations'],
  ['/suites', 'suites'],
])('%s is the view %s', (pathname, view) => {
  expect(placeOf({ pathname, search: '' })).toMatchObject({ view, conversation: undefined });
});

test.each(['/conversations/', '/suites/x', '/nothing', '/conversations/%ff'])('%s is no view', (pathname) => {
  expect(placeOf({ pathname, search: '' })).toBeUndefined();
});

test('a dashboard that shows all agents leads to a view of all', () => {
  expect(placeOf({ pathname: '/', search: '?agent=.*&suite=s' })?.query.toString()).toBe('suite=s');
  expect(placeOf({ pathname: '/', search: '?agent=.%2A' })?.query.toString()).toBe('');
  expect(placeOf({ pathname: '/', search: '?agent=a.*' })?.query.get('agent')).toBe('a.*');
});

test('a change replaces all values of a parameter, and nothing takes it away', () => {
  const query = new URLSearchParams('outcome=a&outcome=b&words=x');

  expect(withChanges(query, { outcome: ['c', 'd'], words: undefined, agent: '' }).toString()).toBe(
    'outcome=c&outcome=d',
  );
  expect(query.toString()).toBe('outcome=a&outcome=b&words=x');
});

test('the filters that all views have are kept from one to the next, and no other', () => {
  expect(sharedFilters(new URLSearchParams('agent=a&words=x&since=7d&verdict=v&cursor=9')).toString()).toBe(
    'agent=a&since=7d',
  );
});

test.each([
  [
    'a stretch back from now',
    'agent=a&since=24h',
    'agent=a&since=2026-11-26T12:00:00.000Z&until=2026-11-27T12:00:00.000Z',
  ],
  ['the usual one', 'agent=a', 'agent=a&since=2026-11-20T12:00:00.000Z&until=2026-11-27T12:00:00.000Z'],
  ['times', 'since=2026-11-01T00:00:00.000Z&until=2026-11-02T00:00:00.000Z', undefined],
  ['no time', 'since=', 'since='],
])('a shared address means the same tomorrow: %s', (_what, search, shared) => {
  const query = new URLSearchParams(search);
  const now = Date.parse('2026-11-27T12:00:00Z');

  expect(decodeURIComponent(withFixedTime(query, { usual: '7d', now }).toString())).toBe(shared ?? search);
});
