/**
 * The folder in which one Assay keeps its data, and the lock that keeps a second one out of it. The lock is SQLite's on
 * a file of its own: the system lets go of it when the process dies, however it dies.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface DataDirectory {
  readonly journal: string;
  readonly storeFile: string;
  release(): void;
}

export function storeFileIn(directory: string): string {
  return path.join(directory, 'assay.db');
}

export function openDataDirectory(directory: string): DataDirectory {
  mkdirSync(directory, { recursive: true });
  const lock = new DatabaseSync(path.join(directory, 'lock'));
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw new Error(
      `another Assay is using ${path.resolve(directory)}: stop it, or give this one a folder of its own (--data-dir or ASSAY_DATA_DIR)`,
      { cause: error },
    );
  }
  return {
    journal: path.join(directory, 'journal'),
    storeFile: storeFileIn(directory),
    release: () => {
      if (lock.isOpen) lock.close();
    },
  };
}
