/** Totals that an agent may tell although no result has them. */
import { expect, test } from 'vitest';
import { columnTotals } from '../../../src/score/checks/column-totals.ts';

test('the sum and the mean of a column over several results, and how many rows there are', () => {
  const totals = columnTotals([
    '{"price": 130}',
    '{"price": "215", "id": 7}',
    '{"orders": [{"n": 1}, {"n": 2}, {"n": 6}]}',
  ]);

  expect([...totals].toSorted((a, b) => a - b)).toEqual(
    [3, 3, 9, 172.5, 345].filter((one, at, all) => all.indexOf(one) === at),
  );
});

test('an object of three numbers and more is a column', () => {
  expect([...columnTotals(['{"north": 3, "west": 5, "east": 1}'])]).toEqual([9, 3]);
  expect([...columnTotals(['{"north": 3, "west": 5, "name": "east"}'])]).toEqual([]);
});

test.each(['plain text', '{"price": 130', '[]', '{"price": 130}', 'null', ''])('none in %s', (result) => {
  expect([...columnTotals([result])]).toEqual([]);
});
