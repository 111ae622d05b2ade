/**
 * How V8 collects garbage in a process of Assay (`docs/decisions/0007-where-the-time-goes.md`).
 *
 * Literals are made young. By default V8 makes them old at places whose literals once lived long. An old one that is
 * dead keeps alive all that it leads to, so that whole turns were moved into the old heap.
 *
 * Memory outside the heap is counted together with it, by the same limits. The bytes of turns lie there, and by default
 * every 64 MB of them bring on a collection of the whole heap, however little of it is new.
 *
 * A start leaves 15 to 30 MB of garbage in each thread. V8 collects them when it needs room, or after minutes without
 * work, so an idle service would keep them.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A name that Node's V8 does not know would be a line on standard error and nothing else, so a test looks for them. */
export const GARBAGE_FLAGS = [
  '--no-allocation-site-pretenuring',
  '--external-memory-accounted-in-global-limit',
  '--expose-gc',
];

/** Flags belong to the process: one thread sets them, before there are others, and nobody changes them afterwards. */
export function setGarbageFlags(): void {
  for (const flag of GARBAGE_FLAGS) setFlagsFromString(flag);
}

const AFTER_START_MS = 20_000;
/** A larger heap has open turns in it, and collecting them would stop the thread for longer than 100 ms. */
const START_HEAP_BYTES_MAX = 128 * 1024 * 1024;

/** Collects what the start of this thread left behind, once, when its first seconds are over. */
export function collectAfterStart(afterMs = AFTER_START_MS): void {
  const timer = setTimeout(() => {
    if (getHeapStatistics().used_heap_size <= START_HEAP_BYTES_MAX) collectAll();
  }, afterMs);
  timer.unref();
}

/** V8 gives the function to new contexts of a process that has the flag; without it nothing is collected. */
function collectAll(): void {
  const collect: unknown = runInNewContext('globalThis.gc');
  if (typeof collect === 'function') collect();
}
