import { expect, test } from 'vitest';
import { calmMonth, drop } from '../../../bench/detect.ts';
import { compare } from '../../../bench/detect-versions.ts';

test('in forty calm months the naive rule cries wolf in each, and the detector in few', () => {
  const calm = calmMonth('diurnal', 20, 40);

  expect(calm.naive).toBe(40);
  expect(calm.onsets / 40).toBeGreaterThan(100);
  expect(calm.ours).toBeLessThanOrEqual(9);
});

test('a fall from 0.90 to 0.80 is found within a day or two at twenty conversations an hour', () => {
  const found = drop('diurnal', 20, 0.8, 40);

  expect(found.ours.found).toBeGreaterThan(0.95);
  expect(found.ours.median).toBeLessThan(200);
  expect(found.pageHinkley.median).toBeGreaterThan(found.ours.median);
});

test('a candidate with harder traffic is not called worse, though a z-test that is peeked at calls it so', () => {
  const same = compare({ share: 0.5, candidate: 0.9, isHarder: true }, { runs: 30, rate: 60 });

  expect(same.worse).toBeLessThanOrEqual(4);
  expect(same.peeked).toBeGreaterThan(25);
});
