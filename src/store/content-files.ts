/**
 * The spans of closed turns, in files beside the database: written once, in order, and synced before the transaction that
 * refers to them commits. In the database they would be written twice (its log, then its pages) and push the rows that
 * are searched apart; measured, that was most of the cost of storing.
 *
 * States of a piece, and what a crash does there:
 *   buffered   by `append`, in memory             lost with its transaction
 *   flushed    by `flush`, before the commit      bytes behind the last committed piece: cut at the next start
 *   committed  a row refers to it                 stays until retention drops the row
 *
 * A file goes when no row refers to it any more; one that has become mostly empty is copied forward first.
 */
import {
  closeSync,
  fdatasyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';

export interface ContentPlace {
  readonly file: number;
  readonly offset: number;
  readonly length: number;
}

const FILE_BYTES_MAX = 128 << 20;
const OPEN_FILES_MAX = 64;
const SUFFIX = '.content';

export class ContentFiles {
  readonly #directory: string;
  readonly #durable: boolean;
  readonly #reader: ContentReader;
  #file: number;
  #descriptor: number | undefined;
  /** Where the next flush begins. */
  #end: number;
  #buffered: Uint8Array[] = [];
  #bufferedBytes = 0;

  constructor(
    directory: string,
    options: { readonly durable: boolean; readonly last: { readonly file: number; readonly end: number } },
  ) {
    this.#directory = directory;
    this.#durable = options.durable;
    mkdirSync(directory, { recursive: true });
    this.#reader = new ContentReader(directory);
    this.#file = options.last.file;
    this.#end = options.last.end;
    // Files behind the last one that a row refers to hold nothing but what was never committed.
    for (const file of listFiles(directory)) if (file > options.last.file) rmSync(fileName(directory, file));
  }

  /** The place at which the bytes will be. They are kept until `flush` and must not change. */
  append(bytes: Uint8Array): ContentPlace {
    if (this.#end + this.#bufferedBytes + bytes.length > FILE_BYTES_MAX && this.#end + this.#bufferedBytes > 0)
      this.#roll();
    const place = { file: this.#file, offset: this.#end + this.#bufferedBytes, length: bytes.length };
    this.#buffered.push(bytes);
    this.#bufferedBytes += bytes.length;
    return place;
  }

  read(place: ContentPlace): Uint8Array {
    if (place.file === this.#file && place.offset >= this.#end) {
      const waiting = this.#findBuffered(place);
      if (waiting !== undefined) return waiting;
    }
    return this.#reader.read(place);
  }

  /** Puts everything on disk; belongs before the commit of the rows that refer to it. */
  flush(): void {
    if (this.#bufferedBytes === 0) return;
    const descriptor = this.#open();
    const bytes = Buffer.concat(this.#buffered, this.#bufferedBytes);
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(descriptor, bytes, written, bytes.length - written, this.#end + written);
    }
    if (this.#durable) fdatasyncSync(descriptor);
    this.#end += bytes.length;
    this.#buffered = [];
    this.#bufferedBytes = 0;
  }

  /** After a rollback: what was appended since the last flush is gone. */
  discard(): void {
    this.#buffered = [];
    this.#bufferedBytes = 0;
  }

  isCurrent(file: number): boolean {
    return file === this.#file;
  }

  remove(file: number): void {
    this.#reader.forget(file);
    rmSync(fileName(this.#directory, file), { force: true });
  }

  close(): void {
    this.#reader.close();
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #roll(): void {
    this.flush();
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
    this.#file += 1;
    this.#end = 0;
  }

  #open(): number {
    if (this.#descriptor !== undefined) return this.#descriptor;
    const name = fileName(this.#directory, this.#file);
    const descriptor = openSync(name, this.#end === 0 ? 'w+' : 'r+');
    ftruncateSync(descriptor, this.#end);
    this.#descriptor = descriptor;
    return descriptor;
  }

  #findBuffered(place: ContentPlace): Uint8Array | undefined {
    let at = this.#end;
    for (const bytes of this.#buffered) {
      if (at === place.offset) return bytes.length === place.length ? bytes : undefined;
      at += bytes.length;
    }
    return undefined;
  }
}

/** Reads pieces from any thread or process. */
export class ContentReader {
  readonly #directory: string;
  /** Descriptors by file, first opened first. */
  readonly #open = new Map<number, number>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  read({ file, offset, length }: ContentPlace): Uint8Array {
    const bytes = Buffer.allocUnsafeSlow(length);
    const descriptor = this.#descriptorOf(file);
    for (let filled = 0; filled < length; ) {
      const count = readSync(descriptor, bytes, filled, length - filled, offset + filled);
      if (count === 0)
        throw new Error(`store: ${length} bytes at ${offset} reach past the end of ${fileName(this.#directory, file)}`);
      filled += count;
    }
    return bytes;
  }

  forget(file: number): void {
    const descriptor = this.#open.get(file);
    if (descriptor !== undefined) closeSync(descriptor);
    this.#open.delete(file);
  }

  close(): void {
    for (const file of [...this.#open.keys()]) this.forget(file);
  }

  #descriptorOf(file: number): number {
    const known = this.#open.get(file);
    if (known !== undefined) return known;
    if (this.#open.size >= OPEN_FILES_MAX) for (const oldest of [...this.#open.keys()].slice(0, 1)) this.forget(oldest);
    const descriptor = openSync(fileName(this.#directory, file), 'r');
    this.#open.set(file, descriptor);
    return descriptor;
  }
}

export function contentDirectory(storeFile: string): string {
  return path.join(path.dirname(storeFile), 'content');
}

function fileName(directory: string, file: number): string {
  return path.join(directory, `${String(file).padStart(8, '0')}${SUFFIX}`);
}

function listFiles(directory: string): number[] {
  return readdirSync(directory)
    .filter((name) => /^\d+\.content$/.test(name))
    .map((name) => Number(name.slice(0, -SUFFIX.length)));
}
