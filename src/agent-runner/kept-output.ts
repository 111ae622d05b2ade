/** Keeps a bounded part of a process's output: the beginning of an answer, the end of an error text. */
import { stripVTControlCharacters } from 'node:util';

/** The first bytes; whether there were more. */
export class OutputStart {
  readonly #max: number;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(max: number) {
    this.#max = max;
  }

  add(chunk: Buffer): void {
    if (this.#bytes < this.#max) this.#chunks.push(chunk.subarray(0, this.#max - this.#bytes));
    this.#bytes += chunk.length;
  }

  get isCut(): boolean {
    return this.#bytes > this.#max;
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

const TAIL_BYTES = 8192;
const TAIL_LINES = 6;
const LINE_LENGTH_MAX = 300;

/** The last lines. */
export class OutputTail {
  #last = Buffer.alloc(0);

  add(chunk: Buffer): void {
    const joined = Buffer.concat([this.#last, chunk]);
    // A copy, so that a large chunk is not held for its end.
    this.#last = Buffer.from(joined.subarray(-TAIL_BYTES));
  }

  clear(): void {
    this.#last = Buffer.alloc(0);
  }

  /** The kept output on one line, in plain characters. */
  text(): string {
    const lines = stripVTControlCharacters(this.#last.toString('utf8'))
      .split('\n')
      .map((line) => line.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ').trim())
      .filter((line) => line !== '');
    return lines
      .slice(-TAIL_LINES)
      .map((line) => (line.length > LINE_LENGTH_MAX ? `${line.slice(0, LINE_LENGTH_MAX - 1).toWellFormed()}…` : line))
      .join(' | ');
  }
}

/** Adds the last line of the output, if there is any. */
export function withLastWords(problem: string, tail: OutputTail): string {
  const said = tail.text();
  return said === '' ? problem : `${problem}; it said: ${said}`;
}
