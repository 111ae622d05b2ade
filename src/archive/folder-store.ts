/** An archive in a folder: a key is a path below it. Files appear under their names once they are whole and on disk. */
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { ObjectStore } from './object-store.ts';

const OWNER_ONLY = { folder: 0o700, file: 0o600 };
/** Ends the names of files that are not whole; readers look for `.parquet`. */
const UNFINISHED = '.unfinished';

export class FolderStore implements ObjectStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = path.resolve(folder);
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    const file = path.join(this.#folder, key);
    await mkdir(path.dirname(file), { recursive: true, mode: OWNER_ONLY.folder });
    const unfinished = `${file}${UNFINISHED}`;
    const handle = await open(unfinished, 'w', OWNER_ONLY.file);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, file);
    const folder = await open(path.dirname(file), 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  async get(key: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    try {
      return await readFile(path.join(this.#folder, key));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async delete(key: string): Promise<void> {
    await rm(path.join(this.#folder, key), { force: true });
    await rm(path.join(this.#folder, `${key}${UNFINISHED}`), { force: true });
  }

  async *list(prefix: string): AsyncGenerator<readonly string[]> {
    const below = path.posix.dirname(`${prefix}x`);
    const pending = [below === '.' ? '' : below];
    for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
      const entries = await readdir(path.join(this.#folder, folder), { withFileTypes: true }).catch(
        (error: unknown) => {
          if (isMissing(error)) return [];
          throw error;
        },
      );
      const keys: string[] = [];
      for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
        const key = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (entry.isDirectory()) pending.push(key);
        else if (key.startsWith(prefix) && !key.endsWith(UNFINISHED)) keys.push(key);
      }
      if (keys.length > 0) yield keys;
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
