/** Limits that nobody has a reason to set. They stand beside the settings because tests have others. */
import { totalmem } from 'node:os';

const MIB = 2 ** 20;
/** Size of one request after decompression. Exporters send a few megabytes at most; the rest is for backfills. */
const BODY_BYTES_MAX = 64 * MIB;

export const FIXED_SETTINGS = {
  /** A check is a function of one conversation, and an agent's conversations wait for it. One that runs longer is an `error`. */
  score: { checkTimeoutMs: 1000 },
  receive: receiveLimits(memoryBytes()),
};

/** Size of all requests in flight, after decompression: an eighth of a small machine's memory. Clients beyond it get 503 and try again. */
export function receiveLimits(memory: number) {
  return { maxBodyBytes: BODY_BYTES_MAX, maxInFlightBytes: Math.min(256 * MIB, Math.max(BODY_BYTES_MAX, memory / 8)) };
}

/** Memory of the container, or of the machine where that has less. */
function memoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
