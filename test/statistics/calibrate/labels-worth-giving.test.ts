import { expect, test } from 'vitest';
import { labelsWorthGiving } from '../../../src/statistics/calibrate/labels-worth-giving.ts';
import { type Judgings, weighedByVerdict } from '../../../src/statistics/calibrate/weighed-by-verdict.ts';

const worth = (
  [passOfPass, failOfPass, passOfFail, failOfFail]: readonly [number, number, number, number],
  judgings: Judgings = { passed: 0, of: 0 },
) => {
  const confusion = { passOfPass, failOfPass, passOfFail, failOfFail };
  return labelsWorthGiving({ confusion, judgings, kappa: weighedByVerdict(confusion, judgings).kappa });
};

test('labels of a verdict that is missing come first', () => {
  expect(worth([0, 0, 0, 0])).toEqual({ is: 'first', more: 20, missing: ['passed', 'failed'] });
  expect(worth([40, 0, 0, 0])).toEqual({ is: 'first', more: 5, missing: ['failed'] });
  expect(worth([0, 2, 0, 9])).toEqual({ is: 'first', more: 9, missing: ['passed'] });
});

test('none are asked for of a verdict that is never given', () => {
  expect(worth([30, 0, 10, 0], { passed: 80, of: 80 })).toMatchObject({ is: 'narrower', next: 'passed' });
});

test('as many more as make the interval of kappa a fifth wide, of what says least', () => {
  const few = worth([20, 5, 5, 20]);
  if (few.is !== 'narrower') return expect.unreachable();
  // With that many, all in the same shares, it is enough, or nearly.
  const times = (50 + few.more) / 50;
  const then = worth([20 * times, 5 * times, 5 * times, 20 * times]);
  expect(then.is === 'enough' || (then.is === 'narrower' && then.more < 0.1 * few.more)).toBe(true);
  expect(few.more).toBeGreaterThan(50);
  expect(worth([40, 5, 10, 5], { passed: 600, of: 1000 })).toMatchObject({ is: 'narrower', next: 'failed' });
});

test('a judge that is nearly always right needs few', () => {
  expect(worth([200, 2, 2, 200])).toEqual({ is: 'enough' });
});
