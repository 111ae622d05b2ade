/** Held to the definition: all orders of the runs of each case are counted out, with the evidence of each. */
import { expect, test } from 'vitest';
import { mcnemar } from '../../../src/statistics/compare/exact-tests.ts';
import { chanceOfNone, evidenceOfWorse, type Stratum } from '../../../src/statistics/compare/stratified-test.ts';
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

/** Evidence of each order, by the formula in the head of the file; with its factorials as they are. */
function evidenceOfOrders(one: Stratum): readonly number[] {
  const { a, b, earlier = { passes: 0, of: 0 } } = one;
  const orders = ordersOf(one);
  const passes = a.passes + b.passes;
  const mean = orders.reduce((sum, k) => sum + 0.5 ** k, 0) / orders.length;
  const none = orders.filter((k) => k === 0).length / orders.length;
  const [good, bad] = [0.5 + earlier.passes, 0.5 + earlier.of - earlier.passes];
  const from = (start: number, count: number) =>
    Array.from({ length: count }, (_, add) => start + add).reduce((all, factor) => all * factor, 1);
  const choose = (of: number, k: number) => (k > of ? 0 : from(of - k + 1, k) / from(1, k));
  const mixed = (of: number) =>
    passes > of ? 0 : (choose(of, passes) * from(good, passes) * from(bad, of - passes)) / from(good + bad, of);
  const broke = 0.05 * mixed(a.of);
  const share = broke / (broke + 0.95 * mixed(a.of + b.of));
  return orders.map((k) => ((1 - share) * 0.5 ** k) / mean + (k === 0 && none > 0 ? share / none : 0));
}

/** Logarithms of evidence in steps of 1/64, as the test adds them up. */
function counted(strata: readonly Stratum[]): number {
  const told = strata.filter(({ a, b }) => new Set(ordersOf({ a, b })).size > 1);
  const steps = (one: Stratum) => evidenceOfOrders(one).map((e) => Math.round(64 * Math.log(e)));
  const seen = told.reduce((sum, one) => sum + (steps(one)[ordersOf(one).indexOf(one.b.passes)] ?? 0), 0);
  let sums = [0];
  for (const one of told) sums = sums.flatMap((sum) => steps(one).map((step) => sum + step));
  return sums.filter((sum) => sum >= seen).length / sums.length;
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
  expect(evidenceOfWorse(strata).p).toBeCloseTo(expected, 12);
  expect(counted(strata)).toBeCloseTo(expected, 12);
});

test('small tables have the chance that all orders have, counted out', () => {
  const random = randomFrom(7);
  const runs = (least: number, most: number) =>
    Array.from({ length: least + Math.floor((most + 1 - least) * random()) }, () => (random() < 0.7 ? '1' : '0')).join(
      '',
    );
  for (let table = 0; table < 60; table += 1) {
    const strata = Array.from({ length: 1 + Math.floor(3 * random()) }, () => ({
      ...stratum(runs(1, 4), runs(1, 4)),
      earlier: random() < 0.5 ? undefined : stratum(runs(0, 9), '').a,
    }));
    expect(evidenceOfWorse(strata).p, JSON.stringify(strata)).toBeCloseTo(counted(strata), 10);
    const none = strata.map(({ a, b, earlier }) => ({ a, b: { ...b, passes: 0 }, earlier }));
    expect(chanceOfNone(strata)).toBeCloseTo(counted(none), 10);
  }
});

test('the evidence of all orders has the mean 1, with any correlation', () => {
  for (const correlation of [0, 0.1, 0.4]) {
    const passes = [1, 2, 3];
    const of = (k: number) => ({ a: { passes: 5 - k, of: 4 }, b: { passes: k, of: 3 }, earlier: { passes: 7, of: 9 } });
    const alike = correlation === 0 ? undefined : 1 / correlation - 1;
    const rate = (7.5 + 5) / (10 + 7);
    const from = (start: number, count: number) =>
      Array.from({ length: count }, (_, add) => start + add).reduce((all, factor) => all * factor, 1);
    const chance = ({ passes: k, of: n }: { passes: number; of: number }) =>
      (from(n - k + 1, k) / from(1, k)) *
      (alike === undefined
        ? rate ** k * (1 - rate) ** (n - k)
        : (from(rate * alike, k) * from((1 - rate) * alike, n - k)) / from(alike, n));
    const weights = passes.map((k) => chance(of(k).a) * chance(of(k).b));
    const whole = weights.reduce((sum, weight) => sum + weight, 0);
    const mean = passes.reduce(
      (sum, k, index) => sum + ((weights[index] ?? 0) / whole) * Math.exp(evidenceOfWorse([of(k)], correlation).log),
      0,
    );
    expect(mean).toBeCloseTo(1, 10);
  }
});

test('two cases that break are found beside flaky ones, sooner where earlier runs say which are flaky', () => {
  const flaky = [stratum('110', '101'), stratum('011', '100'), stratum('100', '110'), stratum('001', '010')];
  const broken = [stratum('111', '000'), stratum('111', '000')];
  const all = [...broken, ...flaky, ...Array.from({ length: 14 }, () => stratum('111', '111'))];

  const { p } = evidenceOfWorse(all);
  const known = evidenceOfWorse(
    all.map((one) => ({ ...one, earlier: { passes: flaky.includes(one) ? 10 : 20, of: 20 } })),
  );

  expect(p).toBeLessThan(0.02);
  expect(known.p).toBeLessThan(p);
});

test('with one run a side it is the sign test over cases that differ', () => {
  const strata = [
    ...Array(9).fill(stratum('1', '0')),
    ...Array(2).fill(stratum('0', '1')),
    ...Array(30).fill(stratum('1', '1')),
  ];

  expect(evidenceOfWorse(strata).p).toBeCloseTo(mcnemar({ lost: 9, won: 2 }).below, 12);
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
      if (evidenceOfWorse(strata).p <= 0.05) small += 1;
    }
    // At 5 %, 68 or more of 1,000 occur in one of 160 samples.
    expect(small).toBeLessThan(68);
  }
});

test('thousands of runs are no trouble', () => {
  const strata = Array.from({ length: 2000 }, (_, index) =>
    stratum(index % 4 === 0 ? '110' : '111', index % 3 === 0 ? '100' : '111'),
  );

  expect(evidenceOfWorse(strata).p).toBeLessThan(1e-9);
});
