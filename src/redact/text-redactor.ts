/**
 * Takes secrets out of one text, as whoever wrote it meant it, whatever wraps it. There are three readings of a text, and
 * what is found in one is replaced where it stands in the original, so that all around it keeps its bytes:
 *
 *   JSON       values whose names say that they are secrets, numbers of cards, and the strings, each as a text by itself
 *   other      as it stands; and the strings in quotes and the stretches between them without their escapes, each as a
 *              text by itself (quoted-strings.ts, escapes.ts)
 *   disguised  without what hides letters, such as percent encoding (disguise.ts)
 *
 * A string may be JSON or hold strings again, and so on, up to a depth. So a text that was JSON stays JSON, and numbers
 * stay numbers unless they go.
 *
 * It is done again until nothing more is found. So what comes out is what comes out when it is redacted again; a text
 * that will not come to rest is replaced as a whole.
 */
import { redactionMarker } from '../model/redaction.ts';
import type { CustomPatterns } from './custom-patterns.ts';
import { formValuesOf, formValue, unmask } from './disguise.ts';
import type { Place } from './found.ts';
import { withoutEscapes } from './escapes.ts';
import { isJson, jsonStrings } from './json-strings.ts';
import { isIdOrTime, jsonValues, memberValueStart } from './json-values.ts';
import { type Stretch, stretchesOf } from './quoted-strings.ts';
import type { Reading } from './reading.ts';
import type { SecretNames } from './secret-names.ts';
import { type Redaction, splice } from './splice.ts';
import { splitSecrets, type TextElement } from './split-secrets.ts';
import type { TextScanner } from './text-scanner.ts';

const ROUNDS_MAX = 4;
/** JSON in a string in JSON…: what lies deeper is looked at as it is written. */
const NESTED_MAX = 8;
/**
 * Bytes of readings, for each byte of a text; a short text may have more. Real texts need less, however they are nested.
 * Readings beyond that are looked at as they are written.
 */
const READ_FACTOR = 8;
const READ_MIN = 32 * 1024;
/** Readings of a whole text within such readings: each of them looks again at all that is in it. */
const AGAIN_MAX = 2;

interface Findings {
  /** In order, and without overlaps. */
  readonly found: readonly Redaction[];
  /** Parts that are JSON, of which other readings of them know less. */
  readonly settled: readonly Place[];
}
interface Within extends Findings {
  /** Where those in values of forms begin: such a value ends where it says, though others read on. */
  readonly exact: ReadonlySet<number>;
}

interface Wanted {
  /** Where something may be, in order; undefined for anywhere. */
  readonly places: readonly number[] | undefined;
  readonly readings: 'all' | 'strings';
}

interface Depth {
  readonly nested: number;
  readonly again: number;
}
const TOP: Depth = { nested: 0, again: 0 };

/** Redaction was given up, because it was not done in time. */
export class RedactionOverdue extends Error {}

export class TextRedactor {
  /** When it is given up, by `performance.now()`; checked at each reading of a text that may hold a secret. */
  dueAt = Number.POSITIVE_INFINITY;
  readonly #scanner: TextScanner;
  readonly #names: SecretNames;
  readonly #custom: CustomPatterns;
  readonly #onFound: (name: string) => void;
  readonly #bytesMin: number;
  #bytesLeft = 0;

  constructor(scanner: TextScanner, names: SecretNames, custom: CustomPatterns, onFound: (name: string) => void) {
    this.#scanner = scanner;
    this.#names = names;
    this.#custom = custom;
    this.#bytesMin = custom.isEmpty ? scanner.bytesMin : 1;
    this.#onFound = onFound;
  }

