/**
 * Moves what a start must not destroy out of its way: content that no row refers to, files of other stores, and what is
 * left of a database. The folders it moves to are named by the time.
 */
import { copyFileSync, createReadStream, createWriteStream, existsSync, mkdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Damage } from '../../model/damage.ts';
import { contentDirectory, contentFile } from './content-reader.ts';
import type { ExaminedStore } from './examine-store.ts';

/** Gives the files that it made. */
export async function setAside(storeFile: string, store: ExaminedStore, now: Date): Promise<readonly string[]> {
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, '');
  return [...setDatabaseAside(storeFile, store.damage, stamp), ...(await setContentAside(storeFile, store, stamp))];
}

function setDatabaseAside(storeFile: string, damage: readonly Damage[], stamp: string): readonly string[] {
  const kinds = new Set(damage.map(({ kind }) => kind));
  // A database that can be read is used on; what is left of its WAL goes with the next checkpoint.
  const isMoved = kinds.has('store-unreadable') || kinds.has('store-missing');
  if (!isMoved && !kinds.has('store-behind') && !kinds.has('store-replaced')) return [];
  const made: string[] = [];
  for (const suffix of isMoved ? ['', '-wal', '-shm'] : ['-wal']) {
    const from = `${storeFile}${suffix}`;
    if (!existsSync(from)) continue;
    const to = path.join(makeFolder(path.join(path.dirname(storeFile), 'quarantine', stamp)), path.basename(from));
    if (isMoved) renameSync(from, to);
    else copyFileSync(from, to);
    made.push(to);
  }
  return made;
}

async function setContentAside(
  storeFile: string,
  { unreferenced, foreign }: ExaminedStore,
  stamp: string,
): Promise<readonly string[]> {
  const directory = contentDirectory(storeFile);
  const folder = path.join(directory, 'quarantine', stamp);
  const made: string[] = [];
  for (const file of foreign) {
    const from = contentFile(directory, file);
    // Another name: `assay journal recover` must not read in what another store's users said.
    const to = path.join(makeFolder(folder), `${path.basename(from)}.foreign`);
    renameSync(from, to);
    made.push(to);
  }
  if (unreferenced.is === 'uncommitted') return made;
  for (const file of unreferenced.files) {
    const from = contentFile(directory, file);
    const to = path.join(makeFolder(folder), path.basename(from));
    renameSync(from, to);
    made.push(to);
  }
  const { tail } = unreferenced;
  if (tail !== undefined) {
    const to = path.join(makeFolder(folder), `${tail.file}-from-${tail.offset}.content`);
    const from = createReadStream(contentFile(directory, tail.file), { start: tail.offset });
    await pipeline(from, createWriteStream(to, { mode: 0o600, flush: true }));
    made.push(to);
  }
  return made;
}

function makeFolder(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
