import { expect, test } from 'vitest';
import { ownPath } from '../../src/access/own-path.ts';

const ORIGIN = 'https://assay.example.com';

test.each([
  ['/', '/'],
  ['/api/me', '/api/me'],
  ['/page?tab=a&b=%2F%2Fevil.com', '/page?tab=a&b=%2F%2Fevil.com'],
  ['/a/../b#part', '/b'],
  ['/a//b', '/a//b'],
])('%s stays', (given, expected) => {
  expect(ownPath(given)).toBe(expected);
});

const ELSEWHERE = [
  '//evil.com',
  '/..//evil.com',
  '/.//evil.com',
  '/a/..//evil.com',
  '/./..//evil.com',
  '/%2e%2e//evil.com',
  '/%2E//evil.com',
  '/a/%2e%2e//evil.com',
  '/a/.%2e/%2e//evil.com',
  '/..///evil.com',
  '/..//evil.com/..//evil.com',
  '/\\evil.com',
  '/..\\evil.com',
  '/..\\/evil.com',
  '\\\\evil.com',
  '/\t/evil.com',
  '/..\n//evil.com',
  'https://evil.com',
  'evil.com',
  'javascript:alert(1)',
  '',
];

test.each([
  ...ELSEWHERE,
  ...ELSEWHERE.map(encodeURI),
  ...ELSEWHERE.map(encodeURIComponent),
  '/%2F%2Fevil.com',
  '/%5Cevil.com',
])('%j leads nowhere else', (given) => {
  const location = ownPath(given);

  expect(location).toMatch(/^\/(?!\/)/);
  expect(new URL(location, ORIGIN).origin).toBe(ORIGIN);
});
