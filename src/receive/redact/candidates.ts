/**
 * Says where in a request a built-in pattern may begin, 64 bytes at a time, so that the text between costs next to
 * nothing. It may point at what turns out to be nothing; it never passes over anything:
 *
 *   numbers      of cards have four digits in a row, account numbers begin with two letters and two digits,
 *                telephone numbers with a digit and one more within four bytes
 *   credentials  are runs of 14 bytes or more of letters, digits and `-_./+~=`, or begin with two hyphens
 *   addresses    have an `@`
 *   named ones   have a `:` or an `=` behind the last letters of a name that says secret
 *   URLs         have a `:/`, or the end of `jdbc:oracle:thin:`
 *   statements   of SQL have an apostrophe behind a blank
 *   disguises    begin with `%`, `&`, a first byte of certain signs, or a backslash before `u` or `/`
 *
 * At the beginning of a text anything may begin, since the bytes before it are none of a text.
 *
 * candidates.wat does the work, on a copy of a window of the request. Texts are asked for in ascending order, so that
 * each window is copied and looked through once.
 */
import { CANDIDATES_WASM } from './candidates-wasm.ts';
import type { SecretNames } from './secret-names.ts';

/** Where these are in its memory: see there. */
const WINDOW_AT = 33_024;
const LIST_END = 326_656;
const OF_SIGN = 326_656;
const OF_BYTE_BEFORE = 326_912;
const OF_BYTE_BEHIND = 327_168;
const WINDOW = 32_768;
const LEAD = 64;
const TRAIL = 128;
const BLOCK = 64;
/** Tests of a sign by the byte before it and the byte behind it; one that holds is enough. */
const NAME = 1; // The name ends like one that says secret (that table has 1s), or may be more than letters and quotes.
const BLANK = 2;
const SLASH_OR_A = 4; // `://`, or `:A` in a bot's token
const FOUR = 8; // `=40`
const ESCAPE = 16; // `\u`, `\/`
const ALWAYS = 32;
const TESTS: readonly (readonly [sign: string, tests: number])[] = [
  [':', NAME | SLASH_OR_A],
  ['=', NAME | FOUR],
  ["'", BLANK],
  ['\\', ESCAPE],
  ['%&@([\u00c2\u00d9\u00db\u00e2\u00e3\u00ef', ALWAYS],
];
const BEFORE: readonly (readonly [string, number])[] = [
  ["'*]`\\", ALWAYS | NAME],
  [' \t\n\r', ALWAYS | NAME | BLANK],
];
const BEHIND: readonly (readonly [string, number])[] = [
  ['/', SLASH_OR_A | ESCAPE],
  ['A', SLASH_OR_A],
  ['u', ESCAPE],
  ['4', FOUR],
];
/** Ends of names before a colon that are no secrets, but what `jdbc:oracle:` goes on with. */
const ORACLE = ['hin', 'oci'];
const NO_BYTES = Buffer.alloc(0);

interface CandidateOptions {
  readonly addresses: boolean;
  readonly phones: boolean;
  readonly names: SecretNames;
}

/** One for each thread: its memory is large, and only one request is looked through at a time. */
class Kernel {
  readonly memory: Buffer;
  readonly positions: Int32Array;
  readonly scan: (length: number, addresses: number, phones: number) => number;
  #tails: Uint8Array | undefined;

  constructor() {
    const module = new WebAssembly.Module(Buffer.from(CANDIDATES_WASM, 'base64'));
    // The casts hold: candidates.wat exports these.
    const { memory, scan } = new WebAssembly.Instance(module).exports as unknown as {
      readonly memory: { readonly buffer: ArrayBuffer };
      readonly scan: Kernel['scan'];
    };
    this.memory = Buffer.from(memory.buffer);
    this.positions = new Int32Array(memory.buffer);
    this.scan = scan;
    const fill = (at: number, rows: readonly (readonly [string, number])[]) => {
      for (const [signs, tests] of rows) for (const sign of signs) this.memory[at + sign.charCodeAt(0)] = tests;
    };
    fill(OF_SIGN, TESTS);
    this.memory.fill(ALWAYS, OF_BYTE_BEFORE, OF_BYTE_BEHIND);
    fill(OF_BYTE_BEFORE, BEFORE);
    fill(OF_BYTE_BEHIND, BEHIND);
  }

  use(tails: Uint8Array): void {
    if (tails === this.#tails) return;
    this.memory.set(tails);
    this.#tails = tails;
  }
}
let kernel: Kernel | undefined;

export class Candidates {
  readonly #addresses: number;
  readonly #phones: number;
  readonly #tails: Uint8Array;
  readonly #kernel: Kernel;
  #bytes: Buffer = NO_BYTES;
  #windowStart = 0;
  #windowEnd = 0;
  /** Place of the next position in the list. */
  #next = 0;

  constructor({ addresses, phones, names }: CandidateOptions) {
    this.#addresses = Number(addresses);
    this.#phones = Number(phones);
    this.#tails = names.tailsWith(ORACLE);
    kernel ??= new Kernel();
    this.#kernel = kernel;
  }

  /** Texts of this request come next, from its beginning to its end. */
  begin(request: Buffer): void {
    this.#bytes = request;
    this.#windowEnd = 0;
    this.#kernel.use(this.#tails);
    this.#look(0);
  }

  end(): void {
    this.#bytes = NO_BYTES;
  }

  knows(bytes: Buffer): boolean {
    return this.#bytes === bytes;
  }

  /** The first byte from `from` on where something may begin, or `end`. */
  next(from: number, end: number): number {
    if (from < this.#windowStart) this.#look(from);
    const { positions } = this.#kernel;
    for (;;) {
      const stop = Math.min(end, this.#windowEnd);
      const start = this.#windowStart;
      while (this.#next < LIST_END >>> 2) {
        const at = start + (positions[this.#next] ?? 0);
        if (at >= stop) break;
        if (at >= from) return at;
        this.#next += 1;
      }
      if (end <= this.#windowEnd) return end;
      this.#look(Math.max(from, this.#windowEnd));
    }
  }

  /** Looks through the window that begins there. */
  #look(start: number): void {
    const { memory, scan } = this.#kernel;
    const request = this.#bytes;
    const end = Math.min(request.length, start + WINDOW);
    const length = Math.ceil((end - start) / BLOCK) * BLOCK;
    const lead = Math.min(start, LEAD);
    memory.fill(0, WINDOW_AT - LEAD, WINDOW_AT - lead);
    const copied = request.copy(memory, WINDOW_AT - lead, start - lead, Math.min(request.length, end + TRAIL));
    memory.fill(0, WINDOW_AT - lead + copied, WINDOW_AT + length + TRAIL);
    this.#windowStart = start;
    this.#windowEnd = end;
    this.#next = scan(length, this.#addresses, this.#phones) >>> 2;
  }
}