  /** The redacted text; undefined where there is nothing to redact, which is found out without a copy. */
  redact(bytes: Buffer, start: number, end: number): Buffer | undefined {
    if (end - start < this.#bytesMin || !this.#isSuspicious(bytes, start, end)) return undefined;
    let current: Buffer | undefined;
    let last = '';
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const text: Buffer = current ?? bytes.subarray(start, end);
      this.#bytesLeft = Math.max(READ_MIN, READ_FACTOR * text.length);
      const { found } = this.#find(text, TOP);
      if (found.length === 0) return current;
      current = splice(text, found);
      for (const { pattern } of found) {
        if (pattern === undefined) continue;
        this.#onFound(pattern);
        last = pattern;
      }
      if (!this.#isSuspicious(current, 0, current.length)) return current;
    }
    return Buffer.from(redactionMarker(last));
  }

  /** Digits under a name that says id or time are no card: only patterns of the user are looked for. */
  redactNumber(text: Buffer): Buffer | undefined {
    const found = this.#custom.find(text, []);
    for (const { pattern } of found) if (pattern !== undefined) this.#onFound(pattern);
    return found.length === 0 ? undefined : splice(text, found);
  }

  /** Redactions of the parts of secrets that are split over elements of lists; the elements are in order. */
  splitIn(text: Buffer, elements: Iterable<TextElement>): Iterable<Redaction> {
    return splitSecrets(text, elements, this.#scanner);
  }

  #isSuspicious(bytes: Buffer, start: number, end: number): boolean {
    if (this.#scanner.mayHold(bytes, start, end)) return true;
    return !this.#custom.isEmpty && this.#custom.mayBeIn(bytes.toString('utf8', start, end));
  }

  #find(text: Buffer, depth: Depth): Findings {
    if (performance.now() > this.dueAt) throw new RedactionOverdue('redaction took too long here');
    this.#bytesLeft -= text.length;
    const isDeepest = depth.nested === NESTED_MAX || this.#bytesLeft < 0;
    return !isDeepest && isJson(text) ? this.#inJson(text, depth) : this.#inOther(text, isDeepest ? undefined : depth);
  }

  #inJson(text: Buffer, depth: Depth): Findings {
    const wanted = { names: this.#names, isCard: (number: string) => this.#scanner.isCard(number) };
    const found: Redaction[] = [];
    for (const { start, end, pattern } of jsonValues(text, wanted)) {
      const marker = redactionMarker(pattern);
      // The quotes of a text stay as they are written; anything else becomes a text.
      const isText = text[start] === QUOTE;
      found.push(
        isText
          ? { start: start + 1, end: end - 1, by: Buffer.from(marker), pattern }
          : { start, end, by: Buffer.from(`"${marker}"`), pattern },
      );
    }
    for (const part of [...this.splitIn(text, elementsOf(text, [...found]))]) found.push(part);
    const gone = found.toSorted((a, b) => a.start - b.start);
    let next = 0;
    let name = '';
    for (const { start, end, hasEscapes } of jsonStrings(text)) {
      if (memberValueStart(text, end + 1) !== undefined)
        name = text.toString('latin1', Math.max(start, end - NAME_MAX), end);
      while (next < gone.length && (gone[next]?.end ?? 0) <= start) next++;
      if ((gone[next]?.start ?? end) < end) continue;
      if (end - start < this.#bytesMin || !this.#isSuspicious(text, start, end)) continue;
      const string = readingOf(text, { pieces: [[start, end]], quote: QUOTE, hasEscapes });
      const within = isIdOrTime(name, string.text)
        ? this.#custom.find(string.text, [])
        : this.#find(string.text, { ...depth, nested: depth.nested + 1 }).found;
      for (const one of atSource(within, string, QUOTE)) found.push(one);
    }
    return { found: found.sort((a, b) => a.start - b.start), settled: [{ start: 0, end: text.length }] };
  }

  /** Without a depth, as it is written. */
  #inOther(text: Buffer, depth: Depth | undefined): Findings {
    const asWritten = this.#scanner.scan(text, 0, text.length);
    // Patterns of the user do not say where they may match.
    const places = this.#custom.isEmpty ? this.#scanner.places.sort((a, b) => a - b) : undefined;
    const mayHide = this.#scanner.needsCloserLook || !this.#custom.isEmpty;
    const isEnough = depth === undefined || (!mayHide && (asWritten.length === 0 || !hasStrings(text)));
    const { found, settled, exact } = isEnough
      ? NOTHING
      : this.#within(text, depth, { places, readings: mayHide ? 'all' : 'strings' });
    const all = asWritten.map(({ start, end, pattern }) => ({
      start,
      end,
      by: Buffer.from(redactionMarker(pattern)),
      pattern,
    }));
    const builtIn = united([...found, ...unsettled(all, settled).filter(({ start }) => !exact.has(start))]);
    if (this.#custom.isEmpty) return { found: builtIn, settled };
    return { found: united([...builtIn, ...unsettled(this.#custom.find(text, builtIn), settled)]), settled };
  }

  /** Findings in other readings. */
  #within(text: Buffer, { nested, again }: Depth, { places, readings }: Wanted): Within {
    const found: Redaction[] = [];
    const settled: Place[] = [];
    const look = (reading: Reading, quote: number, depth: Depth): readonly Redaction[] => {
      const within = this.#find(reading.text, depth);
      for (const { start, end } of within.settled) settled.push(reading.sourceOf(start, end));
      return atSource(within.found, reading, quote);
    };
    const deeper = { nested: nested + 1, again };
    let isWithin = false;
    let isNear = nearby(places);
    for (const stretch of stretchesOf(text)) {
      const { pieces, quote, hasEscapes } = stretch;
      if (quote === 0) isWithin ||= hasEscapes;
      const [start, end] = [pieces.at(0)?.[0] ?? 0, pieces.at(-1)?.[1] ?? 0];
      if (quote !== 0 && isNear(start, end) && this.#isSuspicious(text, start, end))
        for (const one of look(readingOf(text, stretch), quote, deeper)) found.push(one);
    }
    const exact = new Set<number>();
    isNear = nearby(places);
    if (readings === 'strings') return { found, settled, exact };
    for (const { start, end } of formValuesOf(text)) {
      if (!isNear(start, end) || !this.#isSuspicious(text, start, end)) continue;
      const ofValue = look(formValue(text, start, end), 0, deeper);
      // Behind a backslash it may go on, as Markdown writes `\_`.
      const isWhole = text[end] !== BACKSLASH;
      for (const one of ofValue) {
        if (isWhole) exact.add(one.start);
        found.push(one);
      }
    }
    if (again === AGAIN_MAX) return { found, settled, exact };
    // The whole text, where its parts do not say more.
    const whole = { nested: nested + 1, again: again + 1 };
    const ofParts = [...settled];
    const plain = unmask(text, this.#scanner.options);
    const flat = isWithin ? look(withoutEscapes(text, [[0, text.length]]), QUOTE, whole) : [];
    const unmasked = plain === undefined ? [] : look(plain, 0, whole);
    const others = unsettled([...flat, ...unmasked], ofParts).filter(({ start }) => !exact.has(start));
    return { found: [...found, ...others], settled, exact };
  }
}

const NOTHING: Within = { found: [], settled: [], exact: new Set() };

/** Findings outside of settled places. */
function unsettled(all: readonly Redaction[], settled: readonly Place[]): readonly Redaction[] {
  if (settled.length === 0) return all;
  const places = settled.toSorted((a, b) => a.start - b.start || b.end - a.end);
  let next = 0;
  let widest: Place = { start: 0, end: 0 };
  return all
    .toSorted((a, b) => a.start - b.start)
    .filter(({ start, end }) => {
      for (let place = places[next]; place !== undefined && place.start <= start; place = places[++next])
        if (place.end > widest.end) widest = place;
      return end > widest.end || (start === widest.start && end === widest.end);
    });
}

/** Whether one of the places is in or beside a part, of parts that are asked for in order. */
function nearby(places: readonly number[] | undefined): (start: number, end: number) => boolean {
  if (places === undefined) return () => true;
  let next = 0;
  return (start, end) => {
    while (next < places.length && (places[next] ?? 0) < start - 1) next++;
    return next < places.length && (places[next] ?? 0) <= end;
  };
}

function hasStrings(text: Buffer): boolean {
  return text.includes(QUOTE) || text.includes(APOSTROPHE);
}

const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const BACKSLASH = 0x5c;

/** The text of a string, or of a stretch between strings. */
function readingOf(text: Buffer, { pieces, hasEscapes }: Stretch): Reading {
  const [first] = pieces;
  if (hasEscapes || first === undefined || pieces.length > 1) return withoutEscapes(text, pieces);
  const [from, to] = first;
  const sourceOf = (start: number, end: number) => ({ start: start + from, end: end + from });
  return { text: text.subarray(from, to), isOther: false, sourceOf };
}

function atSource(all: readonly Redaction[], reading: Reading, quote: number): readonly Redaction[] {
  return all.map(({ start, end, by, pattern }) => ({
    ...reading.sourceOf(start, end),
    by: quote === 0 ? by : escaped(by, quote),
    pattern,
  }));
}

/** As it is written in a string. */
function escaped(by: Uint8Array, quote: number): Uint8Array {
  if (!by.includes(quote) && !by.includes(BACKSLASH)) return by;
  return Uint8Array.from(
    [...by].flatMap((byte) => (byte === quote || byte === BACKSLASH ? [BACKSLASH, byte] : [byte])),
  );
}

/** In order, and overlapping ones as one, named by the first; of equal ones the first is left. */
function united(all: readonly Redaction[]): readonly Redaction[] {
  const one: Redaction[] = [];
  for (const found of all.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = one.at(-1);
    if (last === undefined || found.start >= last.end) one.push(found);
    else if (found.end > last.end) one[one.length - 1] = { ...last, end: found.end };
  }
  return one;
}

/** The last bytes of a name say whether it is one of an id. */
const NAME_MAX = 64;

/** The strings of a JSON text that stay, as elements of its lists. */
function* elementsOf(
  text: Buffer,
  gone: readonly { readonly start: number; readonly end: number }[],
): Generator<TextElement> {
  let before = -1;
  let next = 0;
  for (const { start, end } of jsonStrings(text)) {
    while (next < gone.length && (gone[next]?.end ?? 0) <= start) next++;
    if ((gone[next]?.start ?? end) < end) {
      before = -1;
      continue;
    }
    yield { start, end, isNext: before !== -1 && isBetweenElements(text, before + 1, start - 1) };
    before = end;
  }
}

/** Only a comma, and blanks. */
function isBetweenElements(text: Buffer, start: number, end: number): boolean {
  return end - start <= 4 && /^\s*,\s*$/.test(text.toString('latin1', start, end));
}
