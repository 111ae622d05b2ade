import { expect, test } from 'vitest';
import { compileGlob } from '../../src/model/glob.ts';

test.each([
  ['book_meeting', 'book_meeting', true],
  ['book_meeting', 'book_meetings', false],
  ['book_*', 'book_meeting', true],
  ['book_*', 'rebook_meeting', false],
  ['*_meeting', 'book_meeting', true],
  ['*', '', true],
  ['v?.*', 'v1.2', true],
  ['v?.*', 'v10.2', false],
  ['*a*b*c', 'xaxbxcxabc', true],
  ['*a*b*c', 'xaxbxcxab', false],
  ['a.c', 'abc', false],
])('the glob %s and the name %s: %s', (glob, name, matches) => {
  expect(compileGlob(glob)(name)).toBe(matches);
});

test('a glob made to go back and forth costs no more than the lengths multiplied', () => {
  const startedAt = performance.now();

  expect(compileGlob(`${'a*'.repeat(50)}b`)('a'.repeat(20_000))).toBe(false);
  expect(performance.now() - startedAt).toBeLessThan(1000);
});
