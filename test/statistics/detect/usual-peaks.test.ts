import { expect, test } from 'vitest';
import { ClusterSlots } from '../../../src/statistics/detect/cluster-slots.ts';
import { DAY_MS } from '../../../src/statistics/detect/settings.ts';
import { UsualPeaks } from '../../../src/statistics/detect/usual-peaks.ts';

/** Ten days of 480 conversations, with the highest evidence given. */
function peaksOf(highest: number): UsualPeaks {
  const peaks = new UsualPeaks();
  for (let day = 0; day < 10; day += 1)
    for (let one = 0; one < 480; one += 1)
      peaks.add(day * DAY_MS + one * 180_000, day === 4 && one === 7 ? highest : 20);
  return peaks;
}

test('evidence that climbs no higher than chance lets it asks for nothing more', () => {
  const peaks = peaksOf(4800);
  peaks.include(10 * DAY_MS);

  expect(peaks.inflation).toBe(1);
});

test('evidence that climbs higher makes alarms take as many times its logarithm, once the day is known to be usual', () => {
  const peaks = peaksOf(4800 ** 1.5);
  peaks.include(4 * DAY_MS);
  const before = peaks.inflation;
  peaks.include(10 * DAY_MS);

  expect(before).toBe(1);
  expect(peaks.inflation).toBeCloseTo((1.5 * Math.log(4800)) / (Math.log(4800) + 0.577), 2);
  const restored = new UsualPeaks();
  restored.restore(JSON.parse(JSON.stringify(peaks.snapshot())));
  expect(restored.snapshot()).toEqual(peaks.snapshot());
  expect(restored.inflation).toBe(peaks.inflation);
});

test('the days since the onset of a regression do not count', () => {
  const peaks = peaksOf(1e9);
  peaks.cut(4 * DAY_MS);
  peaks.include(20 * DAY_MS);

  expect(peaks.inflation).toBe(1);
});

test('an alarm that passed makes the next one take more for a month, with an end', () => {
  const peaks = peaksOf(4800);
  peaks.include(10 * DAY_MS);
  peaks.passed(10 * DAY_MS, 1e5);
  const once = peaks.inflation;
  for (let again = 0; again < 20; again += 1) peaks.passed(10 * DAY_MS, 1e5 ** peaks.inflation);

  expect(once).toBeGreaterThan(1.3);
  expect(once).toBeLessThan(1.5);
  expect(peaks.inflation).toBe(2.5);
  for (let one = 0; one < 40; one += 1) peaks.add((11 + one) * DAY_MS, 20);
  peaks.include(60 * DAY_MS);
  expect(peaks.inflation).toBe(1);
});

test('the share of conversations whose user nobody names is known, and survives a restart', () => {
  const slots = new ClusterSlots();
  for (let one = 0; one < 100; one += 1) slots.slotOf(one % 4 === 0 ? `user ${one}` : '', one);
  const restored = new ClusterSlots();
  restored.restore(JSON.parse(JSON.stringify(slots.snapshot())));

  expect(slots.unnamedShare).toBeCloseTo(0.75, 6);
  expect(restored.unnamedShare).toBe(slots.unnamedShare);
});
