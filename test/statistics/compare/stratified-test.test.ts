/** Held to the definition: all orders of the runs of each case are counted out. */
import { expect, test } from 'vitest';
import { mcnemar } from '../../../src/statistics/compare/exact-tests.ts';
import { chanceOfFewer, chanceOfNone, type Stratum } from '../../../src/statistics/compare/stratified-test.ts';
import { randomFrom } from '../../random.ts';

function stratum(a: string, b: string): Stratum {
  const passes = (runs: string) => ({ passes: [...runs].filter((run) => run === '1').length, of: runs.length });
  return { a: passes(a), b: passes(b) };
}

/** Passes of b in each order of the runs. */
function ordersOf({ a, b }: Stratum): readonly number[] {
  const of = a.of + b.of;
  const passes = a.passes + b.passes;
  const orders: number[] = [];
  for (let chosen = 0; chosen < 2 ** of; chosen += 1) {
    const places = Array.from({ length: of }, (_, place) => (chosen >> place) & 1);
    if (places.filter((one) => one === 1).length === b.of)
      orders.push(places.slice(0, passes).filter((one) => one === 1).length);
  }
  return orders;
}

function counted(strata: readonly Stratum[]): number {
  const seen = strata.reduce((sum, { b }) => sum + b.passes, 0);
  let sums = [0];
  for (const orders of strata.map(ordersOf)) sums = sums.flatMap((sum) => orders.map((passes) => sum + passes));
  return sums.filter((sum) => sum <= seen).length / sums.length;
}

test.each([
  ['no case', [], 1],
  ['a case that always passes', [stratum('111', '111')], 1],
  ['a case that never passes', [stratum('000', '000')], 1],
  ['one run, lost', [stratum('1', '0')], 1 / 2],
  ['one run, won', [stratum('0', '1')], 1],
  ['four lost of six', [...Array(4).fill(stratum('1', '0')), ...Array(2).fill(stratum('1', '1'))], 1 / 16],
  ['six lost', Array(6).fill(stratum('1', '0')), 1 / 64],
  ['three lost, one won', [...Array(3).fill(stratum('1', '0')), stratum('0', '1')], 5 / 16],
  ['three runs, all lost', [stratum('111', '000')], 1 / 20],
  ['three runs of two cases, all lost', [stratum('111', '000'), stratum('111', '000')], 1 / 400],
  ['three runs, one lost', [stratum('111', '110')], 1 / 2],
  ['three runs, two lost', [stratum('111', '100')], 1 / 5],
  ['two of three runs before, none of two now', [stratum('110', '00')], 3 / 10],
  ['no run of it in one', [stratum('111', '')], 1],
] as const)('%s has the chance that its orders have', (_, strata, expected) => {
  expect(chanceOfFewer(strata)).toBeCloseTo(expected, 12);
  expect(counted(strata)).toBeCloseTo(expected, 12);
});

test('small tables have the chance that all orders have, counted out', () => {
  const random = randomFrom(7);
  const runs = (most: number) =>
    Array.from({ length: 1 + Math.floor(most * random()) }, () => (random() < 0.7 ? '1' : '0')).join('');
  for (let table = 0; table < 60; table += 1) {
    const strata = Array.from({ length: 1 + Math.floor(3 * random()) }, () => stratum(runs(4), runs(4)));
    expect(chanceOfFewer(strata), JSON.stringify(strata)).toBeCloseTo(counted(strata), 10);
    const none = strata.map(({ a, b }) => ({ a, b: { ...b, passes: 0 } }));
    expect(chanceOfNone(strata)).toBeCloseTo(counted(none), 10);
  }
});

test('with one run a side it is the sign test over cases that differ', () => {
  const strata = [
    ...Array(9).fill(stratum('1', '0')),
    ...Array(2).fill(stratum('0', '1')),
    ...Array(30).fill(stratum('1', '1')),
  ];

  expect(chanceOfFewer(strata)).toBeCloseTo(mcnemar({ lost: 9, won: 2 }).below, 12);
});

test('an unchanged agent has p up to 5 % in no more than 5 % of samples, whatever its cases are like', () => {
  const random = randomFrom(3);
  for (const repeats of [1, 3, 5]) {
    let small = 0;
    for (let sample = 0; sample < 1000; sample += 1) {
      const strata = Array.from({ length: 20 }, () => {
        const ability = random() ** 0.3;
        const passes = () => Array.from({ length: repeats }, () => random() < ability).filter(Boolean).length;
        return { a: { passes: passes(), of: repeats }, b: { passes: passes(), of: repeats } };
      });
      if (chanceOfFewer(strata) <= 0.05) small += 1;
    }
    // At 5 %, 68 or more of 1,000 occur in one of 160 samples.
    expect(small).toBeLessThan(68);
  }
});

test('thousands of runs are no trouble', () => {
  const strata = Array.from({ length: 2000 }, (_, index) =>
    stratum(index % 4 === 0 ? '110' : '111', index % 3 === 0 ? '100' : '111'),
  );

  expect(chanceOfFewer(strata)).toBeLessThan(1e-9);
});
