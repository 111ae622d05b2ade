/** The shared store as an upgrade finds it, and the way back from one. */
import type { FoundStore, Migration } from '../migration.ts';
import { DEFAULT_SCHEMA, Link, type PostgresAddress } from './link.ts';
import { downgrade, storedSchema } from './schema.ts';

const STATEMENT_MS = 600_000;

/** Undefined where no Assay has made tables yet. */
export async function findStore(address: PostgresAddress): Promise<FoundStore | undefined> {
  return linked(address, 'check', (link) =>
    link.use(async (session) => {
      const schema = await storedSchema(session);
      if (schema.version === 0) return undefined;
      const [there] = await session.once<{ is: boolean }>(`SELECT to_regclass('detection') IS NOT NULL AS is`);
      const [row] =
        there?.is === true
          ? await session.once<{ snapshot: Uint8Array | null }>('SELECT snapshot FROM detection')
          : [undefined];
      return { schema, detection: row?.snapshot ?? undefined };
    }),
  );
}

/** Throws while an instance is connected, which would go on writing to tables that are gone. */
export async function downgradeStore(address: PostgresAddress, to: string): Promise<readonly Migration[]> {
  return linked(address, 'downgrade', async (link) => {
    const schema = address.schema ?? DEFAULT_SCHEMA;
    const others = await link.use((session) =>
      session.once<{ name: string }>(
        `SELECT DISTINCT application_name AS name FROM pg_stat_activity
         WHERE datname = current_database() AND application_name LIKE 'assay %' AND pid <> pg_backend_pid() ORDER BY 1`,
      ),
    );
    if (others.length > 0) {
      const names = others.map(({ name }) => name).join(', ');
      throw new Error(`stop every Assay first, these use the schema ${schema} or another of the database: ${names}`);
    }
    return downgrade(link, to);
  });
}

async function linked<T>(address: PostgresAddress, name: string, work: (link: Link) => Promise<T>): Promise<T> {
  const link = new Link({ address, name, leaseMs: 30_000, statementMs: STATEMENT_MS });
  try {
    return await work(link);
  } finally {
    await link.close();
  }
}
