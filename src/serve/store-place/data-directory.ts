/**
 * The folder in which one Assay keeps its data, and the lock that keeps a second one out of it. The lock is SQLite's on
 * a file of its own: the system releases it when the process dies, however it dies.
 */
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '../../model/make-folder.ts';

const NOT_A_DATABASE = 26;

export interface DataDirectory {
  readonly path: string;
  readonly journal: string;
  readonly storeFile: string;
  release(): void;
}

export function storeFileIn(directory: string): string {
  return path.join(directory, 'assay.db');
}

/** Files of access, in a folder that nobody else may read. */
export function accessFilesIn(directory: string) {
  const folder = path.join(directory, 'access');
  return { folder, tokensFile: path.join(folder, 'tokens.json'), auditFile: path.join(folder, 'audit.log') };
}

export function openDataDirectory(directory: string): DataDirectory {
  makeFolder(directory, '--data-dir');
  const file = path.join(directory, 'lock');
  const lock = tryLock(file);
  if (lock instanceof Error) {
    throw new Error(
      `another Assay is using ${path.resolve(directory)}: stop it, or give this one a folder of its own (--data-dir or ASSAY_DATA_DIR)`,
      { cause: lock },
    );
  }
  return {
    path: directory,
    journal: path.join(directory, 'journal'),
    storeFile: storeFileIn(directory),
    release: () => {
      if (lock.isOpen) lock.close();
    },
  };
}

/** Whether an Assay is running on it. Changes nothing. */
export function isInUse(directory: string): boolean {
  const file = path.join(directory, 'lock');
  if (!existsSync(file)) return false;
  const lock = new DatabaseSync(file);
  try {
    lock.exec('BEGIN EXCLUSIVE; ROLLBACK');
    return false;
  } catch (error) {
    return !isNoDatabase(error);
  } finally {
    lock.close();
  }
}

function isNoDatabase(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === NOT_A_DATABASE;
}

/** A lock file that is no database is damaged and held by nobody: whoever holds it is asked before its bytes are read. */
function tryLock(file: string): DatabaseSync | Error {
  const lock = new DatabaseSync(file);
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE');
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (!isNoDatabase(error)) {
      return error instanceof Error ? error : new Error(String(error));
    }
    rmSync(file);
    return tryLock(file);
  }
}
