import { expect, test } from 'vitest';
import { type Fired, precisionOf } from '../../../src/statistics/certify/precision.ts';

const fired = (bad: number, good: number, of: (at: number) => Partial<Fired> = () => ({})): readonly Fired[] =>
  Array.from({ length: bad + good }, (_, at) => ({ isBad: at < bad, weight: 1, cluster: `${at}`, ...of(at) }));

// By scipy.stats.binomtest(k, n).proportion_ci(0.95, 'exact').
test.each([
  [10, 0, 0.6915, 1],
  [8, 2, 0.4439, 0.9748],
  [1, 4, 0.0051, 0.7164],
  [0, 7, 0, 0.4096],
])('of %d bad and %d good conversations it is the exact interval', (bad, good, lower, upper) => {
  const found = precisionOf(fired(bad, good), 0.05);

  expect(found?.value).toBeCloseTo(bad / (bad + good), 4);
  expect(found?.lower).toBeCloseTo(lower, 3);
  expect(found?.upper).toBeCloseTo(upper, 3);
});

test('conversations of one user count as one', () => {
  const alone = precisionOf(fired(3, 0), 0.05);
  const ofThree = precisionOf(
    fired(30, 0, (at) => ({ cluster: `user ${at % 3}` })),
    0.05,
  );

  expect(ofThree?.lower).toBe(alone?.lower);
});

test('weights change the value, and widen the interval', () => {
  const plain = precisionOf(fired(5, 5), 0.05);
  const weighted = precisionOf(
    fired(5, 5, (at) => ({ weight: at < 5 ? 1.5 : 1 })),
    0.05,
  );

  expect(weighted?.value).toBeCloseTo(0.6, 9);
  expect((weighted?.upper ?? 0) - (weighted?.lower ?? 0)).toBeGreaterThan(
    ((plain?.upper ?? 0) - (plain?.lower ?? 0)) * 0.95,
  );
  expect(precisionOf([], 0.05)).toBeUndefined();
});

test('the interval holds the precision of 200 weighted and clustered draws as often as it says', () => {
  let seed = 4;
  const random = () => {
    seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return seed / 2 ** 32;
  };
  let missed = 0;
  for (let run = 0; run < 200; run += 1) {
    // Users of one to three conversations, of which the faulty ones are drawn half again as often.
    const all = Array.from({ length: 12 }, (_, user) => {
      const rate = random() < 0.5 ? 0.9 : 0.3;
      return Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({
        isBad: random() < rate,
        weight: random() < 0.5 ? 1 : 1 / 1.5,
        cluster: `${user}`,
      }));
    }).flat();
    const found = precisionOf(all, 0.05);
    if (found === undefined || found.lower > 0.6 || found.upper < 0.6) missed += 1;
  }
  expect(missed / 200).toBeLessThanOrEqual(0.05);
});
