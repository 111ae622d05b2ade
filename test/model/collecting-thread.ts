/** Three threads, as a service has them, that collect again and again at the same moments. Each says how often it did. */
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { collectAfterStart, setGarbageFlags } from '../../src/model/garbage-collection.ts';

const TIMES = 20;
const EVERY_MS = 25;

interface Start {
  readonly at: number;
}

// The cast holds because this file starts its threads itself.
const { at } = isMainThread ? { at: Date.now() + 500 } : (workerData as Start);
if (isMainThread) {
  setGarbageFlags();
  const start: Start = { at };
  for (let threads = 0; threads < 2; threads += 1) new Worker(new URL(import.meta.url), { workerData: start });
}

let forced = 0;
new PerformanceObserver((list) => {
  // The cast holds for entries of this type; the types of Node do not know their detail.
  for (const { detail } of list.getEntries() as unknown as readonly { readonly detail: { readonly flags: number } }[]) {
    if ((detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0) forced += 1;
  }
}).observe({ entryTypes: ['gc'] });
for (let times = 0; times < TIMES; times += 1) collectAfterStart(at + times * EVERY_MS - Date.now());
setTimeout(() => console.log(`collected ${forced}`), at + TIMES * EVERY_MS + 500 - Date.now());
