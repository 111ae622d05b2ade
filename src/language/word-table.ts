/**
 * A map of words that is asked for parts of a text, by hashes in open addressing. No strings are made of the parts: V8's
 * own map first puts each string that it is asked for into a table, and most words of an answer are not there.
 */
export class WordTable<T> {
  readonly #words: (string | undefined)[];
  readonly #values: (T | undefined)[];

  constructor(entries: ReadonlyMap<string, T>) {
    let places = 16;
    while (places < 4 * entries.size) places *= 2;
    this.#words = new Array<string | undefined>(places).fill(undefined);
    this.#values = new Array<T | undefined>(places).fill(undefined);
    for (const [word, value] of entries) {
      const place = this.#placeOf(word, 0, word.length);
      this.#words[place] = word;
      this.#values[place] = value;
    }
  }

  /** The value of the word between these places of the text. */
  find(text: string, from: number, to: number): T | undefined {
    return this.#values[this.#placeOf(text, from, to)];
  }

  /** The place where it is, or else would be. */
  #placeOf(text: string, from: number, to: number): number {
    let hash = 0;
    for (let at = from; at < to; at += 1) hash = Math.imul(hash, 31) + text.charCodeAt(at);
    const last = this.#words.length - 1;
    let place = (hash ^ (hash >>> 15)) & last;
    for (let word = this.#words[place]; word !== undefined; word = this.#words[place]) {
      if (word.length === to - from && text.startsWith(word, from)) break;
      place = (place + 1) & last;
    }
    return place;
  }
}
