/**
 * Attribute keys as small numbers. The same fifty keys come with every span, so each is decoded to a string once and
 * known by its number from then on: looking at a key costs a hash of its bytes and one comparison.
 *
 * Keys come from outside, so the table is bounded: half of it is for keys that were seen in data, the other half is
 * kept for keys that the program asks for, which must not be crowded out. A key that found no place has no number, and
 * whoever holds it compares strings; nothing but speed depends on the table.
 */
const SEEN_KEYS_MAX = 4096;
const KEYS_MAX = 2 * SEEN_KEYS_MAX;
const KEY_BYTES_MAX = 128;
const SLOTS = 4 * KEYS_MAX;
/** A crowded neighbourhood of the hash table is given up rather than searched, so that made-up collisions cost nothing. */
const PROBES_MAX = 16;

export const NO_NUMBER = -1;

export class KeyTable {
  readonly #slots = new Int32Array(SLOTS).fill(NO_NUMBER);
  readonly #hashes: number[] = [];
  readonly #bytes: Buffer[] = [];
  readonly #texts: string[] = [];
  readonly #numbers = new Map<string, number>();
  /** For each key the one that came after it last time. A guess: the bytes are compared. */
  readonly #following: number[] = [];
  #previous = NO_NUMBER;

  text(number: number): string {
    return this.#texts[number] ?? '';
  }

  /** The number of the key at [start, end), or NO_NUMBER. */
  numberOf(buffer: Buffer, start: number, end: number): number {
    const length = end - start;
    if (length > KEY_BYTES_MAX) return NO_NUMBER;
    // The attributes of one span mostly come in the order in which they came with another: no hash is needed then.
    const previous = this.#previous;
    const expected = previous === NO_NUMBER ? NO_NUMBER : (this.#following[previous] ?? NO_NUMBER);
    if (expected !== NO_NUMBER && isSame(this.#bytes[expected], buffer, start, length)) {
      this.#previous = expected;
      return expected;
    }
    const number = this.#lookUp(buffer, start, end);
    if (number !== NO_NUMBER) {
      if (previous !== NO_NUMBER) this.#following[previous] = number;
      this.#previous = number;
    }
    return number;
  }

  #lookUp(buffer: Buffer, start: number, end: number): number {
    const length = end - start;
    const hash = hashOf(buffer, start, end);
    for (let probe = 0, slot = hash & (SLOTS - 1); probe < PROBES_MAX; probe++, slot = (slot + 1) & (SLOTS - 1)) {
      const number = this.#slots[slot] ?? NO_NUMBER;
      if (number === NO_NUMBER) {
        if (this.#texts.length >= SEEN_KEYS_MAX) return NO_NUMBER;
        return this.#add(buffer.toString('utf8', start, end), Buffer.from(buffer.subarray(start, end)), hash, slot);
      }
      if (this.#hashes[number] === hash && isSame(this.#bytes[number], buffer, start, length)) return number;
    }
    return NO_NUMBER;
  }

  /** The number of a key that the program asks for, or NO_NUMBER. */
  numberOfText(key: string): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    if (key.length > KEY_BYTES_MAX || this.#texts.length >= KEYS_MAX) return NO_NUMBER;
    const bytes = Buffer.from(key, 'utf8');
    // A key that is not valid Unicode is spelled in several ways by bytes; only strings can tell.
    if (bytes.length > KEY_BYTES_MAX || key.includes('\uFFFD') || !key.isWellFormed()) return NO_NUMBER;
    const hash = hashOf(bytes, 0, bytes.length);
    for (let probe = 0, slot = hash & (SLOTS - 1); probe < PROBES_MAX; probe++, slot = (slot + 1) & (SLOTS - 1)) {
      if ((this.#slots[slot] ?? NO_NUMBER) === NO_NUMBER) return this.#add(key, bytes, hash, slot);
    }
    return NO_NUMBER;
  }

  #add(text: string, bytes: Buffer, hash: number, slot: number): number {
    // U+FFFD may stand for any invalid bytes: such a key has no number, or two spellings would be two keys.
    if (text.includes('\uFFFD')) return NO_NUMBER;
    const number = this.#texts.push(text) - 1;
    this.#bytes.push(bytes);
    this.#hashes.push(hash);
    this.#following.push(NO_NUMBER);
    this.#numbers.set(text, number);
    this.#slots[slot] = number;
    return number;
  }
}

/** The one table of the process: numbers are only useful where all agree on them. Bounded, see above. */
export const keyTable = new KeyTable();

/** Four bytes at a time; the last four overlap where the length is no multiple of four. */
function hashOf(bytes: Buffer, start: number, end: number): number {
  let hash = Math.imul(end - start, 0x9e3779b1);
  if (end - start >= 4) {
    for (let at = start; at < end - 4; at += 4) hash = mix(hash, wordAt(bytes, at));
    hash = mix(hash, wordAt(bytes, end - 4));
  } else {
    for (let at = start; at < end; at++) hash = mix(hash, bytes[at] ?? 0);
  }
  return hash ^ (hash >>> 15);
}

function mix(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, 0x85ebca6b);
  return mixed ^ (mixed >>> 13);
}

function wordAt(bytes: Buffer, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
}

function isSame(key: Buffer | undefined, buffer: Buffer, start: number, length: number): boolean {
  if (key === undefined || key.length !== length) return false;
  for (let index = 0; index < length; index++) {
    if (key[index] !== buffer[start + index]) return false;
  }
  return true;
}
