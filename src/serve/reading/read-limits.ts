/** Limits of reading. One read runs at a time, so that a service of two cores has the other for spans. */

/** Requests that wait for their turn, beside the one that is read. */
export const WAITING_MAX = 16;
/** A request waits this long for its turn; clients give up not much later. */
export const WAIT_MAX_MS = 10_000;
/** A read that takes longer is given up, and its thread ended. */
export const READ_DEADLINE_MS = 10_000;
/** Heap of the thread. The largest answer takes some of it twice. */
export const HEAP_MIB_MAX = 512;
/** A read that is under way at a stop has this long. */
export const FAREWELL_MS = 2_000;
