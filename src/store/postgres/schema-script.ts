/** Makes the schema that the tables are in, where it is not there. */
import { lockKey } from './advisory-locks.ts';

/** Not `IF NOT EXISTS` alone, which asks for the right to make schemas even where there is nothing to make. */
export function schemaScript(schema: string): string {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new Error(`${schema} is no name for a schema: small letters, digits and _`);
  }
  return `BEGIN; SELECT pg_advisory_xact_lock(${lockKey('schema')});
    DO $$ BEGIN IF to_regnamespace('${schema}') IS NULL THEN CREATE SCHEMA ${schema}; END IF; END $$; COMMIT`;
}
