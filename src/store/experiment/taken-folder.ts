/**
 * The lock that keeps a second writer out of an experiment's folder. It is SQLite's, on a file of its own: the system
 * releases it when the process dies, however it dies. The owner is written beside it, for the message that a second
 * process gets.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface TakenFolder {
  release(): void;
}

export function takeFolder(folder: string): TakenFolder {
  const writer = path.join(folder, 'writer.json');
  const lock = new DatabaseSync(path.join(folder, 'lock'));
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw new Error(`${whoWrites(writer)} is writing to ${folder}: wait until it is done, or stop it`, {
      cause: error,
    });
  }
  writeFileSync(writer, JSON.stringify({ process: process.pid, host: hostname(), since: new Date().toISOString() }));
  return {
    release: () => {
      if (!lock.isOpen) return;
      rmSync(writer, { force: true });
      lock.close();
    },
  };
}

/** Whether somebody writes it just now. Looking takes nothing from whoever is about to. */
export function isTaken(folder: string): boolean {
  const file = path.join(folder, 'lock');
  if (!existsSync(file)) return false;
  const lock = new DatabaseSync(file, { readOnly: true });
  try {
    lock.prepare('SELECT count(*) FROM sqlite_master').get();
    return false;
  } catch {
    // SQLite lets nobody read while the lock is held.
    return true;
  } finally {
    lock.close();
  }
}

function whoWrites(file: string): string {
  try {
    const { process, host, since } = JSON.parse(readFileSync(file, 'utf8'));
    return `process ${Number(process)} on ${String(host)} (since ${String(since)})`;
  } catch {
    // It has the lock and has not said so yet.
    return 'another process';
  }
}
