/**
 * A folder that data are written to, made if it is not there. Made level by level: `mkdirSync` with `recursive` never
 * returns where a parent refuses with ENOENT, as /proc does.
 */
import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

const OWNER_ONLY = 0o700;

export class FolderUnusable extends Error {}

export function makeFolder(folder: string, named: string): void {
  const wanted = path.resolve(folder);
  const missing: string[] = [];
  let parent = wanted;
  for (; statSync(parent, { throwIfNoEntry: false }) === undefined; parent = path.dirname(parent)) missing.push(parent);
  if (!statSync(parent).isDirectory()) {
    const what = parent === wanted ? `${named} names a file, ${wanted}` : `${named} is below a file, ${parent}`;
    throw new FolderUnusable(`${what}: give a folder`);
  }
  try {
    accessSync(parent, constants.W_OK | constants.X_OK);
    for (const one of missing.reverse()) makeOne(one);
  } catch (error) {
    const what = missing.length === 0 ? `cannot write into ${wanted}` : `cannot make the folder ${wanted} in ${parent}`;
    throw new FolderUnusable(`${what}${codeOf(error)}: give ${named} a folder that can be written`, { cause: error });
  }
}

/** Another process may make it at the same moment. */
function makeOne(folder: string): void {
  try {
    mkdirSync(folder, { mode: OWNER_ONLY });
  } catch (error) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
}
