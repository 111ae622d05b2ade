/** Limits of reading. One read runs at a time, so that a service of two cores has the other for spans. */
import { READ_DEADLINE_MS } from '../store-place/open-reader.ts';
import type { AskedThreadLimits } from '../threads/asked-thread.ts';

/** Requests that wait for their turn, beside the one that is read. */
export const WAITING_MAX = 16;
/** A request waits this long for its turn; clients give up not much later. */
export const WAIT_MAX_MS = 10_000;

export const READ_LIMITS: AskedThreadLimits = {
  deadlineMs: READ_DEADLINE_MS,
  waitMaxMs: WAIT_MAX_MS,
  waitingMax: WAITING_MAX,
  atOnceMax: 1,
  waitingOfOneMax: WAITING_MAX,
  // Everybody else waits for another thread to open the store.
  leftAloneMs: READ_DEADLINE_MS,
  // The largest answer takes some of it twice.
  heapMibMax: 512,
  farewellMs: 2_000,
  stopMs: 3_000,
};
