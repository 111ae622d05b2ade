import { expect, test } from 'vitest';
import { rowAfter } from '../../src/page/shell/use-active-row.ts';

test.each([
  ['down, from none', undefined, 1, 3, 0],
  ['up, from none', undefined, -1, 3, 0],
  ['down', 0, 1, 3, 1],
  ['beyond the end', 2, 1, 3, 2],
  ['before the beginning', 0, -1, 3, 0],
  ['a row that a shorter list no longer has', 9, 1, 3, 2],
  ['an empty list', undefined, 1, 0, undefined],
  ['a list that has become empty', 2, -1, 0, undefined],
])('a key goes %s', (_, row, by, count, next) => {
  expect(rowAfter(row, by, count)).toBe(next);
});
