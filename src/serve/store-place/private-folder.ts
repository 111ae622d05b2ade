/**
 * A folder that only its owner can read, whatever made it: earlier versions made folders and files that everybody on
 * the machine could read.
 */
import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';

const OTHERS = 0o077;

/** Gives the number of files and folders that it changed, and why one of them could not be changed. */
export function makePrivate(folder: string): { readonly changed: number; readonly problem: string | undefined } {
  let changed = 0;
  let problem: string | undefined;
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  // The folder first: then nobody else can reach what is in it.
  for (const name of ['.', ...names]) {
    const file = path.join(folder, name);
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined || found.isSymbolicLink() || (found.mode & OTHERS) === 0) continue;
    try {
      chmodSync(file, found.mode & 0o777 & ~OTHERS);
      changed += 1;
    } catch (error) {
      // A volume may belong to somebody else and give access by its group.
      problem ??= error instanceof Error ? error.message : String(error);
    }
  }
  return { changed, problem };
}
