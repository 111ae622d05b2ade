/**
 * Brings the tables of a store up to date, and back. Each step is one transaction with the number of steps
 * (`user_version`), so a crash leaves the tables before it or after it. `schema_origin` says what another version must
 * know of them.
 */
import type { DatabaseSync } from 'node:sqlite';
import {
  FIRST_RELEASE,
  type Migration,
  ofFirstRelease,
  refusalOf,
  schemaAfter,
  stepsBack,
  type StoredSchema,
} from '../migration.ts';
import { TABLES_OF_FIRST_RELEASE } from './schema.ts';

/** In the order in which they run; a new one is the last. */
export const MIGRATIONS: readonly Migration[] = [...ofFirstRelease(TABLES_OF_FIRST_RELEASE)];

export function migrate(database: DatabaseSync, migrations: readonly Migration[] = MIGRATIONS): void {
  const stored = storedSchema(database);
  const refusal = refusalOf(stored, migrations.length);
  if (refusal !== undefined) throw new Error(`${refusal}; or point data_dir at another folder`);
  for (const [index, { sql }] of migrations.entries())
    if (index >= stored.version) step(database, sql, schemaAfter(migrations, index + 1));
}

/** Gives the steps that it undid. */
export function downgrade(
  database: DatabaseSync,
  to: string,
  migrations: readonly Migration[] = MIGRATIONS,
): readonly Migration[] {
  let { version } = storedSchema(database);
  const steps = stepsBack(migrations, { from: version, to });
  for (const { back } of steps) {
    version -= 1;
    step(database, back, schemaAfter(migrations, version));
  }
  return steps;
}

/** Nothing was ever written to it. */
export function isNew(database: DatabaseSync): boolean {
  return storedSchema(database).version === 0;
}

export function storedSchema(database: DatabaseSync): StoredSchema {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version ?? 0);
  const origin = hasOrigin(database)
    ? database.prepare('SELECT since, opens_from FROM schema_origin').get()
    : undefined;
  return {
    version,
    since: origin === undefined ? undefined : String(origin.since),
    opensFrom: origin === undefined ? version : Number(origin.opens_from),
  };
}

function step(database: DatabaseSync, sql: string, { version, since, opensFrom }: StoredSchema): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    database.exec(sql);
    // The first release did not note it, and a store in memory is made for each conversation of a recording.
    if (since !== FIRST_RELEASE || hasOrigin(database)) {
      database.exec(ORIGIN_TABLE);
      database
        .prepare('INSERT OR REPLACE INTO schema_origin (one, since, opens_from) VALUES (1, ?, ?)')
        .run(since ?? '', opensFrom);
    }
    database.exec(`PRAGMA user_version = ${version}`);
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw new Error(`change the tables of the store to schema version ${version}`, { cause: error });
  }
}

function hasOrigin(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'schema_origin'").get() !== undefined;
}

const ORIGIN_TABLE = `CREATE TABLE IF NOT EXISTS schema_origin (
  one INTEGER PRIMARY KEY CHECK (one = 1), since TEXT NOT NULL, opens_from INTEGER NOT NULL) STRICT`;
