import { expect, test } from 'vitest';
import { heldBy, oursOf, samplesOf, UNSEEN_WORLDS } from '../../../bench/unseen.ts';
import { randomFrom } from '../../../src/model/random.ts';
import { unseenShare } from '../../../src/statistics/discovery/unseen.ts';

const RUNS = 600;

test.each(Object.entries(UNSEEN_WORLDS))('the interval holds the unseen mass of %s', (world, chances) => {
  for (const failures of [10, 20, 50, 100]) {
    const random = randomFrom(failures + world.length);
    const { held } = heldBy(oursOf, samplesOf({ chances, failures, runs: RUNS }, random));
    expect([failures, held, held >= 0.94]).toEqual([failures, held, true]);
  }
});

test('with no kind seen once it ends where the formula says', () => {
  for (const failures of [20, 50, 200]) {
    const share = unseenShare({ failures, once: 0, twice: 0, unnamed: 0 });
    // n m − 1 = z √(n m (1 − m) + 2), solved for m.
    const z2 = 1.96 ** 2;
    const [a, b, c] = [failures ** 2 + z2 * failures, -failures * (2 + z2), 1 - 2 * z2];
    expect(share?.lower).toBe(0);
    expect(share?.value).toBe(0);
    expect(share?.upper).toBeCloseTo((-b + Math.sqrt(b * b - 4 * a * c)) / (2 * a), 9);
  }
});

test('nothing is said under five failures with a kind; those without one make it wider at both ends', () => {
  expect(unseenShare({ failures: 4, once: 1, twice: 0, unnamed: 0 })).toBeUndefined();
  expect(unseenShare({ failures: 9, once: 1, twice: 0, unnamed: 5 })).toBeUndefined();
  const known = unseenShare({ failures: 100, once: 30, twice: 10, unnamed: 0 });
  const unknown = unseenShare({ failures: 100, once: 30, twice: 10, unnamed: 10 });
  expect(unknown?.lower).toBeLessThan(known?.lower ?? 0);
  expect(unknown?.upper).toBeGreaterThan(known?.upper ?? 1);
  expect(unseenShare({ failures: 5, once: 5, twice: 0, unnamed: 0 })).toMatchObject({ value: 1, upper: 1 });
});
