import fc from 'fast-check';
import { expect, test } from 'vitest';
import { phiOf, reviewCriterion, VerdictPairs } from '../../../src/statistics/calibrate/criterion-review.ts';
import type { VerdictKind } from '../../../src/model/evaluation.ts';
import { rounds } from '../../rounds.ts';

const counts = (pass: number, fail: number, undecided = 0) => ({ pass, fail, undecided });

test.each([
  ['99 of 99 are too few to say', counts(99, 0), undefined],
  ['always a pass', counts(100, 0), { is: 'always', verdict: 'pass', decided: 100, rarer: 0 }],
  ['always a fail', counts(0, 500, 9), { is: 'always', verdict: 'fail', decided: 500, rarer: 0 }],
  ['one of a hundred is rare, but may be three', counts(99, 1), undefined],
  ['1 of 1,000 is surely below 1 %', counts(999, 1), { is: 'always', verdict: 'pass', decided: 1000, rarer: 1 }],
  ['5 of 1,000 may be more than 1 %', counts(995, 5), undefined],
  ['never decided', counts(0, 0, 100), { is: 'never-decided', asked: 100 }],
  ['not often enough asked to say', counts(0, 0, 99), undefined],
] as const)('%s', (_claim, given, remark) => {
  if (remark === undefined) expect(reviewCriterion(given)).toBeUndefined();
  else expect(reviewCriterion(given)).toMatchObject(remark);
});

test('what the rarer one comes to at the most is where Wilson ends: z² / (n + z²) of none', () => {
  const z2 = 1.959963984540054 ** 2;

  const remark = reviewCriterion(counts(400, 0));

  expect(remark?.is === 'always' ? remark.rarerAtMost : undefined).toBeCloseTo(z2 / (400 + z2), 12);
});

test('phi is the correlation of both as numbers', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.boolean()), { minLength: 2, maxLength: 60 }), (pairs) => {
      const cell = (x: boolean, y: boolean) => pairs.filter(([a, b]) => a === x && b === y).length;
      const phi = phiOf(cell(true, true), cell(true, false), cell(false, true), cell(false, false));

      const [xs, ys] = [pairs.map(([x]) => Number(x)), pairs.map(([, y]) => Number(y))];
      const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
      const [mx, my] = [mean(xs), mean(ys)];
      const covariance = mean(xs.map((x, at) => (x - mx) * ((ys[at] ?? 0) - my)));
      const spread = Math.sqrt(mean(xs.map((x) => (x - mx) ** 2)) * mean(ys.map((y) => (y - my) ** 2)));
      if (phi === undefined) expect(spread).toBeCloseTo(0, 12);
      else expect(phi).toBeCloseTo(covariance / spread, 9);
    }),
    { numRuns: rounds(500), seed: 20_261_121 },
  );
});

/** Verdicts of a, b and c, `p`, `f` or `-` for each, repeated this often. */
function pairsOf(...rows: readonly (readonly [verdicts: string, times: number])[]): VerdictPairs {
  const kinds: Readonly<Record<string, VerdictKind>> = { p: 'pass', f: 'fail', '-': 'not_applicable' };
  const pairs = new VerdictPairs(['a', 'b', 'c']);
  for (const [verdicts, times] of rows) {
    for (let time = 0; time < times; time += 1) pairs.add((name) => kinds[verdicts['abc'.indexOf(name)] ?? '']);
  }
  return pairs;
}

test('two that say the same are alike, and two that say the opposite; those that do not are not', () => {
  const pairs = pairsOf(['ppf', 80], ['ffp', 40], ['-pp', 900]);

  expect(pairs.alike()).toEqual([
    { criterion: 'a', other: 'b', phi: 1, agreed: 120, decided: 120 },
    { criterion: 'a', other: 'c', phi: -1, agreed: 0, decided: 120 },
  ]);
});

test.each([
  ['too few were decided by both', [['ppp', 80] as const, ['ffp', 19] as const]],
  ['the one answer was given too rarely', [['ppp', 500] as const, ['ffp', 9] as const]],
  ['they differ too often', [['ppp', 80] as const, ['ffp', 40] as const, ['pfp', 6] as const]],
  ['one never varies', [['ppp', 500] as const]],
])('nothing is said where %s', (_claim, rows) => {
  expect(pairsOf(...rows).alike()).toEqual([]);
});
