/** The store's high-water mark: which store it is, and how many of its commits changed something. */
import { HighWaterFile, readHighWater } from '../../model/high-water-file.ts';

export interface StoreMark {
  /** Random, from the first opening on: another store has another. */
  readonly id: number;
  readonly commits: number;
}

function storeMarkFile(storeFile: string): string {
  return `${storeFile.replace(/\.db$/, '')}.high-water`;
}

export function readStoreMark(storeFile: string): StoreMark | undefined {
  const mark = readHighWater(storeMarkFile(storeFile));
  if (typeof mark !== 'object' || mark === null || !('id' in mark) || !('commits' in mark)) return undefined;
  const { id, commits } = mark;
  return typeof id === 'number' && typeof commits === 'number' ? { id, commits } : undefined;
}

export class StoreMarkWriter {
  readonly #file: HighWaterFile;
  readonly #id: number;

  constructor(storeFile: string, id: number) {
    this.#file = new HighWaterFile(storeMarkFile(storeFile));
    this.#id = id;
  }

  write(commits: number): void {
    try {
      this.#file.write({ id: this.#id, commits } satisfies StoreMark);
    } catch {
      // The commit is durable all the same, and a mark that is behind does no harm.
    }
  }

  close(): void {
    this.#file.close();
  }
}
