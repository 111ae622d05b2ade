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
 *   disguises    begin with `%`, `&`, ESC, a first byte of certain signs, or a backslash before `u`, `x`, `/`, `_`, `-`
 *
 * The letter of an escape is no part of what follows it: `\n4111` begins like `4111`.
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
const CLASSES_AT = 32_768;
const RARE_CLASSES_AT = 32_800;
const CONSTANTS_AT = 32_832;
const HALVES = 16;
const CONSTANTS = [0x0f, 0x3f, 0x7f];
const OF_SIGN = 326_656;
const OF_BYTE_BEFORE = 326_912;
const OF_BYTE_BEHIND = 327_168;
const WINDOW = 32_768;
const LEAD = 64;
const TRAIL = 128;
const BLOCK = 64;
/** Classes of bytes by the halves of a byte, as candidates.wat wants them: bytes of other classes may get into one. */
type Class = readonly [bit: number, upperHalves: readonly number[], lowerHalves: readonly number[]];
const TEN = Array.from({ length: 10 }, (_, digit) => digit);
const CLASSES: readonly Class[] = [
  [0x80, [1, 2], [5, 6, 7, 11]], // % & ' ESC, and +, which passes no test
  [0x40, [3, 5], [10, 12, 13]], // : = \, and < Z ], which pass no test
  [0x20, [2], [11, 13, 14, 15]], // + - . /
  [0x10, [3, 7], [13, 14]], // = ~, and > }
  [0x08, [3], TEN],
  [0x04, [4, 6], [...TEN.slice(1), 10, 11, 12, 13, 14, 15]],
  [0x02, [5, 7], [...TEN, 10]],
  [0x01, [5], [15]], // _
];
const RARE_CLASSES: readonly Class[] = [
  [0x01, [12], [2]],
  [0x02, [13], [9, 11]],
  [0x04, [14], [2, 3, 15]],
  [0x08, [4], [0]], // @
  [0x10, [2], [8]], // (
  [0x20, [5], [11]], // [
];

/** Tests of a sign by the byte before it and the byte behind it; one that holds is enough. */
const NAME = 1; // The name ends like one that says secret, or may be more than letters and quotes.
const BLANK = 2;
const SLASH_OR_A = 4; // `://`, or `:A` in a bot's token
const FOUR = 8; // `=40`
const ESCAPE = 16; // `\u`, `\x`, `\/`, `\_`, `\-`
const SCHEME = 32; // `Bearer\n`, `Basic\n`
const ALWAYS = 64;
type Tests = readonly (readonly [signs: string, tests: number])[];
const TESTS: Tests = [
  [':', NAME | SLASH_OR_A],
  ['=', NAME | FOUR],
  ["'", BLANK],
  ['\\', ESCAPE | SCHEME],
  ['%&\x1b\u00c2\u00d9\u00db\u00e2\u00e3\u00ef', ALWAYS],
];
const ADDRESS_SIGNS = '@([';
const BEFORE: Tests = [
  ["'*]`", ALWAYS | NAME],
  // An escape may end there: `IDENTIFIED BY\n'…'`.
  ['\\', ALWAYS | NAME | BLANK],
  ['nt', ALWAYS | BLANK],
  ['r', ALWAYS | BLANK | SCHEME],
  ['RcC', ALWAYS | SCHEME],
  [' \t\n\r', ALWAYS | NAME | BLANK],
];
const BEHIND: Tests = [
  ['/', SLASH_OR_A | ESCAPE],
  ['A', SLASH_OR_A],
  ['uUx_-', ESCAPE],
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

/** As far as it is used here: TypeScript has its types with those of a browser. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

/** One for each thread: its memory is large, and only one request is looked through at a time. */
class Kernel {
  readonly memory: Buffer;
  readonly positions: Int32Array;
  readonly scan: (length: number, addresses: number, phones: number) => number;
  #tails: Uint8Array | undefined;

  constructor() {
    const module = new WebAssembly.Module(Buffer.from(CANDIDATES_WASM, 'base64'));
    // The casts hold: candidates.wat exports these.
    const { memory, scan } = new WebAssembly.Instance(module).exports as {
      readonly memory: { readonly buffer: ArrayBuffer };
      readonly scan: Kernel['scan'];
    };
    this.memory = Buffer.from(memory.buffer);
    this.positions = new Int32Array(memory.buffer);
    this.scan = scan;
    this.#fillClasses(CLASSES_AT, CLASSES);
    this.#fillClasses(RARE_CLASSES_AT, RARE_CLASSES);
    this.memory.set(CONSTANTS, CONSTANTS_AT);
    this.#fillTests(OF_SIGN, TESTS);
    this.memory.fill(ALWAYS, OF_BYTE_BEFORE, OF_BYTE_BEHIND);
    this.#fillTests(OF_BYTE_BEFORE, BEFORE);
    this.#fillTests(OF_BYTE_BEHIND, BEHIND);
  }

  use(tails: Uint8Array, { addresses }: { readonly addresses: boolean }): void {
    if (tails === this.#tails) return;
    this.memory.set(tails);
    this.#fillTests(OF_SIGN, [[ADDRESS_SIGNS, addresses ? ALWAYS : 0]]);
    this.#tails = tails;
  }

  #fillClasses(at: number, classes: readonly Class[]): void {
    for (const [bit, upperHalves, lowerHalves] of classes) {
      for (const half of lowerHalves) this.memory[at + half] = (this.memory[at + half] ?? 0) | bit;
      for (const half of upperHalves) this.memory[at + HALVES + half] = (this.memory[at + HALVES + half] ?? 0) | bit;
    }
  }

  #fillTests(at: number, rows: Tests): void {
    for (const [signs, tests] of rows) for (const sign of signs) this.memory[at + sign.charCodeAt(0)] = tests;
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
    this.#kernel.use(this.#tails, { addresses: this.#addresses === 1 });
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
