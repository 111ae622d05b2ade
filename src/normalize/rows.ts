/**
 * A precedence table as data. Each row says: this attribute, read in this way, gives that field; an earlier row wins. All
 * dialects' rows are compiled into one map from attribute key to rows, so that a span costs one look-up for each attribute
 * that it has and nothing for the hundred keys that it has not.
 */
import type { StepKind } from '../model/step.ts';
import { keyTable, NO_NUMBER } from '../otlp/key-table.ts';
import type { AttributeValue } from '../model/attribute-value.ts';
import { type Attributes, REPEATED } from '../otlp/views.ts';
import { CAPTURED, type Captured, type Draft, type Field, type Fields, NO_GUARD } from './draft.ts';
import { isPresent, isRedactionMarker, member } from './jsonish.ts';
import { tryParseJson } from '../model/json.ts';

export interface Row {
  readonly field: Field;
  readonly key: string;
  /** Members that are read if the value is an object. */
  readonly members?: readonly string[];
  /** Writes the field and returns true, or returns false if the value has no content. */
  readonly write: (draft: Fields, value: AttributeValue) => boolean;
}

interface Reader<T> {
  (value: AttributeValue): T | undefined;
  readonly members?: readonly string[];
}

export function row<F extends Field>(field: F, key: string, read: Reader<Fields[F]>): Row {
  return {
    field,
    key,
    ...(read.members === undefined ? {} : { members: read.members }),
    write: (draft, value) => {
      const found = read(value);
      if (found === undefined) return false;
      draft[field] = found;
      return true;
    },
  };
}

/** Rows of one field, in order of precedence. */
export function rows<F extends Field>(field: F, read: Reader<Fields[F]>, keys: readonly string[]): readonly Row[] {
  return keys.map((key) => row(field, key, read));
}

export function asText(value: AttributeValue): string | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value !== 'string' || value === '' || isPlaceholder(value)) return undefined;
  return isRedactionMarker(value) ? undefined : value;
}

/** Comparisons rather than a set: a set hashes each text that was just decoded, which costs more than decoding it. */
function isPlaceholder(text: string): boolean {
  return text === 'N/A' || text === '<not specified>';
}

/** A count: not negative (-1 is how some say "unknown"), and whole. */
export function asCount(value: AttributeValue): number | undefined {
  const number = asNumber(value);
  return number !== undefined && Number.isSafeInteger(number) ? number : undefined;
}

export function asNumber(value: AttributeValue): number | undefined {
  const number =
    typeof value === 'number' ? value : typeof value === 'bigint' || isDecimal(value) ? Number(value) : Number.NaN;
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}

function isDecimal(value: AttributeValue): value is string {
  return typeof value === 'string' && value.length < 24 && /^\d+(\.\d+)?$/.test(value);
}

export function asBoolean(value: AttributeValue): boolean | undefined {
  if (typeof value === 'boolean') return value;
  return value === 'true' ? true : value === 'false' ? false : undefined;
}

export function asKind(kinds: ReadonlyMap<string, StepKind>): Reader<StepKind> {
  return (value) => (typeof value === 'string' ? kinds.get(value) : undefined);
}

/** A member of a value that is itself JSON: the first of `names` that `read` accepts. */
export function memberAs<T>(names: readonly string[], read: Reader<T>): Reader<T> {
  const readMember = (value: AttributeValue) => {
    const object = typeof value === 'string' ? tryParse(value) : value;
    for (const name of names) {
      const found = member(object, name);
      if (typeof found === 'string' || typeof found === 'number') {
        const accepted = read(found);
        if (accepted !== undefined) return accepted;
      }
    }
    return undefined;
  };
  return Object.assign(readMember, { members: names });
}

/** Cut or not JSON: this row has nothing to say, the next one may. */
function tryParse(text: string): unknown {
  return text.startsWith('{') ? tryParseJson(text) : undefined;
}

interface Entry {
  readonly rank: number;
  readonly fieldIndex: number;
  readonly row: Row;
}

interface KeyEntries {
  readonly captured: number;
  /** Guard that `reading.ts` gave out, or NO_GUARD. */
  readonly guard: number;
  readonly isKept: boolean;
  readonly entries: readonly Entry[];
}

/**
 * Which content a key promises, and whether the value is worth keeping at once. A key that ends in `.*` stands for all
 * keys that begin with what is before the `*`: some emitters write a list as one attribute for each member.
 */
export type CapturedKey = readonly [what: Captured, key: string, keep?: 'keep'];

