import { expect, test } from 'vitest';
import { randomFrom } from '../../../src/model/random.ts';
import { withOtherUsers } from '../../../src/statistics/estimate/other-users.ts';

test('a hundred users with one conversation each say more than two with fifty, and nobody says nothing', () => {
  const estimate = { value: 0.7, lower: 0.6, upper: 0.8 };
  const many = withOtherUsers(
    estimate,
    Array.from({ length: 100 }, () => 1),
  );
  const few = withOtherUsers(estimate, [50, 50]);

  expect(many.lower).toBeCloseTo(0.6 - Math.sqrt(Math.log(160) / 200), 10);
  expect(many.upper).toBeCloseTo(0.8 + Math.sqrt(Math.log(160) / 200), 10);
  expect(few).toEqual({ value: 0.7, lower: 0, upper: 1 });
  expect(withOtherUsers(estimate, [])).toEqual({ value: 0.7, lower: 0, upper: 1 });
});

test('the rate of all users is within, where the conversations of one are alike and some have many', () => {
  const random = randomFrom(11);
  let missed = 0;
  for (let world = 0; world < 2000; world += 1) {
    // Users for whom it never or always works, two of three: the hardest case of a mean.
    const users = Array.from({ length: 60 }, (_, at) => ({ count: at < 5 ? 20 : 1, rate: random() < 2 / 3 ? 1 : 0 }));
    const all = users.reduce((sum, { count }) => sum + count, 0);
    const rate = users.reduce((sum, { count, rate: own }) => sum + own * count, 0) / all;
    const { lower, upper } = withOtherUsers(
      { value: rate, lower: rate, upper: rate },
      users.map(({ count }) => count),
    );
    if (lower > 2 / 3 || upper < 2 / 3) missed += 1;
  }
  expect(missed / 2000).toBeLessThan(0.0125);
});
