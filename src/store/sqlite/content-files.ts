/**
 * The spans of closed turns, in files beside the database: written once, in order, and synced before the transaction that
 * refers to them commits. In the database they would be written twice (its log, then its pages) and push the rows that
 * are searched apart; measured, that was most of the cost of storing.
 *
 * States of a piece, and what a crash does there:
 *   appended   in memory                              lost with its transaction
 *   written    a stretch at a time, and by `flush`    bytes behind the last committed piece: cut at the next start
 *   committed  a row refers to it                     stays until retention drops the row
 *
 * Each flush begins a new block of the file, so that a write never touches a block that holds committed bytes.
 *
 * The memory is a ring: byte `o` of the current file is at `o` modulo its size, and can be read there until the ring has
 * come round. A conversation that ends is often put together from turns that were stored seconds before; reading those
 * from the disk measured half a millisecond each.
 *
 * A file goes when no row refers to it any more; one that has become mostly empty is copied forward first.
 */
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { type ContentPlace, ContentReader, contentDirectory, contentFile, listContentFiles } from './content-reader.ts';
import { PIECE_HEAD_BYTES, pieceChecksum, writePieceHead } from './content-piece.ts';
import { BLOCK_BYTES, DirectFile, pageAligned } from './direct-file.ts';

/** A whole number of rings, so that none is cut by the end of a file. */
const FILE_BYTES_MAX = 128 << 20;
const RING_BYTES = 16 << 20;
/** Larger writes measured no faster. */
const WRITE_BYTES = 4 << 20;

export class ContentFiles {
  readonly #directory: string;
  readonly #durable: boolean;
  readonly #reader: ContentReader;
  readonly #ring = pageAligned(RING_BYTES);
  #number: number;
  #file: DirectFile | undefined;
  /** flushed <= written <= appended, in the current file; the first two are whole blocks. */
  #flushed: number;
  #written: number;
  #appended: number;
  /** The ring holds what was appended at and after this offset. */
  #ringFrom: number;

  constructor(
    directory: string,
    options: { readonly durable: boolean; readonly last: { readonly file: number; readonly end: number } },
  ) {
    const { last } = options;
    this.#directory = directory;
    this.#durable = options.durable;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#reader = new ContentReader(directory);
    // A file that has lost its end is read as far as it goes, and never filled up.
    const isWhole = sizeOf(contentFile(directory, last.file)) >= last.end;
    const end = isWhole ? last.end : 0;
    this.#number = isWhole ? last.file : last.file + 1;
    this.#flushed = wholeBlocks(end);
    this.#written = this.#flushed;
    this.#appended = this.#flushed;
    this.#ringFrom = this.#flushed;
    // Behind what rows refer to lies nothing but what was never committed: `examine-store.ts` made sure at the start.
    for (const file of listContentFiles(directory)) if (file > last.file) rmSync(contentFile(directory, file));
    this.#file = new DirectFile(contentFile(directory, this.#number), end);
  }

  /** Its folder is beside the store's file. */
  static beside(storeFile: string, options: ConstructorParameters<typeof ContentFiles>[1]): ContentFiles {
    return new ContentFiles(contentDirectory(storeFile), options);
  }