const NOTHING: KeyEntries = { captured: 0, guard: NO_GUARD, isKept: false, entries: [] };

export class RowTable {
  readonly #byKey = new Map<string, KeyEntries>();
  /**
   * Entries by the key's number, so that a known key is neither made a string nor hashed. A hole is a key not seen yet.
   */
  readonly #byNumber: (KeyEntries | undefined)[] = [];
  readonly #prefixes: { readonly prefix: string; readonly entries: KeyEntries }[] = [];
  readonly #best: Uint16Array;

  /** `guards` are keys that finders read, each with its number in the draft. */
  constructor(
    table: readonly Row[],
    captured: readonly CapturedKey[],
    guards: ReadonlyMap<string, number> = new Map(),
  ) {
    const fields = new Map<Field, number>();
    const at = (key: string): KeyEntries => this.#byKey.get(key) ?? NOTHING;
    for (const [rank, item] of table.entries()) {
      const fieldIndex = fields.get(item.field) ?? fields.size;
      fields.set(item.field, fieldIndex);
      const there = at(item.key);
      this.#byKey.set(item.key, { ...there, entries: [...there.entries, { rank, fieldIndex, row: item }] });
    }
    for (const [what, key, keep] of captured) {
      const there = at(key);
      const isKept = there.isKept || keep === 'keep';
      this.#byKey.set(key, { ...there, isKept, captured: there.captured | CAPTURED[what] });
    }
    for (const [key, guard] of guards) this.#byKey.set(key, { ...at(key), guard });
    this.#best = new Uint16Array(fields.size);
    for (const [key, entries] of this.#byKey) {
      if (key.endsWith('.*')) this.#prefixes.push({ prefix: key.slice(0, -1), entries });
    }
    for (const [key, own] of this.#byKey) {
      if (key.endsWith('.*')) continue;
      const entries = this.#withPrefix(key, own);
      this.#byKey.set(key, entries);
      const number = keyTable.numberOfText(key);
      if (number !== NO_NUMBER) this.#learn(number, entries);
    }
  }

  /** Reads every field for which the attributes have a row. `prefix` names the source in the rules. */
  apply(attributes: Attributes, draft: Draft, prefix: string): void {
    const best = this.#best.fill(0xffff);
    const { places } = attributes;
    for (let place = 0; place < places; place++) {
      const found = this.#entriesAt(attributes, place);
      if (found === undefined || found === NOTHING) continue;
      draft.captured |= found.captured;
      if (found.guard !== NO_GUARD) draft.note(found.guard);
      if (found.entries.length === 0 && !found.isKept) continue;
      const value = attributes.valueAt(place);
      if (!isPresent(value)) continue;
      if (found.isKept) draft.keep(attributes.keyAt(place), value);
      for (const { rank, fieldIndex, row: item } of found.entries) {
        if (rank >= (best[fieldIndex] ?? 0) || !item.write(draft, value)) continue;
        best[fieldIndex] = rank;
        draft.rules?.set(item.field, prefix + item.key);
      }
    }
  }

  #entriesAt(attributes: Attributes, place: number): KeyEntries | undefined {
    const number = attributes.keyNumberAt(place);
    if (number === REPEATED) return undefined;
    // A full table of keys gives no numbers, neither here nor when this table was made.
    if (number === NO_NUMBER) return this.#entriesOf(attributes.keyAt(place));
    const known = number < this.#byNumber.length ? this.#byNumber[number] : undefined;
    return known ?? this.#learn(number, this.#entriesOf(attributes.keyAt(place)));
  }

  #entriesOf(key: string): KeyEntries {
    return this.#byKey.get(key) ?? this.#ofPrefix(key) ?? NOTHING;
  }

  #ofPrefix(key: string): KeyEntries | undefined {
    return this.#prefixes.find(({ prefix }) => key.startsWith(prefix))?.entries;
  }

  /** A key with rows of its own is one of its prefix's keys all the same. */
  #withPrefix(key: string, own: KeyEntries): KeyEntries {
    const shared = this.#ofPrefix(key);
    if (shared === undefined) return own;
    const guard = own.guard === NO_GUARD ? shared.guard : own.guard;
    return { ...own, guard, captured: own.captured | shared.captured };
  }

  /** Numbers are bounded, see `key-table.ts`. */
  #learn(number: number, entries: KeyEntries): KeyEntries {
    while (this.#byNumber.length <= number) this.#byNumber.push(undefined);
    this.#byNumber[number] = entries;
    return entries;
  }
}
