/** Does in memory what `content-files.ts` does with files, for a small store that is read once. */
import type { ContentFiles } from './content-files.ts';
import type { ContentPlace } from './content-reader.ts';

/** Port that traces need of either. */
export type Content = Pick<
  ContentFiles,
  'append' | 'read' | 'flush' | 'discard' | 'isCurrent' | 'beginFile' | 'remove' | 'wipe' | 'close'
>;

const FIRST_BYTES = 64 << 10;

export class ContentInMemory implements Content {
  #bytes = new Uint8Array(FIRST_BYTES);
  #flushed = 0;
  #appended = 0;

  append(spans: Uint8Array, logs?: Uint8Array): ContentPlace {
    const length = spans.length + (logs?.length ?? 0);
    const place = { file: 0, offset: this.#appended, length };
    this.#makeRoomFor(this.#appended + length);
    for (const piece of logs === undefined ? [spans] : [spans, logs]) {
      this.#bytes.set(piece, this.#appended);
      this.#appended += piece.length;
    }
    return place;
  }

  read({ offset, length }: ContentPlace): Uint8Array {
    return this.#bytes.slice(offset, offset + length);
  }

  flush(): void {
    this.#flushed = this.#appended;
  }

  discard(): void {
    this.#appended = this.#flushed;
  }

  isCurrent(): boolean {
    return true;
  }

  beginFile(): void {
    // There is one, and it goes as a whole.
  }

  remove(): void {
    // See `beginFile`.
  }

  wipe(): void {
    // Memory is no file.
  }

  close(): void {
    this.#bytes = new Uint8Array(0);
  }

  #makeRoomFor(length: number): void {
    if (length <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(length, 2 * this.#bytes.length));
    larger.set(this.#bytes.subarray(0, this.#appended));
    this.#bytes = larger;
  }
}
