/** Files that starts have set aside after damage (docs/decisions/0031): nobody can say what is in all of them. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

const FOLDERS = ['quarantine', 'journal/quarantine', 'content/quarantine'];

export function setAsideIn(dataDir: string): readonly string[] {
  return FOLDERS.flatMap((folder) => {
    const directory = path.join(dataDir, folder);
    if (!existsSync(directory)) return [];
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .toSorted();
  });
}

/** Removes these files, and the folders that are empty then. */
export function removeSetAside(dataDir: string, files: readonly string[]): void {
  for (const file of files) rmSync(file, { force: true });
  if (setAsideIn(dataDir).length > 0) return;
  for (const folder of FOLDERS) rmSync(path.join(dataDir, folder), { recursive: true, force: true });
}
