/** Limits of comparisons. One is worked out at a time, beside everything else. */
import type { AskedThreadLimits } from '../threads/asked-thread.ts';

export const WAITING_MAX = 16;
export const WAIT_MAX_MS = 30_000;
export const DEADLINE_MS = 30_000;

export const COMPARING_LIMITS: AskedThreadLimits = {
  deadlineMs: DEADLINE_MS,
  waitMaxMs: WAIT_MAX_MS,
  waitingMax: WAITING_MAX,
  atOnceMax: 1,
  // A page asks for a comparison, its gate and a case at once.
  waitingOfOneMax: WAITING_MAX,
  idleMs: 60_000,
  heapMibMax: 768,
  farewellMs: 2_000,
  stopMs: 3_000,
};
