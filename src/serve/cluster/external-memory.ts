/**
 * How V8 counts memory outside its heap. The bytes of turns lie there, tens of megabytes a second of them, and by default every 64 MB of such
 * memory bring on a collection of the whole heap, however little of it is new. Counted together with the heap and by the same limits, they
 * bring on half as many (`docs/decisions/0010-many-instances.md`).
 */
import { setFlagsFromString } from 'node:v8';

/** A name that Node's V8 does not know would be a line on standard error and nothing else, so a test looks for it. */
export const EXTERNAL_MEMORY_FLAG = '--external-memory-accounted-in-global-limit';

/** Holds for all threads of the process. */
export function countExternalMemoryWithHeap(): void {
  setFlagsFromString(EXTERNAL_MEMORY_FLAG);
}
