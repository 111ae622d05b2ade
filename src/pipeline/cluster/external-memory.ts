/**
 * How V8 counts memory outside its heap. The bytes of turns lie there, tens of megabytes a second of them, and by default every 64 MB of such
 * memory bring on a collection of the whole heap, however little of it is new. Counted together with the heap and by the same limits, they
 * bring on half as many (`docs/decisions/0010-many-instances.md`).
 */
import { setFlagsFromString } from 'node:v8';

/** Names that Node's V8 does not know are errors on the standard output and nothing else, so a test looks for them. */
export const EXTERNAL_MEMORY_FLAGS = [
  '--external-memory-accounted-in-global-limit',
  '--external-memory-max-growing-factor=2',
] as const;

/** Holds for all threads of the process; before they are started. */
export function countExternalMemoryWithHeap(): void {
  for (const flag of EXTERNAL_MEMORY_FLAGS) setFlagsFromString(flag);
}
