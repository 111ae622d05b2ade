/** How this version stores: noted at its release, so that a later change of what was released is noticed. */
import { createHash } from 'node:crypto';
import { DETECTION_FORMAT } from '../../src/engine/detection/state-format.ts';
import type { Migration } from '../../src/store/migration.ts';
import { MIGRATIONS as POSTGRES } from '../../src/store/postgres/schema.ts';
import { MIGRATIONS as SQLITE } from '../../src/store/sqlite/migrate.ts';

export interface StoreFormats {
  readonly sqlite: TablesFormat;
  readonly postgres: TablesFormat;
  /** Format of the state that detection keeps. */
  readonly detection: string;
}

interface TablesFormat {
  /** Number of migrations. */
  readonly schema: number;
  /** Hash of their SQL. */
  readonly sha256: string;
}

export function storeFormats(): StoreFormats {
  return { sqlite: formatOf(SQLITE), postgres: formatOf(POSTGRES), detection: DETECTION_FORMAT };
}

export function formatOf(migrations: readonly Migration[]): TablesFormat {
  const sql = JSON.stringify(migrations.map((migration) => migration.sql));
  return { schema: migrations.length, sha256: createHash('sha256').update(sql).digest('hex') };
}
