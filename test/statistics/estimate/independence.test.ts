import { expect, test } from 'vitest';
import { areTooMany, areTooManyOrFew } from '../../../src/statistics/estimate/independence.ts';

test('as many as lots give are not too many, and all of the failures that were read are', () => {
  expect(areTooMany({ all: 100, known: 37, drawn: 25, hits: 9 })).toBe(false);
  expect(areTooMany({ all: 100, known: 9, drawn: 25, hits: 9 })).toBe(true);
  expect(areTooMany({ all: 100, known: 0, drawn: 25, hits: 0 })).toBe(false);
  expect(areTooMany({ all: 25, known: 9, drawn: 25, hits: 9 })).toBe(false);
  expect(areTooMany({ all: 1_000_000, known: 400_000, drawn: 2000, hits: 800 })).toBe(false);
  expect(areTooMany({ all: 1_000_000, known: 400_000, drawn: 2000, hits: 900 })).toBe(true);
});

test('the tails are those of the hypergeometric law', () => {
  // Five of 10 are known and five drawn: all five with a chance of 1 in 252, four or more with 26 in 252.
  expect(areTooMany({ all: 10, known: 5, drawn: 5, hits: 5 })).toBe(true);
  expect(areTooMany({ all: 10, known: 5, drawn: 5, hits: 4 })).toBe(false);
  expect(areTooManyOrFew({ all: 10, known: 5, drawn: 5, hits: 0 })).toBe(true);
  expect(areTooManyOrFew({ all: 10, known: 5, drawn: 5, hits: 1 })).toBe(false);
});
