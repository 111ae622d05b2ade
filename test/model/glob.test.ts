import { expect, test } from 'vitest';
import { compileGlob, globCovers } from '../../src/model/glob.ts';

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

test.each([
  ['gpt-5*', 'gpt-5-mini*', true],
  ['gpt-5*', 'gpt-5', true],
  ['gpt-5-mini*', 'gpt-5*', false],
  ['*', 'a?*', true],
  ['a?', 'a*', false],
  ['a?', 'ab', true],
  ['a?', 'a?', true],
  ['ab', 'a?', false],
  ['*-mini', 'gpt-*', false],
  ['*mini*', 'gpt-*-mini-?', true],
])('the glob %s covers the glob %s: %s', (glob, other, covers) => {
  expect(globCovers(glob, other)).toBe(covers);
});

test('a glob made to go back and forth costs no more than the lengths multiplied', () => {
  const startedAt = performance.now();

  expect(compileGlob(`${'a*'.repeat(50)}b`)('a'.repeat(20_000))).toBe(false);
  expect(performance.now() - startedAt).toBeLessThan(1000);
});
