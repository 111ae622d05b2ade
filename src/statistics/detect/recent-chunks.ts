/**
 * Sums of recent observations, in chunks that are finer the younger they are. The sums since any moment are known to
 * within a fraction of its age, with a bounded number of chunks and without keeping single observations.
 *
 * A chunk is closed after `CHUNK` observations. If there are too many, the two neighbours are joined that are smallest
 * relative to what came after them.
 */
import type { Json } from '../../model/json.ts';
import { addCells, type Cells, cellOf, cellsFromJson, cellsToJson } from './trailing-baseline.ts';

interface Chunk {
  from: number;
  count: number;
  readonly cells: Cells;
}

const CHUNK = 16;
const CHUNKS_MAX = 24;

export class RecentChunks {
  #chunks: Chunk[] = [];

  cell(segment: number, at: number, columns: number): Float64Array {
    let last = this.#chunks.at(-1);
    if (last === undefined || last.count >= CHUNK) {
      last = { from: at, count: 0, cells: [] };
      this.#chunks.push(last);
      if (this.#chunks.length > CHUNKS_MAX) this.#join();
    }
    last.count += 1;
    return cellOf(last.cells, segment, columns);
  }

  /** The sums since `moment`, from the chunk's end that is nearest before it, but at least of the last chunk. */
  since(moment: number, columns: number): Cells {
    let first = this.#chunks.length - 1;
    while (first > 0 && (this.#chunks[first] as Chunk).from > moment) first -= 1;
    const next = this.#chunks[first + 1];
    const chunk = this.#chunks[first];
    // Nearer to the next one's beginning: what lies before the moment would outweigh what lies after it.
    if (chunk !== undefined && next !== undefined && next.from - moment < moment - chunk.from) first += 1;
    const sums: Cells = [];
    for (const { cells } of this.#chunks.slice(Math.max(0, first))) addCells(sums, cells, columns);
    return sums;
  }

  /** Nothing older than `moment` is asked for any more. */
  forget(moment: number): void {
    while (this.#chunks.length > 1 && (this.#chunks[1] as Chunk).from <= moment) this.#chunks.shift();
  }

  snapshot(): Json {
    return this.#chunks.map(({ from, count, cells }) => [from, count, cellsToJson(cells)]);
  }

  restore(kept: Json): void {
    this.#chunks = (kept as readonly (readonly [number, number, Json])[]).map(([from, count, cells]) => ({
      from,
      count,
      cells: cellsFromJson(cells),
    }));
  }

  #join(): void {
    let after = 0;
    let least = Number.POSITIVE_INFINITY;
    let best = 0;
    for (let index = this.#chunks.length - 2; index >= 0; index -= 1) {
      const first = this.#chunks[index] as Chunk;
      const second = this.#chunks[index + 1] as Chunk;
      const size = (first.count + second.count) / (after + 1);
      if (after > 0 && size < least) {
        least = size;
        best = index;
      }
      after += second.count;
    }
    const first = this.#chunks[best] as Chunk;
    const second = this.#chunks[best + 1] as Chunk;
    first.count += second.count;
    addCells(first.cells, second.cells, 0);
    this.#chunks.splice(best + 1, 1);
  }
}
