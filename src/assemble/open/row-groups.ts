/**
 * The resources and scopes of open rows, each once for all rows of the group, for as long as one of them is open. Rows
 * of a group arrive together, so only the group of the last row is compared.
 *
 *   record = entry position f64   resource offset u32, length u32   scope offset u32, length u32   rows u32   signal u1, sender u31
 *
 * Offsets count from the position of the entry, which has at most some gigabytes.
 */
import { Records } from './records.ts';

/** Position in the journal of the resource and the scope of some spans, which all spans of the group share. */
export interface RowGroup {
  readonly entryPosition: number;
  readonly signal: 'traces' | 'logs';
  /** `model/sender.ts`. */
  readonly sender: number;
  readonly resourcePosition: number;
  readonly resourceLength: number;
  readonly scopePosition: number;
  readonly scopeLength: number;
}

const WORDS = 8;
/** In pairs of words. */
const ENTRY_POSITION = 0;
const RESOURCE_OFFSET = 2;
const RESOURCE_LENGTH = 3;
const SCOPE_OFFSET = 4;
const SCOPE_LENGTH = 5;
const ROWS = 6;
const SIGNAL = 7;
const SIGNALS = ['traces', 'logs'] as const;
const OFFSET_END = 2 ** 32;

export class RowGroups {
  readonly #records = new Records(WORDS);
  /** Groups as closed turns have them, if a turn with one of their rows has closed: one object, however many turns. */
  readonly #given = new Map<number, RowGroup>();
  #lastGroup: RowGroup | undefined;
  #last = 0;

  /** Counts one more row of the group, and returns its number. */
  addRow(group: RowGroup): number {
    if (group !== this.#lastGroup) {
      this.#last = this.#add(group);
      this.#lastGroup = group;
    }
    const number = this.#last;
    this.#records.setWord(number, ROWS, this.#records.word(number, ROWS) + 1);
    return number;
  }

  entryPosition(number: number): number {
    return this.#records.double(number, ENTRY_POSITION);
  }

  /** The group of a row that is open no longer. */
  takeRow(number: number): RowGroup {
    const group = this.#given.get(number) ?? this.#groupOf(number);
    const rows = this.#records.word(number, ROWS) - 1;
    this.#records.setWord(number, ROWS, rows);
    if (rows > 0) this.#given.set(number, group);
    else this.#remove(number);
    return group;
  }

  #add({ entryPosition, signal, sender, ...at }: RowGroup): number {
    const number = this.#records.add();
    this.#records.setDouble(number, ENTRY_POSITION, entryPosition);
    this.#records.setWord(number, RESOURCE_OFFSET, offsetIn(entryPosition, at.resourcePosition));
    this.#records.setWord(number, RESOURCE_LENGTH, at.resourceLength);
    this.#records.setWord(number, SCOPE_OFFSET, offsetIn(entryPosition, at.scopePosition));
    this.#records.setWord(number, SCOPE_LENGTH, at.scopeLength);
    this.#records.setWord(number, SIGNAL, (sender << 1) | SIGNALS.indexOf(signal));
    return number;
  }

  #groupOf(number: number): RowGroup {
    const word = (field: number) => this.#records.word(number, field) >>> 0;
    const entryPosition = this.entryPosition(number);
    return {
      entryPosition,
      signal: (word(SIGNAL) & 1) === 0 ? 'traces' : 'logs',
      sender: word(SIGNAL) >>> 1,
      resourcePosition: entryPosition + word(RESOURCE_OFFSET),
      resourceLength: word(RESOURCE_LENGTH),
      scopePosition: entryPosition + word(SCOPE_OFFSET),
      scopeLength: word(SCOPE_LENGTH),
    };
  }

  #remove(number: number): void {
    this.#given.delete(number);
    this.#records.remove(number);
    if (number === this.#last) this.#lastGroup = undefined;
  }
}

/** Offset as a 32-bit word of a record; read with `>>> 0`. */
export function offsetIn(entryPosition: number, position: number): number {
  const offset = position - entryPosition;
  if (offset < 0 || offset >= OFFSET_END) {
    throw new Error(`open turns: position ${position} is not in the entry at ${entryPosition}`);
  }
  return offset | 0;
}
