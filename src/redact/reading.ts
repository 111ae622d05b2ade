/**
 * A text that stands for another one, such as a string without its escapes, with a map back to where each part of it
 * came from.
 */
export interface Reading {
  readonly text: Buffer;
  /** Whether it says anything else than the bytes that it came from. */
  readonly isOther: boolean;
  /** Where the bytes [start, end) of the text, which are some, came from. */
  sourceOf(start: number, end: number): { readonly start: number; readonly end: number };
}

/** Made from its beginning to its end. A sign must not take more bytes than those that stand for it. */
export class ReadingBuilder {
  readonly #source: Buffer;
  readonly #text: Buffer;
  #length = 0;
  /** The place of each stretch: its beginning in the text and in the source, and its end in the source. */
  readonly #inText: number[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  #isKept = false;
  #isOther = false;

  constructor(source: Buffer, start: number, end: number) {
    this.#source = source;
    this.#text = Buffer.allocUnsafe(end - start);
  }

  /** These bytes stand for themselves. */
  keep(start: number, end: number): void {
    if (start === end) return;
    if (this.#isKept && this.#ends.at(-1) === start) this.#ends[this.#ends.length - 1] = end;
    else this.#begin(start, end, true);
    this.#length += this.#source.copy(this.#text, this.#length, start, end);
  }

  /** These bytes stand for a sign; for nothing if it is negative. */
  stand(point: number, start: number, end: number): void {
    this.#isOther = true;
    if (point < 0) return;
    this.#begin(start, end, false);
    if (point < 0x80) this.#text[this.#length++] = point;
    else this.#length += this.#text.write(String.fromCodePoint(point), this.#length);
  }

  finish(): Reading {
    const text = this.#text.subarray(0, this.#length);
    const [inText, starts, ends] = [this.#inText, this.#starts, this.#ends];
    const stretchAt = (at: number) => {
      const stretch = lastUpTo(inText, at);
      const [begin = 0, start = 0, end = 0] = [inText[stretch], starts[stretch], ends[stretch]];
      // A sign in place of as many bytes is mapped like bytes that were kept.
      const isKept = (inText[stretch + 1] ?? text.length) - begin === end - start;
      return { begin, start, end, isKept };
    };
    return {
      text,
      isOther: this.#isOther,
      sourceOf: (from, to) => {
        const first = stretchAt(from);
        const last = stretchAt(to - 1);
        return {
          start: first.start + (first.isKept ? from - first.begin : 0),
          end: last.isKept ? last.start + to - last.begin : last.end,
        };
      },
    };
  }

  #begin(start: number, end: number, isKept: boolean): void {
    this.#inText.push(this.#length);
    this.#starts.push(start);
    this.#ends.push(end);
    this.#isKept = isKept;
  }
}

/** The index of the last of these ascending numbers that is not above the value. */
function lastUpTo(numbers: readonly number[], value: number): number {
  let low = 0;
  let high = numbers.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((numbers[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
