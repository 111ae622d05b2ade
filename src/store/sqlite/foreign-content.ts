/**
 * Whether a content file is this store's, by a few of the pieces that rows refer to: the head of a piece has the checksum
 * that the row has. A fault of the disk damages some of them, and a file of another store has none. The samples are a
 * few reads for each file of up to 128 MiB, so a start affords them whatever the store holds.
 */
import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { DamagedContent } from '../damaged-content.ts';
import { PIECE_HEAD_BYTES, writePieceHead } from './content-piece.ts';
import { contentFile, ContentReader } from './content-reader.ts';

const SAMPLES = 8;

type Row = Record<string, unknown>;

export interface ForeignFile {
  readonly file: number;
  /** Pieces that were looked for. None was there. */
  readonly samples: number;
}

/** Files with their sizes in bytes. A file is taken for the store's own if no row of it has a checksum. */
export function findForeign(
  database: DatabaseSync,
  directory: string,
  files: readonly { readonly file: number; readonly size: number }[],
): readonly ForeignFile[] {
  const reader = new ContentReader(directory);
  try {
    return files.flatMap(({ file, size }) => {
      if (!existsSync(contentFile(directory, file))) return [];
      const rows = sampleRows(database, file).filter((row) => isChecked(row) && endOf(row) <= size);
      const isForeign = rows.length > 0 && rows.every((row) => !isThere(reader, row));
      return isForeign ? [{ file, samples: rows.length }] : [];
    });
  } finally {
    reader.close();
  }
}

/** Rows of the file, about evenly spread over it; each is one search in an index. */
function sampleRows(database: DatabaseSync, file: number): readonly Row[] {
  // All columns, because a store that has not been migrated has no checksums.
  const first = database.prepare('SELECT * FROM traces WHERE content_file = ? ORDER BY id LIMIT 1').get(file);
  const last = database.prepare('SELECT * FROM traces WHERE content_file = ? ORDER BY id DESC LIMIT 1').get(file);
  if (first === undefined || last === undefined) return [];
  const next = database.prepare('SELECT * FROM traces WHERE content_file = ? AND id >= ? ORDER BY id LIMIT 1');
  const [from, to] = [Number(first.id), Number(last.id)];
  const found = new Map([first, last].map((row) => [row.id, row]));
  for (let sample = 1; sample < SAMPLES - 1; sample += 1) {
    const row = next.get(file, from + Math.floor(((to - from) * sample) / (SAMPLES - 1)));
    if (row !== undefined) found.set(row.id, row);
  }
  return [...found.values()];
}

function isChecked(row: Row): boolean {
  return typeof row.content_crc === 'number';
}

function endOf(row: Row): number {
  return Number(row.content_offset) + Number(row.spans_length) + Number(row.logs_length);
}

/** Its head is, or its body. */
function isThere(reader: ContentReader, row: Row): boolean {
  const [offset, spans, logs] = [Number(row.content_offset), Number(row.spans_length), Number(row.logs_length)];
  const [file, crc] = [Number(row.content_file), Number(row.content_crc)];
  const place = { file, offset, length: spans + logs };
  try {
    const head = reader.read({ file, offset: offset - PIECE_HEAD_BYTES, length: PIECE_HEAD_BYTES });
    if (writePieceHead(crc, { spans, logs }).equals(head)) return true;
    reader.read({ ...place, crc });
    return true;
  } catch (error) {
    if (error instanceof DamagedContent) return false;
    throw error;
  }
}
