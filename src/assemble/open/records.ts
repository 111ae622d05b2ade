/**
 * Records of a fixed number of 32-bit words, in pages: flat memory that the garbage collector does not traverse, that
 * grows without copying, and that is given back once a page has no record left. Record numbers begin at 1, so that 0 in
 * a field that refers to a record is none.
 *
 * New records take the lowest page that has room. So the highest pages empty first when there are fewer records.
 *
 * A field of 64 bits takes two words, and its number counts in pairs.
 */
const PAGE_BITS = 11;
const PAGE_RECORDS = 1 << PAGE_BITS;
const IN_PAGE = PAGE_RECORDS - 1;

interface Page {
  readonly words: Int32Array;
  readonly doubles: Float64Array;
}

export class Records {
  readonly #size: number;
  readonly #words: (Int32Array | undefined)[] = [];
  readonly #doubles: (Float64Array | undefined)[] = [];
  /** Records of each page that are in use. */
  readonly #live: number[] = [];
  /** Records of each page that have ever been in use; those behind have not. */
  readonly #begun: number[] = [];
  /** For each page, the place behind the first free record among those begun, which refers to the next; 0 is none. */
  readonly #free: number[] = [];
  /** A bit for each page that has room, 32 to a number. */
  readonly #room: number[] = [];
  /** Pages before this word of `#room` are full. */
  #lowest = 0;
  /** Saves making a page again and again where one record comes and goes. */
  #spare: Page | undefined;

  /** `words` is even, so that a field of 64 bits begins at a multiple of eight bytes. */
  constructor(words: number) {
    if (words % 2 !== 0) throw new Error(`records of ${words} words: expected an even number`);
    this.#size = words;
    // The first record is never given out.
    this.#addPage();
    this.#live[0] = 1;
    this.#begun[0] = 1;
  }

  /** Pages that have memory of their own. */
  get pages(): number {
    return this.#words.filter((page) => page !== undefined).length;
  }

  /** A new record, of zeros. */
  add(): number {
    const page = this.#pageWithRoom();
    const words = this.#words[page] ?? this.#make(page);
    const size = this.#size;
    const free = this.#free[page] ?? 0;
    let place: number;
    if (free === 0) {
      place = this.#begun[page] ?? 0;
      this.#begun[page] = place + 1;
    } else {
      place = free - 1;
      this.#free[page] = words[place * size] ?? 0;
    }
    words.fill(0, place * size, (place + 1) * size);
    const live = (this.#live[page] ?? 0) + 1;
    this.#live[page] = live;
    if (live === PAGE_RECORDS) this.#room[page >>> 5] = (this.#room[page >>> 5] ?? 0) & ~(1 << (page & 31));
    return (page << PAGE_BITS) | place;
  }

  remove(record: number): void {
    const page = record >>> PAGE_BITS;
    const place = record & IN_PAGE;
    const words = this.#words[page];
    if (words === undefined || record === 0) throw new Error(`record ${record} is removed, and is not there`);
    words[place * this.#size] = this.#free[page] ?? 0;
    this.#free[page] = place + 1;
    const live = (this.#live[page] ?? 0) - 1;
    this.#live[page] = live;
    this.#hasRoom(page);
    if (live === 0) this.#drop(page);
  }

  word(record: number, field: number): number {
    return this.#words[record >>> PAGE_BITS]?.[(record & IN_PAGE) * this.#size + field] ?? 0;
  }

  setWord(record: number, field: number, value: number): void {
    const words = this.#words[record >>> PAGE_BITS];
    if (words !== undefined) words[(record & IN_PAGE) * this.#size + field] = value;
  }

  double(record: number, field: number): number {
    return this.#doubles[record >>> PAGE_BITS]?.[(record & IN_PAGE) * (this.#size >>> 1) + field] ?? 0;
  }

  setDouble(record: number, field: number, value: number): void {
    const doubles = this.#doubles[record >>> PAGE_BITS];
    if (doubles !== undefined) doubles[(record & IN_PAGE) * (this.#size >>> 1) + field] = value;
  }

  #pageWithRoom(): number {
    let at = this.#lowest;
    while (at < this.#room.length && this.#room[at] === 0) at += 1;
    this.#lowest = at;
    const room = this.#room[at] ?? 0;
    return room === 0 ? this.#addPage() : at * 32 + 31 - Math.clz32(room & -room);
  }

  #addPage(): number {
    const page = this.#words.length;
    this.#make(page);
    this.#live[page] = 0;
    this.#begun[page] = 0;
    this.#free[page] = 0;
    this.#hasRoom(page);
    return page;
  }

  #hasRoom(page: number): void {
    const at = page >>> 5;
    this.#room[at] = (this.#room[at] ?? 0) | (1 << (page & 31));
    this.#lowest = Math.min(this.#lowest, at);
  }

  #make(page: number): Int32Array {
    const made = this.#spare ?? pageOf(this.#size);
    this.#spare = undefined;
    this.#words[page] = made.words;
    this.#doubles[page] = made.doubles;
    return made.words;
  }

  #drop(page: number): void {
    const words = this.#words[page];
    const doubles = this.#doubles[page];
    if (words !== undefined && doubles !== undefined) this.#spare ??= { words, doubles };
    this.#words[page] = undefined;
    this.#doubles[page] = undefined;
    this.#begun[page] = 0;
    this.#free[page] = 0;
  }
}

function pageOf(size: number): Page {
  const words = new Int32Array(PAGE_RECORDS * size);
  return { words, doubles: new Float64Array(words.buffer) };
}
