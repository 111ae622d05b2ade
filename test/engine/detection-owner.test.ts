import { performance } from 'node:perf_hooks';
import { expect, onTestFinished, test, vi } from 'vitest';
import { DEFAULT_DETECTION } from '../../src/statistics/detect/settings.ts';
import { DetectionOwner } from '../../src/engine/detection/detection-owner.ts';
import type { DetectionStore } from '../../src/store/detection-store.ts';

const EVERY_MS = 5000;

/** How long after a round of this length the next is due. */
async function pauseAfter(tookMs: number): Promise<number> {
  let now = 1000;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const store: DetectionStore = {
    round: (_, work) => {
      now += tookMs;
      work({ state: { version: 0, snapshot: undefined }, observations: [] });
    },
  };
  const owner = new DetectionOwner({ settings: DEFAULT_DETECTION, subscribers: [], everyMs: EVERY_MS }, () => {});
  expect(owner.isDue).toBe(true);
  await owner.round(store, 0);
  let pause = 0;
  for (; !owner.isDue; pause += 100) now += 100;
  return pause;
}

test.each([
  { tookMs: 0, pause: EVERY_MS },
  { tookMs: 100, pause: EVERY_MS },
  { tookMs: 1000, pause: 20_000 },
  { tookMs: 30_000, pause: 60_000 },
])('after a round of $tookMs ms the next is due in $pause ms', async ({ tookMs, pause }) => {
  expect(await pauseAfter(tookMs)).toBe(pause);
});
