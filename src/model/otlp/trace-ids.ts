/**
 * The texts of the trace ids met last. A trace arrives in many requests, and each time its id would become a new
 * string, which is slow to look up. Here it is found by its bytes, and the string is shared.
 *
 * A place holds one id, the last that fell on it, so that the memory is bounded and nobody can make a search long.
 */
import type { TraceId } from '../ids.ts';

const PLACES = 1 << 14;
const WORDS = 4;

export class TraceIds {
  readonly #words = new Int32Array(PLACES * WORDS);
  readonly #texts: (TraceId | undefined)[] = new Array(PLACES).fill(undefined);

  /** Trace id in the 16 bytes at `at`; undefined if all are zero. */
  textAt(bytes: Buffer, view: DataView, at: number): TraceId | undefined {
    const a = view.getInt32(at, true);
    const b = view.getInt32(at + 4, true);
    const c = view.getInt32(at + 8, true);
    const d = view.getInt32(at + 12, true);
    if ((a | b | c | d) === 0) return undefined;
    const mixed = Math.imul(a ^ Math.imul(b, 0x9e3779b1) ^ Math.imul(c, 0x85ebca6b) ^ d, 0xc2b2ae35);
    const place = (mixed ^ (mixed >>> 15)) & (PLACES - 1);
    const words = this.#words;
    const first = place * WORDS;
    const known = this.#texts[place];
    const isSame = words[first] === a && words[first + 1] === b && words[first + 2] === c && words[first + 3] === d;
    if (isSame && known !== undefined) return known;
    // The cast is the brand: only valid ids are written into a table.
    const text = bytes.toString('hex', at, at + 16) as TraceId;
    words[first] = a;
    words[first + 1] = b;
    words[first + 2] = c;
    words[first + 3] = d;
    this.#texts[place] = text;
    return text;
  }
}
