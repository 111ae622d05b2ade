import { expect, test } from 'vitest';
import { labelsWorthGiving } from '../../src/calibrate/labels-worth-giving.ts';

const counts = (passOfPass: number, failOfPass: number, passOfFail: number, failOfFail: number) => ({
  passOfPass,
  failOfPass,
  passOfFail,
  failOfFail,
});

test('labels of a kind that is missing come first', () => {
  expect(labelsWorthGiving(counts(0, 0, 0, 0))).toEqual({ is: 'first', more: 20, missing: ['pass', 'fail'] });
  expect(labelsWorthGiving(counts(40, 0, 0, 0))).toEqual({ is: 'first', more: 5, missing: ['fail'] });
  expect(labelsWorthGiving(counts(0, 0, 2, 9))).toEqual({ is: 'first', more: 9, missing: ['pass'] });
});

test('as many more as make the interval of kappa a fifth wide', () => {
  const few = labelsWorthGiving(counts(20, 5, 5, 20));
  if (few.is !== 'narrower') return expect.unreachable();
  // With that many, all in the same shares, it is enough, or nearly.
  const times = (50 + few.more) / 50;
  const then = labelsWorthGiving(counts(20 * times, 5 * times, 5 * times, 20 * times));
  expect(then.is === 'enough' || (then.is === 'narrower' && then.more < 0.1 * few.more)).toBe(true);
  expect(few.more).toBeGreaterThan(50);
});

test('a judge that is nearly always right needs few', () => {
  expect(labelsWorthGiving(counts(200, 2, 2, 200))).toEqual({ is: 'enough' });
});
