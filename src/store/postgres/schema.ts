/**
 * Brings the tables of a database up to date: each migration in one transaction with the step of the version. Any number
 * of instances may start at once: an advisory lock lets one of them migrate.
 */
import { lockKey } from './advisory-locks.ts';
import { DEFAULT_SCHEMA, type Link } from './link.ts';
import { MIGRATIONS } from './migrations.ts';
import { schemaScript } from './schema-script.ts';

export const SCHEMA_VERSION = MIGRATIONS.length;

export async function migrate(link: Link, schema: string = DEFAULT_SCHEMA): Promise<void> {
  await link.use((session) => session.script(schemaScript(schema)));
  for (let done = false; !done; ) {
    done = await link.transaction(
      async (session) => {
        await session.script(
          'CREATE TABLE IF NOT EXISTS schema_version (one boolean PRIMARY KEY DEFAULT true CHECK (one), version int NOT NULL)',
        );
        const [row] = await session.once<{ version: number }>('SELECT version FROM schema_version');
        const version = row?.version ?? 0;
        if (version > SCHEMA_VERSION) {
          throw new Error(
            `the store has schema version ${version} and this Assay knows ${SCHEMA_VERSION}: start the newer Assay that wrote it, or name another database or schema`,
          );
        }
        const next = MIGRATIONS[version];
        if (next === undefined) return true;
        await session.script(next);
        await session.once(
          'INSERT INTO schema_version (version) VALUES ($1) ON CONFLICT (one) DO UPDATE SET version = excluded.version',
          [version + 1],
        );
        return false;
      },
      { begin: `BEGIN; SELECT pg_advisory_xact_lock(${lockKey('migration')})` },
    );
  }
}
