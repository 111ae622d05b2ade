/**
 * Blocks of the journal read last. Turns that close together came together, mixed with each other: reading their spans
 * one by one would cost a system call each, reading a block once serves them all.
 *
 * Only blocks that will never change are kept: the caller says up to where the log is complete. Their memory is used
 * again and again: new memory for each block costs ten times what reading it does, and brings on collections.
 */
const BLOCK_BYTES = 1 << 16;
const BLOCKS_MAX = 512;
const NOTHING = new Uint8Array(0);

export class BlockCache {
  readonly #readInto: (target: Uint8Array, position: number) => void;
  /** Blocks by number, oldest first. */
  readonly #blocks = new Map<number, Uint8Array>();
  /** Memory of blocks that went; somebody may still look at the first, nobody at the second. */
  #retired: Uint8Array[] = [];
  readonly #free: Uint8Array[] = [];
  #completeTo = 0;

  constructor(readInto: (target: Uint8Array, position: number) => void) {
    this.#readInto = readInto;
  }

  /** The log is complete up to here. Bytes that `read` returned before this call must not be read any more. */
  completeTo(position: number): void {
    this.#completeTo = Math.max(this.#completeTo, position);
    if (this.#retired.length === 0) return;
    for (const block of this.#retired) if (this.#free.length < BLOCKS_MAX) this.#free.push(block);
    this.#retired = [];
  }

  /** The bytes may be part of a block that others share. They hold until the next `completeTo`. */
  read(position: number, length: number): Uint8Array {
    // A span without a resource has an empty one, and its place may be where a block begins.
    if (length === 0) return NOTHING;
    const first = Math.floor(position / BLOCK_BYTES);
    const last = Math.floor((position + length - 1) / BLOCK_BYTES);
    const isComplete = (last + 1) * BLOCK_BYTES <= this.#completeTo;
    if (length > BLOCK_BYTES || !isComplete) return this.#direct(position, length);
    const head = this.#block(first);
    if (head === undefined) return this.#direct(position, length);
    const offset = position - first * BLOCK_BYTES;
    if (last === first) return head.subarray(offset, offset + length);
    const tail = this.#block(last);
    if (tail === undefined) return this.#direct(position, length);
    const bytes = new Uint8Array(length);
    bytes.set(head.subarray(offset));
    bytes.set(tail.subarray(0, length - (BLOCK_BYTES - offset)), BLOCK_BYTES - offset);
    return bytes;
  }

  /** Undefined where the block reaches into a segment that is gone: the bytes asked for are then read alone. */
  #block(number: number): Uint8Array | undefined {
    const known = this.#blocks.get(number);
    if (known !== undefined) return known;
    const block = this.#free.pop() ?? new Uint8Array(BLOCK_BYTES);
    try {
      this.#readInto(block, number * BLOCK_BYTES);
    } catch {
      // A block may begin before the segment or end behind it.
      this.#free.push(block);
      return undefined;
    }
    if (this.#blocks.size >= BLOCKS_MAX) this.#retireOldest();
    this.#blocks.set(number, block);
    return block;
  }

  #retireOldest(): void {
    for (const [number, block] of this.#blocks) {
      this.#blocks.delete(number);
      this.#retired.push(block);
      return;
    }
  }

  #direct(position: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    this.#readInto(bytes, position);
    return bytes;
  }
}
