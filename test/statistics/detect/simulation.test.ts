import { expect, test } from 'vitest';
import { calmMonth, drop } from '../../../bench/detect.ts';
import { compare } from '../../../bench/detect-versions.ts';
import { rounds } from '../../rounds.ts';

const MONTHS = rounds(40, 10);

test('in calm months the naive rule cries wolf in each, and the detector in few', () => {
  const calm = calmMonth('diurnal', 20, MONTHS);

  expect(calm.naive).toBe(MONTHS);
  expect(calm.onsets / MONTHS).toBeGreaterThan(100);
  expect(calm.ours / MONTHS).toBeLessThanOrEqual(9 / 40);
});

test('a fall from 0.90 to 0.80 is found within a day or two at twenty conversations an hour', () => {
  const found = drop('diurnal', 20, 0.8, MONTHS);

  expect(found.ours.found).toBeGreaterThan(0.95);
  expect(found.ours.median).toBeLessThan(200);
  expect(found.pageHinkley.median).toBeGreaterThan(found.ours.median);
});

const RUNS = rounds(30, 10);

test('a candidate with harder traffic is not called worse, though a z-test that is peeked at calls it so', () => {
  const same = compare({ share: 0.5, candidate: 0.9, isHarder: true }, { runs: RUNS, rate: 60 });

  expect(same.worse / RUNS).toBeLessThanOrEqual(4 / 30);
  expect(same.peeked / RUNS).toBeGreaterThan(25 / 30);
});
