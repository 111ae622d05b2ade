/** The store of this machine as an upgrade finds it. Changes nothing. */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { FoundStore } from '../migration.ts';
import { storedSchema } from './migrate.ts';
import { readUnchanged } from './read-unchanged.ts';

/** Undefined where there is none, or none that can be read. */
export function findStore(file: string): FoundStore | undefined {
  try {
    return readUnchanged<FoundStore | undefined>(file, found, undefined);
  } catch {
    // A database that cannot be read is damage, which whoever examines the store reports.
    return undefined;
  }
}

/** The same beside a service that writes to it, whose files must not be put back as they were. */
export function findStoreInUse(file: string): FoundStore | undefined {
  if (!existsSync(file)) return undefined;
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return found(database);
  } finally {
    database.close();
  }
}

function found(database: DatabaseSync): FoundStore | undefined {
  const schema = storedSchema(database);
  if (schema.version === 0) return undefined;
  const isThere = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'detection'").get() !== undefined;
  const snapshot = isThere ? database.prepare('SELECT snapshot FROM detection').get()?.snapshot : undefined;
  return { schema, detection: snapshot instanceof Uint8Array ? snapshot : undefined };
}
