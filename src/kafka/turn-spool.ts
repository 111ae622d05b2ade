/**
 * The bytes of open turns, in files: an open turn knows only where its spans lie, so that many of them fit into memory.
 * Kafka has them all; so nothing here is synced, and everything is gone at the next start.
 *
 * Positions only grow, and name a byte permanently. A file is as `JournalReader` reads them: `<base>.segment`, the byte
 * at position p lying at p - base. It goes when nothing in it is needed.
 */
import { closeSync, mkdirSync, openSync, rmSync, truncateSync, writevSync } from 'node:fs';
import path from 'node:path';

interface Segment {
  readonly base: number;
  readonly file: number;
  bytes: number;
  /** Entries that somebody still needs. */
  entries: number;
}

const SEGMENT_BYTES = 64 << 20;
/**
 * Positions that no entry has, between one file and the next. A reader of several entries reads those within a few
 * kilobytes of each other in one go (`trace-content.ts`), and must not read past the end of a file.
 */
const GAP_BETWEEN_FILES = 64 << 10;

const NOTHING = new Uint8Array(1);
/** Most pieces that systems take in a single write. */
const PIECES_MAX = 1024;

export class TurnSpool {
  readonly directory: string;
  readonly #segmentBytes: number;
  /** Segments in order of their bases; the last is written to. */
  readonly #segments: Segment[] = [];
  #end = 0;

  constructor(directory: string, options: { readonly segmentBytes: number } = { segmentBytes: SEGMENT_BYTES }) {
    this.directory = directory;
    this.#segmentBytes = options.segmentBytes;
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
    this.#roll();
  }

  /** Disk that is held: a file goes as a whole. */
  get bytes(): number {
    let bytes = 0;
    for (const segment of this.#segments) bytes += segment.bytes;
    return bytes;
  }

  /** Position of the next entry; everything before it is final. */
  get end(): number {
    return this.#end;
  }

  /**
   * Writes entries in one go, since a call for each of many small ones costs more than the bytes do, and gives their
   * positions. If it throws, none of them is stored.
   */
  append(entries: readonly Uint8Array[]): readonly number[] {
    let segment = this.#current();
    if (this.#end - segment.base >= this.#segmentBytes) segment = this.#roll();
    const positions: number[] = [];
    const pieces: Uint8Array[] = [];
    let end = this.#end;
    for (const entry of entries) {
      positions.push(end);
      // An empty entry takes a byte as well, so that positions name one entry each.
      const piece = entry.length === 0 ? NOTHING : entry;
      pieces.push(piece);
      end += piece.length;
    }
    writeAll(segment.file, pieces, this.#end - segment.base);
    segment.entries += entries.length;
    segment.bytes += end - this.#end;
    this.#end = end;
    return positions;
  }

  /** Releases an entry that will not be read again. */
  release(position: number): void {
    const index = this.#segments.findLastIndex(({ base }) => base <= position);
    const segment = this.#segments[index];
    if (segment === undefined) throw new Error(`spool: no file holds position ${position}`);
    segment.entries -= 1;
    if (segment.entries > 0 || index === this.#segments.length - 1) return;
    this.#segments.splice(index, 1);
    this.#remove(segment);
  }

  close(): void {
    for (const segment of this.#segments) closeSync(segment.file);
    this.#segments.length = 0;
    rmSync(this.directory, { recursive: true, force: true });
  }

  #current(): Segment {
    const segment = this.#segments.at(-1);
    if (segment === undefined) throw new Error('spool: it has been closed');
    return segment;
  }

  #roll(): Segment {
    const last = this.#segments.at(-1);
    if (last !== undefined) this.#end += GAP_BETWEEN_FILES;
    const segment = { base: this.#end, file: openSync(this.#path(this.#end), 'w'), bytes: 0, entries: 0 };
    this.#segments.push(segment);
    if (last !== undefined && last.entries === 0) {
      this.#segments.splice(this.#segments.indexOf(last), 1);
      this.#remove(last);
    }
    return segment;
  }

  #remove(segment: Segment): void {
    closeSync(segment.file);
    const file = this.#path(segment.base);
    // A reader may have it open, and with it the disk.
    truncateSync(file, 0);
    rmSync(file, { force: true });
  }

  #path(base: number): string {
    return path.join(this.directory, `${String(base).padStart(16, '0')}.segment`);
  }
}

function writeAll(file: number, pieces: Uint8Array[], position: number): void {
  let at = position;
  for (let from = 0; from < pieces.length; ) {
    let written = writevSync(file, pieces.slice(from, from + PIECES_MAX), at);
    at += written;
    for (let piece = pieces[from]; piece !== undefined && written >= piece.length; piece = pieces[from]) {
      written -= piece.length;
      from += 1;
    }
    const rest = pieces[from];
    if (written > 0 && rest !== undefined) pieces[from] = rest.subarray(written);
  }
}
