/**
 * Holds a store, its content and its mark against each other, without changing anything. docs/decisions/0031 has the
 * states and what each means.
 */
import { existsSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Damage } from '../../model/damage.ts';
import { wholeBlocks } from './content-files.ts';
import { ContentReader, contentDirectory, contentFile, listContentFiles } from './content-reader.ts';
import { findForeign, type ForeignFile } from './foreign-content.ts';
import { readUnchanged } from './read-unchanged.ts';
import { readStoreMark, type StoreMark } from './store-mark.ts';
import { readContent } from './traces.ts';
import { fitsWal } from './wal-match.ts';

export interface ExaminedStore {
  readonly damage: readonly Damage[];
  /** Position of the log up to which it has stored; undefined where there is no store. */
  readonly position: number | undefined;
  /** Position behind what was durable in the log; undefined where there is no store. */
  readonly logEnd: number | undefined;
  /** Undefined where there is no store, or one of a version without an id. */
  readonly mark: StoreMark | undefined;
  /** Undefined if it was looked at quickly. */
  readonly conversations: number | undefined;
  /** Content that no row refers to. */
  readonly unreferenced: Unreferenced;
  /** Content files that are not this store's, although rows refer to files of their names. */
  readonly foreign: readonly number[];
}

export interface Unreferenced {
  /** `uncommitted` content may be cut if the journal has it as well. */
  readonly is: 'uncommitted' | 'orphaned';
  readonly files: readonly number[];
  /** The end of the last file that rows refer to, from an offset on. */
  readonly tail: { readonly file: number; readonly offset: number } | undefined;
}

interface ExamineOptions {
  /** `quick` looks at the structure of a small database, `whole` at all of any. */
  readonly depth: 'quick' | 'whole';
  /** Position at which the first segment of the log begins. */
  readonly logBase: number;
  /** Whether the log shows that something was stored. */
  readonly logWasUsed: boolean;
}

interface ContentRow {
  readonly file: number;
  readonly end: number;
  readonly live: number;
}

type Database =
  | { readonly is: 'missing' }
  | { readonly is: 'unreadable'; readonly because: string }
  | {
      readonly is: 'there';
      readonly id: number | undefined;
      readonly commits: number;
      readonly position: number;
      readonly logEnd: number;
      readonly conversations: number | undefined;
      readonly content: readonly ContentRow[];
      readonly foreign: readonly ForeignFile[];
    };

const QUICK_BYTES_MAX = 256 << 20;
const ANOTHER_WAL =
  'it and its WAL do not fit, so one of the two is from another time; put both back, or move the WAL away to go on with the database alone';

export function examineStore(file: string, options: ExamineOptions): ExaminedStore {
  const mark = readStoreMark(file);
  const database = readUnchanged<Database>(file, (connection) => readDatabase(connection, file, options), {
    is: 'missing',
  });
  const { content: rows, foreign } = database.is === 'there' ? database : { content: [], foreign: [] };
  const content = readContentFiles(file);
  const unreferenced = unreferencedIn(content, rows, foreign);
  const hasUnreferenced = unreferenced.files.length > 0 || unreferenced.tail !== undefined;
  const damage = [
    ...(options.depth === 'whole' && database.is === 'there' ? readUnchanged(file, piecesDamage(file), []) : []),
    ...databaseDamage(database, { file, mark, hasUnreferenced, ...options }),
    ...contentDamage(file, { files: content, rows, foreign }),
  ];
  const isTrusted = mark !== undefined && damage.every(({ kind }) => kind.startsWith('content-'));
  return {
    damage,
    position: database.is === 'there' ? database.position : undefined,
    logEnd: database.is === 'there' ? database.logEnd : undefined,
    mark: markOf(database),
    conversations: database.is === 'there' ? database.conversations : 0,
    unreferenced: { is: isTrusted ? 'uncommitted' : 'orphaned', ...unreferenced },
    foreign: foreign.map((one) => one.file),
  };
}

function markOf(database: Database): StoreMark | undefined {
  if (database.is !== 'there' || database.id === undefined) return undefined;
  return { id: database.id, commits: database.commits };
}

function databaseDamage(
  database: Database,
  found: ExamineOptions & {
    readonly file: string;
    readonly mark: StoreMark | undefined;
    readonly hasUnreferenced: boolean;
  },
): readonly Damage[] {
  const { file, mark, hasUnreferenced, logBase, logWasUsed } = found;
  const of = `${mark?.id ?? 0}:${mark?.commits ?? 0}`;
  if (database.is === 'unreadable') {
    const what = `${file} cannot be read as a database: ${database.because}`;
    return [{ kind: 'store-unreadable', what, losesData: true, key: `store-unreadable:${of}:${sizeOf(file)}` }];
  }
  if (database.is === 'missing') {
    const hasWal = sizeOf(file) === 0 && sizeOf(`${file}-wal`) > 0;
    if (!hasWal && !hasUnreferenced && !logWasUsed && (mark?.commits ?? 0) === 0) return [];
    const proof = hasWal
      ? 'its WAL is there'
      : hasUnreferenced
        ? 'there is content of it'
        : mark === undefined
          ? 'the journal was used'
          : 'its mark is there';
    const what = `${file} is missing or empty, and ${proof}: all conversations of before are lost with it`;
    return [{ kind: 'store-missing', what, losesData: true, key: `store-missing:${of}` }];
  }
  const { id, commits, position } = database;
  if (mark === undefined) {
    if (logBase <= position || !hasUnreferenced) return [];
    const what = `${file} has stored up to position ${position}, the journal begins at ${logBase}, and there is content that the store does not know: it is an older copy, or has lost its WAL`;
    return [{ kind: 'store-behind', what, losesData: true, key: `store-behind:${logBase}:${position}` }];
  }
  if (id !== undefined && id !== mark.id) {
    const what = `${file} is another store's database than the one that was here`;
    return [{ kind: 'store-replaced', what, losesData: true, key: `store-replaced:${of}:${id}` }];
  }
  if (commits >= mark.commits) return [];
  const what = `${file} has ${commits} of its ${mark.commits} commits: its WAL was lost or cut, or it is an older copy`;
  return [{ kind: 'store-behind', what, losesData: true, key: `store-behind:${of}:${commits}` }];
}

