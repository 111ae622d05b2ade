/**
 * The files of the journal: `<base>.segment` holds the log from position `base` on, `spare-<n>` wait to be used again.
 *
 * Segments are filled with zeros before their first use and recycled afterwards: appending to a file whose blocks exist
 * already needs no metadata at each sync, which makes `fdatasync` four to nine times cheaper than on a growing file.
 */
import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { ALIGNMENT, type SegmentHead, writeSegmentHead } from './record.ts';

const SUFFIX = '.segment';
const SPARE_PREFIX = 'spare-';
/** A segment that is being rewritten (`rewrite-segment.ts`). */
export const REWRITE_PREFIX = 'rewrite-';
/** Fewer would fill a new file under load. */
const SPARES_MIN = 2;
/** After a burst its segments are kept for the next one: filling a file writes as much as its records do. */
const SPARES_MAX = 8;
/** Spares that were not needed for so long go: they hold disk, and the bytes that they had as segments. */
const UNUSED_MS = 10 * 60_000;
const FILL_CHUNK_BYTES = 1 << 20;

export interface OpenSegment {
  readonly base: number;
  readonly salt: number;
  readonly capacity: number;
  readonly file: FileHandle;
}

export function segmentPath(directory: string, base: number): string {
  return path.join(directory, `${String(base).padStart(16, '0')}${SUFFIX}`);
}

/** The bases of the segments on disk, in order of the log. */
export async function listSegmentBases(directory: string): Promise<number[]> {
  const names = await readdir(directory);
  return names
    .filter((name) => name.endsWith(SUFFIX) && /^\d+$/.test(name.slice(0, -SUFFIX.length)))
    .map((name) => Number(name.slice(0, -SUFFIX.length)))
    .sort((a, b) => a - b);
}

export class SegmentFiles {
  readonly #directory: string;
  readonly #capacity: number;
  #spareSequence = 0;
  /** The oldest is used first, so that none keeps for ever what it held. */
  #spares: string[] = [];
  /** The smallest number of spares since it was last looked: the first so many were not needed. */
  #unused = 0;
  #looking: NodeJS.Timeout | undefined;
  #isStopped = false;
  /** Segments that are being renamed. */
  #becoming = 0;
  #preparing: Promise<void> | undefined;
  #removing: Promise<void> | undefined;

  private constructor(directory: string, capacity: number) {
    this.#directory = directory;
    this.#capacity = capacity;
  }

  static async at(directory: string, capacity: number): Promise<SegmentFiles> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const files = new SegmentFiles(directory, capacity);
    for (const name of await readdir(directory)) {
      // A spare may be half filled, or of another capacity. Creating a new one is cheaper than finding out.
      if (name.startsWith(SPARE_PREFIX) || name.startsWith(REWRITE_PREFIX)) await rm(path.join(directory, name));
    }
    return files;
  }

  /** A segment ready for records: its head is on disk before the call returns. */
  async create(
    base: number,
    options: { readonly capacityMin: number; readonly logTime: number },
  ): Promise<OpenSegment> {
    const capacity = Math.max(this.#capacity, options.capacityMin);
    const spare = capacity === this.#capacity ? await this.#takeSpare() : undefined;
    const source = spare ?? (await this.#fill(capacity));
    let file: FileHandle | undefined;
    try {
      file = await open(source, 'r+');
      const head: SegmentHead = { salt: randomBytes(4).readUInt32LE(0), capacity, base, logTime: options.logTime };
      await file.write(writeSegmentHead(head), 0, ALIGNMENT, 0);
      await file.datasync();
      await rename(source, segmentPath(this.#directory, base));
      await syncDirectory(this.#directory);
      return { base, salt: head.salt, capacity, file };
    } catch (error) {
      await file?.close();
      // The file is no spare any more, and may hold forgotten bytes.
      await rm(source, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  /** Makes a spare beforehand, so that rolling over does not wait for a file to be filled. */
  prepare(): Promise<void> {
    this.#preparing ??= this.#prepareOne().finally(() => {
      this.#preparing = undefined;
    });
    return this.#preparing;
  }

  /**
   * Gives a segment back that no open turn needs. A spare holds its old bytes until it is written over, so one that was
   * not full must not become one: what lies at its end would never be overwritten.
   */
  async recycle(
    base: number,
    { capacity, isFull }: { readonly capacity: number; readonly isFull: boolean },
  ): Promise<void> {
    const source = segmentPath(this.#directory, base);
    if (!isFull || capacity !== this.#capacity || this.#spares.length + this.#becoming >= SPARES_MAX) {
      await rm(source, { force: true });
      return;
    }
    const spare = this.#nextSpare();
    this.#becoming += 1;
    try {
      await rename(source, spare);
    } finally {
      this.#becoming -= 1;
    }
    this.#spares.push(spare);
    if (this.#spares.length > SPARES_MIN) this.#lookLater();
  }

  /** Removes the spares, and with them what they held as segments. */
  async dropSpares(): Promise<void> {
    await this.#preparing?.catch(() => undefined);
    await this.#removing?.catch(() => undefined);
    await this.#remove(this.#spares.length);
  }

  /** Resolves when no file will be removed any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#looking);
    this.#looking = undefined;
    await this.#removing;
  }

  #lookLater(): void {
    if (this.#looking !== undefined || this.#isStopped) return;
    this.#unused = this.#spares.length;
    const look = () => {
      this.#looking = undefined;
      // After a failure it is a spare again.
      this.#removing = this.#remove(Math.max(0, this.#unused - SPARES_MIN)).catch(() => undefined);
      if (this.#spares.length > SPARES_MIN) this.#lookLater();
    };
    this.#looking = setTimeout(look, UNUSED_MS).unref();
  }

  /** The oldest first. One that cannot be removed stays a spare. */
  async #remove(count: number): Promise<void> {
    for (let left = count; left > 0 && this.#spares.length > 0; left -= 1) {
      const spare = this.#spares.shift() ?? '';
      this.#unused = Math.min(this.#unused, this.#spares.length);
      try {
        await rm(spare, { force: true });
      } catch (error) {
        this.#spares.unshift(spare);
        throw error;
      }
    }
  }

  async #prepareOne(): Promise<void> {
    if (this.#spares.length === 0) this.#spares.push(await this.#fill(this.#capacity));
  }

  async #takeSpare(): Promise<string | undefined> {
    await this.#preparing;
    const spare = this.#spares.shift();
    this.#unused = Math.min(this.#unused, this.#spares.length);
    return spare;
  }

  #nextSpare(): string {
    this.#spareSequence += 1;
    return path.join(this.#directory, `${SPARE_PREFIX}${this.#spareSequence}`);
  }

  async #fill(capacity: number): Promise<string> {
    const target = this.#nextSpare();
    const file = await open(target, 'w', 0o600);
    try {
      const zeros = Buffer.alloc(Math.min(FILL_CHUNK_BYTES, capacity));
      for (let at = 0; at < capacity; at += zeros.length) {
        await file.write(zeros, 0, Math.min(zeros.length, capacity - at), at);
      }
      await file.sync();
    } catch (error) {
      await rm(target, { force: true });
      throw error;
    } finally {
      await file.close();
    }
    return target;
  }
}

/** A renamed file survives power loss only once its directory is on disk. */
export async function syncDirectory(name: string): Promise<void> {
  const directory = await open(name, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
