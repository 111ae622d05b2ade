/** The journal's high-water mark: the end of what was synced, and the segments that must be there. */
import { HighWaterFile, readHighWater } from '../model/high-water-file.ts';

export interface JournalMark {
  /** Position behind the last record that was synced. */
  readonly end: number;
  /** Segments that must be there, in order. */
  readonly segments: readonly MarkedSegment[];
  /** Store that takes the journal's rows, and how many commits it had. */
  readonly store?: MarkedStore | undefined;
}

export interface MarkedStore {
  readonly id: number;
  readonly commits: number;
}

export interface MarkedSegment {
  readonly base: number;
  /** Positions of its last record and behind it; the base, both, where it has none. */
  readonly last: number;
  readonly end: number;
}

/** Fits every store. */
export const ANY_STORE: MarkedStore = { id: 0, commits: 0 };
/** Acknowledged records behind the mark count as torn if a crash damages them, so it must not be older than this. */
const WRITE_AFTER_MS = 100;

export function readJournalMark(file: string): JournalMark | undefined {
  const mark = readHighWater(file);
  if (typeof mark !== 'object' || mark === null || !('end' in mark) || !('segments' in mark)) return undefined;
  const { end, segments } = mark;
  if (typeof end !== 'number' || !Array.isArray(segments)) return undefined;
  // The casts hold because the file's checksum does.
  const store = 'store' in mark ? (mark.store as MarkedStore) : undefined;
  return { end, segments: segments as readonly MarkedSegment[], store };
}

/** Someone has decided to go on with another store than the one that the mark names, until the mark is written again. */
export async function acceptAnyStore(file: string): Promise<void> {
  const mark = readJournalMark(file);
  if (mark === undefined) return;
  const written = new HighWaterFile(file);
  written.write({ ...mark, store: ANY_STORE });
  await written.sync();
  written.close();
}

/** Writes the mark soon after it changed, so that a busy journal writes it ten times a second. */
export class JournalMarkWriter {
  readonly #file: HighWaterFile;
  readonly #current: () => JournalMark;
  #timer: NodeJS.Timeout | undefined;

  constructor(file: HighWaterFile, current: () => JournalMark) {
    this.#file = file;
    this.#current = current;
  }

  changed(): void {
    this.#timer ??= setTimeout(() => this.#write(), WRITE_AFTER_MS).unref();
  }

  /** Resolves once the mark is on disk: a segment that is no longer in it may go. */
  async writeNow(): Promise<void> {
    this.#write();
    await this.#file.sync();
  }

  close(): void {
    this.#write();
    this.#file.close();
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    try {
      this.#file.write(this.#current());
    } catch {
      // A mark that is behind does no harm; a disk that cannot be written shows at the next record.
    }
  }
}
