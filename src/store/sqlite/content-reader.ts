/** Where pieces of content lie, and reading them: from any thread or process. The files are written by `content-files.ts`. */
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { DamagedContent } from '../damaged-content.ts';

export interface ContentPlace {
  readonly file: number;
  readonly offset: number;
  readonly length: number;
  /** Undefined for what an earlier version stored. */
  readonly crc?: number | undefined;
}

const OPEN_FILES_MAX = 64;
const SUFFIX = '.content';

export class ContentReader {
  readonly #directory: string;
  /** Descriptors by file, first opened first. */
  readonly #open = new Map<number, number>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Throws `DamagedContent` where the place does not hold what was stored there. */
  read(place: ContentPlace): Uint8Array {
    const { offset, length, crc } = place;
    const bytes = Buffer.allocUnsafeSlow(length);
    const descriptor = this.#descriptorOf(place);
    for (let filled = 0; filled < length; ) {
      const count = readSync(descriptor, bytes, filled, length - filled, offset + filled);
      if (count === 0) throw this.#damaged(place, 'the file ends before them');
      filled += count;
    }
    if (crc !== undefined && crc32(bytes) !== crc) throw this.#damaged(place, 'they fail their checksum');
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

  #damaged({ file, offset, length }: ContentPlace, because: string): DamagedContent {
    return new DamagedContent({ file: contentFile(this.#directory, file), offset, length }, because);
  }

  #descriptorOf(place: ContentPlace): number {
    const { file } = place;
    const known = this.#open.get(file);
    if (known !== undefined) return known;
    if (this.#open.size >= OPEN_FILES_MAX) for (const oldest of [...this.#open.keys()].slice(0, 1)) this.forget(oldest);
    const descriptor = this.#opened(place);
    this.#open.set(file, descriptor);
    return descriptor;
  }

  #opened(place: ContentPlace): number {
    try {
      return openSync(contentFile(this.#directory, place.file), 'r');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
        throw this.#damaged(place, 'the file is not there');
      throw error;
    }
  }
}

export function contentDirectory(storeFile: string): string {
  return path.join(path.dirname(storeFile), 'content');
}

export function contentFile(directory: string, file: number): string {
  return path.join(directory, `${String(file).padStart(8, '0')}${SUFFIX}`);
}

export function listContentFiles(directory: string): number[] {
  return readdirSync(directory)
    .filter((name) => /^\d+\.content$/.test(name))
    .map((name) => Number(name.slice(0, -SUFFIX.length)));
}
