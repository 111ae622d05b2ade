/**
 * Folders in node_modules/.cache that are made once and then kept: built commands, fetched archives. Test files run at
 * the same time, so whoever comes first makes it, and the others wait.
 *
 *   made under another name   a process that dies leaves a half, which nobody takes for whole
 *   renamed                   there for all
 *   locked meanwhile          by the number of its process; the lock of one that has died counts no more
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const CACHE = path.resolve(import.meta.dirname, '../../node_modules/.cache/assay');
const LOOK_EVERY_MS = 500;

/** The folder of this name. `make` fills the one that it is given; `needs` says what a machine lacks where it fails. */
export async function madeOnce(
  name: string,
  { make, needs }: { readonly make: (folder: string) => Promise<void>; readonly needs: string },
): Promise<string> {
  const folder = path.join(CACHE, name);
  const lock = `${folder}.lock`;
  mkdirSync(CACHE, { recursive: true });
  while (!existsSync(folder)) {
    if (!isLocked(lock)) {
      await sleep(LOOK_EVERY_MS);
      continue;
    }
    const made = `${folder}.${process.pid}`;
    try {
      // Somebody may have made it between the look and the lock.
      if (existsSync(folder)) break;
      mkdirSync(made, { recursive: true });
      await make(made);
      renameSync(made, folder);
    } catch (error) {
      rmSync(made, { recursive: true, force: true });
      throw new Error(`${name} could not be made. It needs ${needs}.`, { cause: error });
    } finally {
      rmSync(lock, { force: true });
    }
  }
  return folder;
}

/** Whether this process has the lock now. */
function isLocked(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    if (isDead(lock)) rmSync(lock, { force: true });
    return false;
  }
}

function isDead(lock: string): boolean {
  try {
    const pid = Number(readFileSync(lock, 'utf8'));
    // It may be written in a moment.
    if (pid > 0) process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