  /** Takes a copy of spans and log records, as one piece, and gives the place where it will be. */
  append(spans: Uint8Array, logs?: Uint8Array): ContentPlace {
    const bodies = logs === undefined ? [spans] : [spans, logs];
    const length = spans.length + (logs?.length ?? 0);
    if (this.#appended + PIECE_HEAD_BYTES + length > FILE_BYTES_MAX && this.#appended > 0) this.beginFile();
    const crc = pieceChecksum(bodies);
    const place = { file: this.#number, offset: this.#appended + PIECE_HEAD_BYTES, length, crc };
    this.#keep(writePieceHead(crc, { spans: spans.length, logs: logs?.length ?? 0 }));
    for (const body of bodies) this.#keep(body);
    return place;
  }

  read(place: ContentPlace): Uint8Array {
    const { file, offset, length } = place;
    // Bytes in memory need no check.
    if (file !== this.#number) return this.#reader.read(place);
    if (offset >= this.#ringFrom) return this.#fromRing(offset, length);
    if (offset + length <= this.#written) return this.#reader.read(place);
    // A piece as large as the ring: its beginning has been written, its end has not.
    const head = this.#written - offset;
    return Buffer.concat([
      this.#reader.read({ file, offset, length: head }),
      this.#fromRing(this.#written, length - head),
    ]);
  }

  /** Puts everything on disk; belongs before the commit of the rows that refer to it. */
  flush(): void {
    const end = wholeBlocks(this.#appended);
    const at = this.#appended % RING_BYTES;
    this.#ring.fill(0, at, at + end - this.#appended);
    this.#move(end);
    this.#writeTo(end);
    if (end === this.#flushed) return;
    if (this.#durable) this.#file?.sync();
    this.#flushed = end;
  }

  /** After a rollback: what was appended since the last flush is gone. */
  discard(): void {
    this.#appended = this.#flushed;
    this.#written = this.#flushed;
    // The space of the lost bytes stays lost to the ring.
    this.#ringFrom = Math.min(this.#ringFrom, this.#flushed);
  }

  isCurrent(file: number): boolean {
    return file === this.#number;
  }

  remove(file: number): void {
    this.#reader.forget(file);
    rmSync(contentFile(this.#directory, file), { force: true });
  }

  /**
   * Overwrites committed pieces, durably. Later writes begin at another block, and what was written behind the last
   * flush and rolled back is cut.
   */
  wipe(file: number, ranges: readonly { readonly offset: number; readonly length: number }[]): void {
    const name = contentFile(this.#directory, file);
    if (!existsSync(name)) return;
    const descriptor = openSync(name, 'r+');
    try {
      // A file that lost its end keeps its size, so that the loss is still seen.
      const { size } = fstatSync(descriptor);
      for (const { offset, length } of ranges) fill(descriptor, offset, Math.min(length, size - offset));
      if (this.isCurrent(file) && this.#appended === this.#flushed) ftruncateSync(descriptor, this.#flushed);
      fdatasyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  close(): void {
    this.#reader.close();
    this.#file?.close();
    this.#file = undefined;
  }

  #keep(piece: Uint8Array): void {
    for (let from = 0; from < piece.length; ) {
      const at = this.#appended % RING_BYTES;
      // In steps of a write, so that nothing is overwritten in the ring before it is in the file.
      const to = Math.min(piece.length, from + WRITE_BYTES, from + RING_BYTES - at);
      this.#ring.set(from === 0 && to === piece.length ? piece : piece.subarray(from, to), at);
      this.#move(this.#appended + to - from);
      from = to;
      if (this.#appended - this.#written >= WRITE_BYTES) {
        this.#writeTo(this.#appended - (this.#appended % BLOCK_BYTES));
      }
    }
  }

  #move(appended: number): void {
    this.#appended = appended;
    this.#ringFrom = Math.max(this.#ringFrom, appended - RING_BYTES);
  }

  /** Writes up to `end`, a whole number of blocks. */
  #writeTo(end: number): void {
    this.#file ??= new DirectFile(contentFile(this.#directory, this.#number), this.#written);
    while (this.#written < end) {
      const at = this.#written % RING_BYTES;
      const length = Math.min(end - this.#written, RING_BYTES - at);
      this.#file.write(this.#ring.subarray(at, at + length), this.#written);
      this.#written += length;
    }
  }

  #fromRing(offset: number, length: number): Uint8Array {
    const at = offset % RING_BYTES;
    if (at + length <= RING_BYTES) return this.#ring.slice(at, at + length);
    return Buffer.concat([this.#ring.subarray(at), this.#ring.subarray(0, at + length - RING_BYTES)]);
  }

  /** Later appends go to another file. */
  beginFile(): void {
    this.flush();
    this.#file?.close();
    this.#file = undefined;
    this.#number += 1;
    this.#flushed = 0;
    this.#written = 0;
    this.#appended = 0;
    this.#ringFrom = 0;
  }
}

export function wholeBlocks(length: number): number {
  return Math.ceil(length / BLOCK_BYTES) * BLOCK_BYTES;
}

const ZEROS = Buffer.alloc(1 << 16);

function fill(descriptor: number, offset: number, length: number): void {
  for (let written = 0; written < length; )
    written += writeSync(descriptor, ZEROS, 0, Math.min(ZEROS.length, length - written), offset + written);
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
