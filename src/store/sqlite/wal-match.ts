/**
 * Whether a database and its WAL belong together. SQLite does not find in the structure that one of them is a copy from
 * another time, and mixes the pages of both.
 *
 *   WAL = magic, version, page size u32, checkpoint u32, salts 2 x u32, ... (32 bytes), frame*
 *   frame = page's number u32, size of the database in pages after a commit or 0 u32, salts, ... (24 bytes), page
 *
 * Frames with other salts are from before: the file keeps its size when it is written from the beginning again. It is
 * written from the beginning once the database has all that is in it. So three things hold:
 *
 *   1. the database has the pages that lie before those in the WAL;
 *   2. alone, it has no commit that it lacks together with its WAL;
 *   3. alone, it has the commits from before its WAL began. The first or second commit of each WAL notes them, with the
 *      salt of the WAL (`Store`).
 */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

/** Names of numbers that the store keeps. */
export const WAL_SALT = 'wal_salt';
export const WAL_FROM = 'wal_from';

const HEAD_BYTES = 32;
const FRAME_HEAD_BYTES = 24;
/** The last bit says in which order its checksums read bytes. */
const MAGIC = 0x377f0682;
/** SQLite's own allowance for pages that were never written. */
const UNWRITTEN_BYTES = 64 << 10;
/** Both salts, in a number that a double holds. */
const SECOND_SALT_BITS = 21;

/** Reads the salt of a WAL that is being written. */
export class WalHead {
  readonly #file: string;
  #descriptor: number | undefined;

  constructor(file: string) {
    this.#file = `${file}-wal`;
  }

  /** Undefined where there is none. */
  salt(): number | undefined {
    try {
      this.#descriptor ??= openSync(this.#file, 'r');
      return saltIn(readAt(this.#descriptor, 0, HEAD_BYTES));
    } catch {
      // Without the note, two of the three things are still compared.
      return undefined;
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

/** `noted` are the numbers that the database has together with its WAL. */
export function fitsWal(file: string, noted: ReadonlyMap<string, number>): boolean {
  const wal = `${file}-wal`;
  if ((statSync(wal, { throwIfNoEntry: false })?.size ?? 0) <= HEAD_BYTES) return true;
  const descriptor = openSync(wal, 'r');
  try {
    const head = readAt(descriptor, 0, HEAD_BYTES);
    const salt = saltIn(head);
    if (salt === undefined) return true;
    if (isTooSmall(file, descriptor, head)) return false;
    const alone = commitsAlone(file);
    if (alone === undefined) return true;
    const from = noted.get(WAL_SALT) === salt ? (noted.get(WAL_FROM) ?? 0) : 0;
    return alone >= from && alone <= (noted.get('commits') ?? 0);
  } finally {
    closeSync(descriptor);
  }
}

function isTooSmall(file: string, wal: number, head: Buffer): boolean {
  const { size } = fstatSync(wal);
  const pageBytes = head.readUInt32BE(8);
  let [frames, pages] = [0, 0];
  for (let at = HEAD_BYTES; at + FRAME_HEAD_BYTES + pageBytes <= size; at += FRAME_HEAD_BYTES + pageBytes) {
    const frame = readAt(wal, at, FRAME_HEAD_BYTES);
    if (!frame.subarray(8, 16).equals(head.subarray(16, 24))) break;
    frames += 1;
    pages = frame.readUInt32BE(4) || pages;
  }
  return pages * pageBytes > statSync(file).size + frames * pageBytes + UNWRITTEN_BYTES;
}

/** Undefined where a crash has left a part of what was being moved from the WAL into the database. */
function commitsAlone(file: string): number | undefined {
  let database: DatabaseSync | undefined;
  try {
    const url = pathToFileURL(file);
    url.searchParams.set('immutable', '1');
    database = new DatabaseSync(url, { readOnly: true });
    const row = database.prepare("SELECT value FROM meta WHERE key = 'commits'").get();
    return row === undefined ? undefined : Number(row.value);
  } catch {
    return undefined;
  } finally {
    database?.close();
  }
}

function saltIn(head: Buffer): number | undefined {
  if ((head.readUInt32BE(0) & ~1) >>> 0 !== MAGIC) return undefined;
  const low = head.readUInt32BE(20) >>> (32 - SECOND_SALT_BITS);
  return head.readUInt32BE(16) * 2 ** SECOND_SALT_BITS + low;
}

function readAt(descriptor: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  readSync(descriptor, bytes, 0, length, at);
  return bytes;
}
