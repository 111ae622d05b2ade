/** Work of the archive's thread: builds the files of a batch, writes them, and rewrites them where one is forgotten. */
import { ARCHIVE_TABLES, type ArchiveTable, keyOf, tablePrefix, tryReadKey } from '../../archive/archive-keys.ts';
import type { ObjectStore } from '../../archive/object-store.ts';
import { type ArchivedRow, columnsIn, rowsIn } from '../../archive/parquet-rows.ts';
import { errorMessage } from '../../model/error-message.ts';
import { AboutMatcher } from '../../engine/about.ts';
import type { ArchiveBatch } from '../../store/archive-store.ts';
import { archivedKey, packKeys } from '../../store/archived-keys.ts';
import type { ColumnKind, ExportColumn } from '../exporting/export-tables.ts';
import { type ArchiveReader, type BuiltFiles, buildFiles, WrittenTables } from './archive-files.ts';
import type { ArchiveCalls } from './archive-protocol.ts';

interface WorkParts {
  readonly reader: ArchiveReader;
  readonly objects: ObjectStore;
  readonly idKeys: readonly string[];
  /** For tests. */
  readonly contentBytesMax?: number;
}

export class ArchiveWork implements ArchiveCalls {
  readonly #parts: WorkParts;
  #built: BuiltFiles | undefined;

  constructor(parts: WorkParts) {
    this.#parts = parts;
  }

  async build(conversations: readonly string[]) {
    const { reader, contentBytesMax } = this.#parts;
    const built = await buildFiles(reader, conversations, contentBytesMax);
    this.#built = built;
    return { taken: built.taken, gone: built.taken - built.conversations.length };
  }

  async put(batch: ArchiveBatch): Promise<Uint8Array> {
    const built = this.#built;
    if (built === undefined) throw new Error('archive: the thread that built the files has died');
    this.#built = undefined;
    for (const table of ARCHIVE_TABLES) await this.#write(keyOf(table, batch), built.files[table]);
    return packKeys(built.conversations.map(archivedKey));
  }

  async places(): Promise<readonly ArchiveBatch[]> {
    const found = new Map<string, ArchiveBatch>();
    for (const table of ARCHIVE_TABLES)
      for await (const keys of this.#parts.objects.list(tablePrefix(table)))
        for (const key of keys) {
          const place = tryReadKey(key);
          if (place !== undefined) found.set(place.name, { name: place.name, day: place.day });
        }
    return [...found.values()];
  }

  async keysOf(batch: ArchiveBatch): Promise<Uint8Array> {
    const found = new Set<string>();
    for (const table of ARCHIVE_TABLES)
      for (const key of keysIn(await this.#rows(table, batch, ['conversation_id']))) found.add(key);
    return packKeys(found);
  }

  async forget(batch: ArchiveBatch, keys: readonly string[]): Promise<Uint8Array> {
    const gone = new Set(keys);
    const left = new Set<string>();
    const failures: unknown[] = [];
    // A file that is damaged keeps it in no other one.
    for (const table of ARCHIVE_TABLES)
      try {
        for (const key of await this.#forgetIn(table, batch, gone)) left.add(key);
      } catch (error) {
        failures.push(error);
      }
    if (failures.length > 0) throw new Error(failures.map(errorMessage).join('; '));
    return packKeys(left);
  }

  /** Keys of the conversations that are left. */
  async #forgetIn(table: ArchiveTable, batch: ArchiveBatch, gone: ReadonlySet<string>): Promise<Iterable<string>> {
    const key = keyOf(table, batch);
    const bytes = await this.#parts.objects.get(key);
    if (bytes === undefined) return [];
    const rows = await rowsIn(bytes, { of: key });
    const kept = rows.filter((row) => !gone.has(keyIn(row)));
    if (kept.length < rows.length) {
      const written = new WrittenTables({ [table]: columnsIn(bytes).map(columnOf) });
      written.add(table, kept);
      await this.#write(key, written.end()[table]);
    }
    return keysIn(kept);
  }

  async search(batch: ArchiveBatch, users: readonly string[]): Promise<readonly string[]> {
    const matcher = new AboutMatcher({ conversation: undefined, users }, this.#parts.idKeys);
    const rows = await this.#rows('content', batch);
    const about = rows.filter(
      ({ spans, log_records: logs }) =>
        (spans instanceof Uint8Array && matcher.tracesIn(spans).size > 0) ||
        (logs instanceof Uint8Array && matcher.tracesInLogs(logs).size > 0),
    );
    return [...keysIn(about)];
  }

  async #rows(table: ArchiveTable, batch: ArchiveBatch, columns?: readonly string[]): Promise<readonly ArchivedRow[]> {
    const key = keyOf(table, batch);
    const bytes = await this.#parts.objects.get(key);
    return bytes === undefined ? [] : rowsIn(bytes, { columns, of: key });
  }

  /** A table without rows has no object. An earlier attempt, or what was forgotten, may have left one. */
  async #write(key: string, bytes: Uint8Array | undefined): Promise<void> {
    if (bytes === undefined) await this.#parts.objects.delete(key);
    else await this.#parts.objects.put(key, bytes);
  }
}

function keyIn({ conversation_id: id }: ArchivedRow): string {
  return archivedKey(String(id));
}

function keysIn(rows: readonly ArchivedRow[]): ReadonlySet<string> {
  return new Set(rows.map(keyIn));
}

/** A column as it was written: the file may be of another version. */
function columnOf({
  name,
  type,
  repetition_type,
  converted_type,
  logical_type,
}: ReturnType<typeof columnsIn>[number]): ExportColumn {
  return { name, kind: kindOf(type, converted_type ?? logical_type?.type), always: repetition_type === 'REQUIRED' };
}

function kindOf(type: string | undefined, meaning: string | undefined): ColumnKind {
  switch (type) {
    case 'BOOLEAN':
      return 'boolean';
    case 'INT32':
      return 'int32';
    case 'DOUBLE':
      return 'double';
    case 'INT64':
      return meaning?.startsWith('TIMESTAMP') === true ? 'time' : 'int64';
    default:
      return meaning === undefined ? 'bytes' : 'text';
  }
}
