/**
 * Reads a database and leaves its folder as it was. SQLite makes or rewrites the `-shm` of a database that is opened only
 * for reading, and leaves a `-wal`: both are put back.
 */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** `orElse` where there is no database. */
export function readUnchanged<T>(file: string, read: (database: DatabaseSync) => T, orElse: T): T {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return orElse;
  const beside = ['-shm', '-wal'].map((suffix) => `${file}${suffix}`);
  const before = beside.map((name) =>
    existsSync(name) ? (name.endsWith('-shm') ? readFileSync(name) : 'kept') : undefined,
  );
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    return read(database);
  } finally {
    database?.close();
    for (const [index, name] of beside.entries()) {
      const was = before[index];
      if (was === undefined) rmSync(name, { force: true });
      else if (was !== 'kept') writeFileSync(name, was);
    }
  }
}
