/** Limits of questions about other weights. One is answered at a time, beside everything else. */

/** From its turn on, the start of the thread included; then the question is given up and its thread ended. */
export const DEADLINE_MS = 20_000;
/** Addresses that wait for their turn, with one question each. */
export const WAITING_MAX = 16;
/** A question waits this long for its turn. */
export const WAIT_MAX_MS = 20_000;
/** The thread is ended when nobody has asked for so long. */
export const IDLE_MS = 60_000;
export const HEAP_MIB_MAX = 512;
/** A thread that is to end has this long to close its connection. */
export const FAREWELL_MS = 2_000;
/** A stop waits this long for threads to end. */
export const STOP_MS = 3_000;
