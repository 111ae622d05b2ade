/** Reads a Parquet file of the archive: its columns, and its rows as the writer takes them again. */
import { type AsyncBuffer, parquetMetadata, parquetReadObjects, type SchemaElement } from 'hyparquet';
import { zstdDecompressSync } from 'node:zlib';

type ArchivedCell = string | number | boolean | Uint8Array | null;
export type ArchivedRow = { readonly [column: string]: ArchivedCell };

/** The schema of the file itself: it may be older than this Assay. */
export function columnsIn(bytes: Uint8Array<ArrayBuffer>): readonly SchemaElement[] {
  // The first element is the root.
  return parquetMetadata(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)).schema.slice(1);
}

/** Times are text of ISO 8601. */
export async function rowsIn(
  bytes: Uint8Array<ArrayBuffer>,
  columns?: readonly string[],
): Promise<readonly ArchivedRow[]> {
  const rows = await parquetReadObjects({
    file: inMemory(bytes),
    utf8: false,
    compressors: { ZSTD: (input) => Uint8Array.from(zstdDecompressSync(input)) },
    ...(columns !== undefined && { columns: [...columns] }),
  });
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, cellOf(cell)])));
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