function contentDamage(
  storeFile: string,
  {
    files,
    rows,
    foreign,
  }: {
    readonly files: ReadonlyMap<number, number>;
    readonly rows: readonly ContentRow[];
    readonly foreign: readonly ForeignFile[];
  },
): readonly Damage[] {
  const directory = contentDirectory(storeFile);
  return rows.flatMap(({ file, end, live }): Damage[] => {
    const size = files.get(file);
    const name = contentFile(directory, file);
    if (live <= 0) return [];
    // The same loss: at the next start, a foreign file has been set aside and is missing.
    const key = `content-missing:${file}:${end}`;
    const replaced = foreign.find((one) => one.file === file);
    if (replaced !== undefined) {
      const what = `${name} is not this store's: it has none of ${replaced.samples} pieces that were looked for, and ${live} bytes of spans are lost with it`;
      return [{ kind: 'content-replaced', what, losesData: true, key }];
    }
    if (size !== undefined && size >= end) return [];
    if (size === undefined) {
      const what = `${name} is missing, with ${live} bytes of spans`;
      return [{ kind: 'content-missing', what, losesData: true, key }];
    }
    const what = `${name} has ${size} bytes, and rows refer to ${end}`;
    return [{ kind: 'content-short', what, losesData: true, key: `content-short:${file}:${end}:${size}` }];
  });
}

/** Reads all pieces. */
function piecesDamage(file: string): (database: DatabaseSync) => readonly Damage[] {
  return (database) => {
    const reader = new ContentReader(contentDirectory(file));
    let damaged = 0;
    let all = 0;
    const conversations = new Set<number>();
    for (const row of database.prepare('SELECT * FROM traces').iterate()) {
      all += 1;
      try {
        readContent(row, (place) => reader.read(place));
      } catch {
        damaged += 1;
        conversations.add(Number(row.conversation));
      }
    }
    reader.close();
    if (damaged === 0) return [];
    const what = `the spans of ${damaged} of ${all} turns are damaged or gone, in ${conversations.size} conversations`;
    return [{ kind: 'content-damaged', what, losesData: false, key: 'content-damaged' }];
  };
}

function unreferencedIn(
  files: ReadonlyMap<number, number>,
  rows: readonly ContentRow[],
  foreign: readonly ForeignFile[],
): Pick<Unreferenced, 'files' | 'tail'> {
  const known = new Map(rows.map(({ file, end }) => [file, end]));
  const last = Math.max(-1, ...known.keys());
  // A file before the last without a row was removed, or nearly.
  const others = [...files].filter(([file, size]) => size > 0 && !known.has(file) && file > last).map(([file]) => file);
  const end = wholeBlocks(known.get(last) ?? 0);
  const hasTail = (files.get(last) ?? 0) > end && foreign.every(({ file }) => file !== last);
  return { files: others, tail: hasTail ? { file: last, offset: end } : undefined };
}

function readContentFiles(storeFile: string): ReadonlyMap<number, number> {
  const directory = contentDirectory(storeFile);
  if (!existsSync(directory)) return new Map();
  return new Map(listContentFiles(directory).map((file) => [file, sizeOf(contentFile(directory, file))]));
}

function readDatabase(database: DatabaseSync, file: string, { depth }: ExamineOptions): Database {
  try {
    const number = (sql: string, column: string) => Number(database.prepare(sql).get()?.[column] ?? 0);
    if (
      number('PRAGMA user_version', 'user_version') === 0 &&
      number('SELECT count(*) AS n FROM sqlite_schema', 'n') === 0
    )
      return { is: 'missing' };
    const meta = new Map(
      database
        .prepare('SELECT key, value FROM meta')
        .all()
        .map(({ key, value }) => [String(key), Number(value)]),
    );
    if (!fitsWal(file, meta)) return { is: 'unreadable', because: ANOTHER_WAL };
    if (depth === 'whole' || sizeOf(file) <= QUICK_BYTES_MAX) {
      const check = depth === 'whole' ? 'integrity_check' : 'quick_check';
      const found = database.prepare(`PRAGMA ${check}(1)`).get();
      const said = String(Object.values(found ?? {})[0]);
      if (said !== 'ok') return { is: 'unreadable', because: said };
    }
    const content = database
      .prepare('SELECT file, end_offset, live_bytes FROM content_files ORDER BY file')
      .all()
      .map((row) => ({ file: Number(row.file), end: Number(row.end_offset), live: Number(row.live_bytes) }));
    const directory = contentDirectory(file);
    const sizes = content.map((row) => ({ file: row.file, size: sizeOf(contentFile(directory, row.file)) }));
    return {
      is: 'there',
      id: meta.get('id'),
      commits: meta.get('commits') ?? 0,
      position: meta.get('position') ?? 0,
      logEnd: meta.get('log_end') ?? 0,
      // Counting walks an index of all conversations, and a start has no use for the number.
      conversations: depth === 'whole' ? number('SELECT count(*) AS n FROM conversations', 'n') : undefined,
      content,
      foreign: findForeign(database, directory, sizes),
    };
  } catch (error) {
    return { is: 'unreadable', because: error instanceof Error ? error.message : String(error) };
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
