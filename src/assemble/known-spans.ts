/**
 * The span ids that an open turn knows of: those that arrived, and those that others named as their parent. An id is two
 * signed 32-bit words rather than a text: a text for each span and parent, and a set of them for each turn, were most of
 * what an open turn cost, in time and in memory.
 *
 * Turns are small, so ids are looked for one after the other; from `INDEX_FROM` on they are found by their low word.
 */
const INDEX_FROM = 24;
const WORDS = 3;
const ARRIVED = 1;
const NAMED = 2;

export class KnownSpans {
  /** high word, low word, what is known: for each id. */
  #entries: number[] = [];
  /** Entries by the low word of their id. Most have a word of their own, unless somebody made ids up to collide. */
  #byLowWord: Map<number, number[]> | undefined;
  #arrived = 0;
  #missing = 0;

  /** Distinct spans that arrived. */
  get arrived(): number {
    return this.#arrived;
  }

  /** Distinct parents that were named and have not arrived. */
  get missing(): number {
    return this.#missing;
  }

  hasArrived(high: number, low: number): boolean {
    const at = this.#find(high, low);
    return at >= 0 && ((this.#entries[at + 2] ?? 0) & ARRIVED) !== 0;
  }

  arrive(high: number, low: number): void {
    const at = this.#findOrAdd(high, low);
    const known = this.#entries[at + 2] ?? 0;
    if ((known & ARRIVED) !== 0) return;
    this.#entries[at + 2] = known | ARRIVED;
    this.#arrived += 1;
    if ((known & NAMED) !== 0) this.#missing -= 1;
  }

  nameParent(high: number, low: number): void {
    const at = this.#findOrAdd(high, low);
    const known = this.#entries[at + 2] ?? 0;
    if ((known & NAMED) !== 0) return;
    this.#entries[at + 2] = known | NAMED;
    if ((known & ARRIVED) === 0) this.#missing += 1;
  }

  #findOrAdd(high: number, low: number): number {
    const known = this.#find(high, low);
    if (known >= 0) return known;
    // Most have one span or few: an array that grows from nothing takes room for seventeen numbers.
    if (this.#entries.length === 0) this.#entries = [high, low, 0];
    else this.#entries.push(high, low, 0);
    const at = this.#entries.length - WORDS;
    if (this.#byLowWord !== undefined) this.#index(low, at);
    else if (at >= INDEX_FROM * WORDS) this.#indexAll();
    return at;
  }

  #find(high: number, low: number): number {
    const entries = this.#entries;
    if (this.#byLowWord !== undefined) {
      for (const at of this.#byLowWord.get(low) ?? []) if (entries[at] === high) return at;
      return -1;
    }
    for (let at = 0; at < entries.length; at += WORDS) {
      if (entries[at + 1] === low && entries[at] === high) return at;
    }
    return -1;
  }

  #indexAll(): void {
    this.#byLowWord = new Map();
    for (let at = 0; at < this.#entries.length; at += WORDS) this.#index(this.#entries[at + 1] ?? 0, at);
  }

  #index(low: number, at: number): void {
    const same = this.#byLowWord?.get(low);
    if (same === undefined) this.#byLowWord?.set(low, [at]);
    else same.push(at);
  }
}
