/** Long work on a thread that has others to answer: after each slice of time, everything else that waits gets its turn. */
import { setImmediate } from 'node:timers/promises';

/** A request of others waits for this long, and for one step. */
const SLICE_MS = 3;

/** Does all steps, each of which should be short. Others may run between them, so nothing may change what these work on. */
export async function inSlices(steps: Iterable<unknown>): Promise<void> {
  let since = performance.now();
  for (const _ of steps) {
    if (performance.now() - since < SLICE_MS) continue;
    await setImmediate();
    since = performance.now();
  }
}
