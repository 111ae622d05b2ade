/** Priority of threads that work for people, below those that receive and score. */
import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import path from 'node:path';

/**
 * Lets receiving and scoring go first where there is less processor than work. Linux alone lets a thread have a priority of
 * its own; elsewhere the threads share as they are.
 */
export function yieldToOthers(thread: string): void {
  if (process.platform !== 'linux') return;
  try {
    const id = Number(path.basename(readlinkSync('/proc/thread-self')));
    setPriority(id, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch (error) {
    // Without it the thread works as well, and takes its full share.
    process.emitWarning(`${thread} keeps its priority: ${error instanceof Error ? error.message : String(error)}`);
  }
}
