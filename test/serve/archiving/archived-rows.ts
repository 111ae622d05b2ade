/** The files of an archive in a folder, as one who lists them sees them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { ArchiveTable } from '../../../src/archive/archive-keys.ts';
import { type ArchivedRow, rowsIn } from '../../../src/archive/parquet-rows.ts';

export function parquetFiles(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.parquet'))
    .toSorted();
}

export async function allRows(folder: string, table: ArchiveTable): Promise<readonly ArchivedRow[]> {
  const rows: ArchivedRow[] = [];
  for (const file of parquetFiles(folder))
    if (file.startsWith(`table=${table}/`))
      rows.push(...(await rowsIn(Uint8Array.from(readFileSync(path.join(folder, file))), { of: file })));
  return rows;
}
