import { expect, test } from 'vitest';
import { sampleOf, sampleOfAll } from '../../../src/engine/estimate/sample.ts';
import type { Candidate } from '../../../src/store/frame-reader.ts';

const HOUR_MS = 3_600_000;
const NOW = 1_000 * HOUR_MS;

/** By lot: hours since each began, and hours since it was read by a person. */
function candidates(...all: readonly (readonly [began: number, read?: number])[]): readonly Candidate[] {
  return all.map(([began, read], row) => {
    const readings = read === undefined ? [] : [{ source: 'person', answer: 'good', at: NOW - read * HOUR_MS }];
    // The cast holds for what a sample looks at.
    return { row: { row, glance: { beganAtMs: NOW - began * HOUR_MS } }, readings } as unknown as Candidate;
  });
}

test('those that come first, as far as all were read, speak for all', () => {
  const { before, drawn } = sampleOf(candidates([50, 2], [40, 2], [30], [20, 2], [10]));
  expect([before, drawn.length]).toEqual([undefined, 2]);
});

test('an arrival that comes first after the readings ends the frame before it', () => {
  const { before, drawn } = sampleOf(candidates([9], [50, 10], [40, 10], [20, 10], [60]));
  expect([before, drawn.length]).toEqual([NOW - 9 * HOUR_MS, 3]);
});

test('whoever reads the oldest conversation by choice has no frame of their own', () => {
  expect(sampleOf(candidates([100], [90], [160, 1], [80]))).toEqual({ before: undefined, drawn: [] });
  expect(sampleOf(candidates([100], [160, 1], [80], [150, 1])).drawn).toEqual([]);
});

test('a recording ends with its last conversation', () => {
  expect(sampleOfAll(candidates([9], [50, 10], [40, 10])).drawn).toEqual([]);
  expect(sampleOfAll(candidates([9, 1], [50, 1], [40])).drawn).toHaveLength(2);
});
