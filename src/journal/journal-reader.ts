/**
 * Reads stretches of the journal by position, from any thread. The caller must hold rows of the segment it reads (see
 * `Journal.release`), so that the file can't be recycled under it.
 */
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { BlockCache } from './block-cache.ts';
import { segmentPath } from './segment-files.ts';

/** Open turns reach back a few segments; more open files than this would only cache what is not read again. */
const OPEN_FILES_MAX = 64;

export class JournalReader {
  readonly #directory: string;
  /** base -> file descriptor, least recently opened first. */
  readonly #files = new Map<number, number>();
  #bases: number[] = [];
  #knownEnd = 0;
  #blocks = this.#newBlocks();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Everything before this position is durable and will not change. Bytes that `read` returned before must not be used
   * any more.
   */
  completeTo(position: number): void {
    this.#blocks.completeTo(position);
  }

  /** The bytes may lie in a block that they share with others, and hold until the next `completeTo`. */
  read(position: number, length: number): Uint8Array {
    return this.#blocks.read(position, length);
  }

  readInto(target: Uint8Array, position: number): void {
    const base = this.#baseOf(position);
    const file = this.#fileOf(base);
    let filled = 0;
    while (filled < target.length) {
      const count = readSync(file, target, filled, target.length - filled, position - base + filled);
      if (count === 0)
        throw new Error(`journal: ${target.length} bytes at ${position} reach past the end of segment ${base}`);
      filled += count;
    }
  }

  /** Segments have been rewritten: reads their files again, and keeps nothing of before. */
  reopen(): void {
    this.close();
    this.#blocks = this.#newBlocks();
  }

  close(): void {
    for (const file of this.#files.values()) closeSync(file);
    this.#files.clear();
  }

  #newBlocks(): BlockCache {
    return new BlockCache((target, position) => this.readInto(target, position));
  }

  /** The newest base at or below the position. The directory is read again once the position lies behind what is known. */
  #baseOf(position: number): number {
    if (position >= this.#knownEnd) this.#refresh();
    let low = 0;
    let high = this.#bases.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#bases[middle] ?? Number.POSITIVE_INFINITY) <= position) low = middle;
      else high = middle - 1;
    }
    const base = this.#bases[low];
    if (base === undefined || base > position) throw new Error(`journal: no segment holds position ${position}`);
    return base;
  }

  #refresh(): void {
    this.#bases = listBases(this.#directory);
    const newest = this.#bases.at(-1);
    if (newest !== undefined) this.#knownEnd = newest + statSync(segmentPath(this.#directory, newest)).size;
  }

  #fileOf(base: number): number {
    const known = this.#files.get(base);
    if (known !== undefined) return known;
    if (this.#files.size >= OPEN_FILES_MAX) {
      const [oldest] = this.#files;
      if (oldest !== undefined) {
        closeSync(oldest[1]);
        this.#files.delete(oldest[0]);
      }
    }
    const file = openSync(segmentPath(this.#directory, base), 'r');
    this.#files.set(base, file);
    return file;
  }
}

function listBases(directory: string): number[] {
  return readdirSync(directory)
    .filter((name) => /^\d+\.segment$/.test(name))
    .map((name) => Number(name.slice(0, -'.segment'.length)))
    .sort((a, b) => a - b);
}
