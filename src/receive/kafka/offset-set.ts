/**
 * Which offsets of a partition are done: all before one, and some beyond it. Kept in Kafka as a committed offset and, in its metadata,
 * the ranges beyond: `5-7,9`.
 */
const METADATA_LENGTH_MAX = 3_500;

export class OffsetSet {
  #before: number;
  /** Each from, to: both done; in order, and apart from each other. */
  #beyond: (readonly [number, number])[];

  constructor(before: number, metadata = '') {
    this.#before = before;
    this.#beyond = parseRanges(metadata).filter(([from]) => from >= before);
  }

  has(offset: number): boolean {
    return offset < this.#before || this.#beyond.some(([from, to]) => from <= offset && offset <= to);
  }

  add(offset: number): void {
    if (!this.has(offset)) this.#beyond.push([offset, offset]);
  }

  /** Offsets that do not fit are left out and processed again. */
  kept(): { readonly offset: number; readonly metadata: string } {
    this.#join();
    let metadata = '';
    for (const [from, to] of this.#beyond) {
      const range = `${metadata === '' ? '' : ','}${from === to ? from : `${from}-${to}`}`;
      if (metadata.length + range.length > METADATA_LENGTH_MAX) break;
      metadata += range;
    }
    return { offset: this.#before, metadata };
  }

  #join(): void {
    const joined: [number, number][] = [];
    for (const [from, to] of this.#beyond.sort((a, b) => a[0] - b[0])) {
      const last = joined.at(-1);
      if (from <= this.#before) this.#before = Math.max(this.#before, to + 1);
      else if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
      else joined.push([from, to]);
    }
    this.#beyond = joined;
  }
}

/** Metadata that Assay did not write is ignored. */
function parseRanges(metadata: string): (readonly [number, number])[] {
  return metadata.split(',').flatMap((range) => {
    const match = /^(\d{1,16})(?:-(\d{1,16}))?$/.exec(range);
    if (match === null) return [];
    return [[Number(match[1]), Number(match[2] ?? match[1])] as const];
  });
}
