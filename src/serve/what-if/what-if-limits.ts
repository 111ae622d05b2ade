/** Limits of questions about other weights. One is answered at a time, beside everything else. */
import type { AskedThreadLimits } from '../threads/asked-thread.ts';

export const DEADLINE_MS = 20_000;
/** Addresses that wait for their turn, with one question each. */
export const WAITING_MAX = 16;
export const WAIT_MAX_MS = 20_000;
export const IDLE_MS = 60_000;
/** Detection asks for the next part of the past within this time. Each start of the service begins with that. */
export const LEARNING_IDLE_MS = 8_000;

export const WHAT_IF_LIMITS: Omit<AskedThreadLimits, 'deadlineMs' | 'idleMs'> = {
  waitMaxMs: WAIT_MAX_MS,
  waitingMax: WAITING_MAX,
  atOnceMax: 1,
  waitingOfOneMax: 1,
  heapMibMax: 512,
  farewellMs: 2_000,
  stopMs: 3_000,
};
