/**
 * How V8 collects garbage in a process of Assay (`docs/decisions/0007-where-the-time-goes.md`).
 *
 * Literals are made young. By default V8 makes them old at places whose literals once lived long. An old one that is
 * dead keeps alive all that it leads to, so that whole turns were moved into the old heap.
 *
 * Memory outside the heap is counted together with it, by the same limits. The bytes of turns lie there, and by default
 * every 64 MB of them bring on a collection of the whole heap, however little of it is new.
 */
import { setFlagsFromString } from 'node:v8';

/** A name that Node's V8 does not know would be a line on standard error and nothing else, so a test looks for them. */
export const GARBAGE_FLAGS = ['--no-allocation-site-pretenuring', '--external-memory-accounted-in-global-limit'];

/** Holds for all threads of the process. */
export function keepTurnsYoung(): void {
  for (const flag of GARBAGE_FLAGS) setFlagsFromString(flag);
}
