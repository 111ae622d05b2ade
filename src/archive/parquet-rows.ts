/** Reads a Parquet file of the archive: its columns, and its rows as the writer takes them again. */
import { type AsyncBuffer, parquetMetadata, parquetReadObjects, type SchemaElement } from 'hyparquet';
import { zstdDecompressSync } from 'node:zlib';
import { errorMessage } from '../model/error-message.ts';

type ArchivedCell = string | number | boolean | Uint8Array | null;
export type ArchivedRow = { readonly [column: string]: ArchivedCell };

/** The schema of the file itself: it may be older than this Assay. */
export function columnsIn(bytes: Uint8Array<ArrayBuffer>): readonly SchemaElement[] {
  // The first element is the root.
  return parquetMetadata(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)).schema.slice(1);
}

/** Times are text of ISO 8601. Where the file is damaged, `of` names it. */
export async function rowsIn(
  bytes: Uint8Array<ArrayBuffer>,
  { columns, of }: { readonly columns?: readonly string[] | undefined; readonly of: string },
): Promise<readonly ArchivedRow[]> {
  const rows = await readObjects(bytes, columns).catch((error: unknown) => {
    throw new Error(`${of} cannot be read: ${errorMessage(error)}`, { cause: error });
  });
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, cellOf(cell)])));
}

async function readObjects(bytes: Uint8Array<ArrayBuffer>, columns: readonly string[] | undefined) {
  return await parquetReadObjects({
    file: inMemory(bytes),
    utf8: false,
    compressors: { ZSTD: (input) => Uint8Array.from(zstdDecompressSync(input)) },
    ...(columns !== undefined && { columns: [...columns] }),
  });
}

function cellOf(cell: unknown): ArchivedCell {
  if (cell instanceof Date) return cell.toISOString();
  if (typeof cell === 'bigint') return Number(cell);
  // The cast holds because the archive has columns of these kinds only.
  return (cell ?? null) as ArchivedCell;
}

function inMemory(bytes: Uint8Array<ArrayBuffer>): AsyncBuffer {
  return {
    byteLength: bytes.byteLength,
    slice: (start, end) => bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + (end ?? bytes.byteLength)),
  };
}
