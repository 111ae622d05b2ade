/** Where pieces of content lie, and reading them: from any thread or process. The files are written by `content-files.ts`. */
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import path from 'node:path';

export interface ContentPlace {
  readonly file: number;
  readonly offset: number;
  readonly length: number;
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

  read({ file, offset, length }: ContentPlace): Uint8Array {
    const bytes = Buffer.allocUnsafeSlow(length);
    const descriptor = this.#descriptorOf(file);
    for (let filled = 0; filled < length; ) {
      const count = readSync(descriptor, bytes, filled, length - filled, offset + filled);
      if (count === 0)
        throw new Error(
          `store: ${length} bytes at ${offset} reach past the end of ${contentFile(this.#directory, file)}`,
        );
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
    const descriptor = openSync(contentFile(this.#directory, file), 'r');
    this.#open.set(file, descriptor);
    return descriptor;
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
