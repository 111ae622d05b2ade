/** Limits of the tools for coding agents. A request waits mostly for answers of the API, which has limits of its own. */
import type { AskedThreadLimits } from '../threads/asked-thread.ts';

/** Size of a request. The longest argument is the note of a label. */
export const BODY_BYTES_MAX = 64 << 10;
export const WAITING_MAX = 16;
export const WAIT_MAX_MS = 20_000;
/** Longer than the API may take for all that a tool asks of it. */
export const DEADLINE_MS = 120_000;

export const MCP_LIMITS: AskedThreadLimits = {
  deadlineMs: DEADLINE_MS,
  waitMaxMs: WAIT_MAX_MS,
  waitingMax: WAITING_MAX,
  // A coding agent asks several things at once, but a whole conversation takes its size many times over.
  atOnceMax: 1,
  waitingOfOneMax: WAITING_MAX,
  idleMs: 300_000,
  heapMibMax: 96,
  farewellMs: 2_000,
  stopMs: 3_000,
};
