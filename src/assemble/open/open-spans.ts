/**
 * The rows of open turns, and the span ids that each turn knows: those that arrived, and those that others named as
 * their parent. A record is a row, a parent that is missing, or, when the parent arrives, first one and then the other.
 *
 *   record = span id high, low   turn   link of the bucket   next of the turn   offset   length   group         (words)
 *
 * A row that adds no span (a log record, a duplicate) has no turn, and is not found by id. A missing parent has no
 * group, and `offset` is the missing parent before it.
 */
import * as turn from './open-turn-record.ts';
import { hashOfWords, RecordHash } from './record-hash.ts';
import { Records } from './records.ts';
import { offsetIn, type RowGroup, RowGroups } from './row-groups.ts';

const WORDS = 8;
const ID_HIGH = 0;
const ID_LOW = 1;
const TURN = 2;
const LINK = 3;
const NEXT = 4;
const OFFSET = 5;
const LENGTH = 6;
const GROUP = 7;

/** The place of a row, and its span id if it is a span with one. */
export interface SpanRow {
  /** Ids as two signed 32-bit words; both are 0 where there is none. */
  readonly spanIdHigh: number;
  readonly spanIdLow: number;
  readonly position: number;
  readonly length: number;
  readonly group: RowGroup;
}

export interface ClosedRow {
  readonly position: number;
  readonly length: number;
  readonly group: RowGroup;
}

export class OpenSpans {
  readonly #turns: Records;
  readonly #records = new Records(WORDS);
  readonly #groups = new RowGroups();
  readonly #byId = new RecordHash(this.#records, { link: LINK, hashOf: (record) => this.#hashOf(record) });

  /** The words of turn records that belong to spans are kept by this class. */
  constructor(turns: Records) {
    this.#turns = turns;
  }

  /** A row of a turn. Returns whether it is a span that the turn has already. */
  add(owner: number, row: SpanRow): boolean {
    const isSpan = row.group.signal === 'traces' && !(row.spanIdHigh === 0 && row.spanIdLow === 0);
    const known = isSpan ? this.#find(owner, row.spanIdHigh, row.spanIdLow) : 0;
    const isMissing = known !== 0 && this.#records.word(known, GROUP) === 0;
    if (isMissing) this.#unlinkMissing(owner, known);
    const record = isMissing ? known : this.#records.add();
    this.#place(record, row);
    this.#append(owner, record);
    if (!isSpan) return false;
    if (known === 0) this.#addId(record, { owner, high: row.spanIdHigh, low: row.spanIdLow });
    if (known === 0 || isMissing) this.#change(owner, turn.SPANS, 1);
    return known !== 0 && !isMissing;
  }

  /** A span of the turn names this parent. */
  nameParent(owner: number, { high, low }: { readonly high: number; readonly low: number }): void {
    if (this.#find(owner, high, low) !== 0) return;
    const record = this.#records.add();
    this.#addId(record, { owner, high, low });
    const first = this.#turns.word(owner, turn.FIRST_MISSING);
    this.#records.setWord(record, NEXT, first);
    if (first !== 0) this.#records.setWord(first, OFFSET, record);
    this.#turns.setWord(owner, turn.FIRST_MISSING, record);
    this.#change(owner, turn.MISSING, 1);
  }

  /** Removes all that is known of the turn. Returns its rows, in the order in which they came. */
  close(owner: number): readonly ClosedRow[] {
    const rows: ClosedRow[] = [];
    for (let record = this.#turns.word(owner, turn.FIRST_ROW); record !== 0; ) {
      const number = this.#records.word(record, GROUP);
      const position = this.#groups.entryPosition(number) + (this.#records.word(record, OFFSET) >>> 0);
      rows.push({ position, length: this.#records.word(record, LENGTH) >>> 0, group: this.#groups.takeRow(number) });
      record = this.#remove(record);
    }
    for (let record = this.#turns.word(owner, turn.FIRST_MISSING); record !== 0; ) record = this.#remove(record);
    return rows;
  }

  #place(record: number, { position, length, group }: SpanRow): void {
    this.#records.setWord(record, OFFSET, offsetIn(group.entryPosition, position));
    this.#records.setWord(record, LENGTH, length);
    this.#records.setWord(record, GROUP, this.#groups.addRow(group));
    this.#records.setWord(record, NEXT, 0);
  }

  #append(owner: number, record: number): void {
    const last = this.#turns.word(owner, turn.LAST_ROW);
    if (last === 0) this.#turns.setWord(owner, turn.FIRST_ROW, record);
    else this.#records.setWord(last, NEXT, record);
    this.#turns.setWord(owner, turn.LAST_ROW, record);
    this.#change(owner, turn.ROWS, 1);
  }

  #addId(
    record: number,
    { owner, high, low }: { readonly owner: number; readonly high: number; readonly low: number },
  ): void {
    this.#records.setWord(record, ID_HIGH, high);
    this.#records.setWord(record, ID_LOW, low);
    this.#records.setWord(record, TURN, owner);
    this.#byId.add(record);
  }

  #unlinkMissing(owner: number, record: number): void {
    const before = this.#records.word(record, OFFSET);
    const next = this.#records.word(record, NEXT);
    if (before === 0) this.#turns.setWord(owner, turn.FIRST_MISSING, next);
    else this.#records.setWord(before, NEXT, next);
    if (next !== 0) this.#records.setWord(next, OFFSET, before);
    this.#change(owner, turn.MISSING, -1);
  }

  /** Returns the next one of its list. */
  #remove(record: number): number {
    const next = this.#records.word(record, NEXT);
    if (this.#records.word(record, TURN) !== 0) this.#byId.remove(record);
    this.#records.remove(record);
    return next;
  }

  #find(owner: number, high: number, low: number): number {
    const records = this.#records;
    let found = this.#byId.first(hashOfWords(owner, high, low));
    while (
      found !== 0 &&
      (records.word(found, ID_LOW) !== low ||
        records.word(found, ID_HIGH) !== high ||
        records.word(found, TURN) !== owner)
    ) {
      found = this.#byId.after(found);
    }
    return found;
  }

  #hashOf(record: number): number {
    const word = (field: number) => this.#records.word(record, field);
    return hashOfWords(word(TURN), word(ID_HIGH), word(ID_LOW));
  }

  #change(owner: number, field: number, by: number): void {
    this.#turns.setWord(owner, field, this.#turns.word(owner, field) + by);
  }
}
