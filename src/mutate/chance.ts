/** Chance that comes from a text: the same text gives the same choices, on every machine. */

export class Chance {
  #state: number;

  constructor(seed: string) {
    this.#state = hash(seed);
  }

  /** A whole number from 0 up to, and without, `bound`. */
  below(bound: number): number {
    return Math.floor(this.#next() * bound);
  }

  pick<T>(from: readonly T[]): T | undefined {
    return from[this.below(from.length)];
  }

  shuffled<T>(from: readonly T[]): readonly T[] {
    const left = [...from];
    const drawn: T[] = [];
    while (left.length > 0) drawn.push(...left.splice(this.below(left.length), 1));
    return drawn;
  }

  /** Mulberry32. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}

/** FNV-1a. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  return state >>> 0;
}
