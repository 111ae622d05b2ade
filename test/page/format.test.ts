import { expect, test } from 'vitest';
import { dollars, durationText, percent, points, timeText, utcText } from '../../src/page/text/format.ts';

test.each([
  [0.814, '81.4 %'],
  [0, '0.0 %'],
  [1, '100.0 %'],
  // Never better than it is.
  [0.0004, '< 0.1 %'],
  [0.9999, '> 99.9 %'],
])('a share of %f is written %s', (share, text) => {
  expect(percent(share)).toBe(text);
});

test.each([
  [-0.042, '−4.2'],
  [0.004, '+0.4'],
  [-0.0001, '0.0'],
])('a difference of %f is written %s', (difference, text) => {
  expect(points(difference)).toBe(text);
});

test.each([
  [0, '< 1 ms'],
  [358, '358 ms'],
  [1_240, '1.2 s'],
  [59_999, '60.0 s'],
  [125_000, '2 min 5 s'],
  [3_599_700, '1 h 0 min'],
  [3_600_000, '1 h 0 min'],
  [7_199_800, '2 h 0 min'],
  [86_400_000, '1 day'],
])('%i ms are written %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

test('small costs keep a digit', () => {
  expect([dollars(0), dollars(0.0023), dollars(0.01), dollars(12.345)]).toEqual(['$0.00', '$0.002', '$0.01', '$12.35']);
});

test('a time of today is a clock, an earlier one has its day, and a title has UTC', () => {
  const now = new Date(2026, 10, 25, 12, 0);
  const at = (date: Date) => timeText(date.toISOString(), now);

  expect(at(new Date(2026, 10, 25, 9, 5))).toBe('09:05');
  expect(at(new Date(2026, 10, 24, 9, 5))).toBe('24 Nov, 09:05');
  expect(at(new Date(2025, 10, 24, 9, 5))).toBe('24 Nov 2025');
  expect(timeText('not a time', now)).toBe('not a time');
  expect(utcText('2026-11-25T09:05:03.123Z')).toBe('2026-11-25 09:05:03 UTC');
});
