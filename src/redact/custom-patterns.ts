/**
 * The user's own patterns, run by RE2: a search takes time linear in the text whatever the pattern. All matches of a
 * text are another matter: a search may look far ahead and come back with little, again and again. So each search is in
 * a window that grows only where a match reaches its end, and is as far as it is from the last match at most twice
 * over.
 *
 * Text between two markers, and between what was found before, is searched by itself, because a marker that replaced a
 * secret is no secret.
 */
import { isUtf8 } from 'node:buffer';
import { RE2JS } from 're2js';
import type { Place } from './found.ts';
import { type CustomPattern, redactionMarker } from '../model/redaction.ts';
import type { Redaction } from './splice.ts';

const WINDOW = 256;
const MARKERS = /\[REDACTED:[a-z][a-z0-9_-]{0,31}\]/g;
/** These look at what is around a match, which is another thing in a JSON string than in the text that holds it. */
const CONTEXT = /[\^$]|\\[AbBzZ]/;
/** Something in another writing, which a search would stumble over. */
const HIDES =
  /\\|%[0-9a-f]{2}|&#?[a-z0-9]+;|[\u00a0\u00ad\u00b7\u0660-\u0669\u06f0-\u06f9\u2000-\u2014\u202f\u205f-\u2064\u2212\u3000\ufeff\uff01-\uff5e]/i;

interface Compiled {
  readonly name: string;
  readonly search: RE2JS;
  readonly asksForContext: boolean;
}

export class CustomPatterns {
  readonly #compiled: readonly Compiled[];

  constructor(patterns: readonly CustomPattern[]) {
    this.#compiled = patterns.map(({ name, pattern }) => ({
      name,
      search: RE2JS.compile(pattern),
      asksForContext: CONTEXT.test(pattern),
    }));
  }

  get isEmpty(): boolean {
    return this.#compiled.length === 0;
  }

  /** Quick, and right where it says no. */
  mayBeIn(text: string): boolean {
    const mayHide = HIDES.test(text);
    return this.#compiled.some(({ search, asksForContext }) => mayHide || asksForContext || search.test(text));
  }

  /** Matches outside of the places that are given, in order. Bytes that are no text hold nothing. */
  find(bytes: Buffer, taken: readonly Place[]): readonly Redaction[] {
    if (this.isEmpty || !isUtf8(bytes)) return [];
    const text = bytes.toString();
    const isAscii = text.length === bytes.length;
    let found: readonly Redaction[] = [];
    for (const { name, search } of this.#compiled) {
      if (!search.test(text)) continue;
      const by = Buffer.from(redactionMarker(name));
      const places = inText(text, isAscii, [...taken, ...found]);
      const more = bytesOf(text, isAscii, [...matchesIn(search, text, places)]);
      found = [...found, ...more.map((place) => ({ ...place, by, pattern: name }))].sort((a, b) => a.start - b.start);
    }
    return found;
  }
}

function* matchesIn(search: RE2JS, text: string, taken: readonly Place[]): Generator<Place> {
  for (const { start, end } of between(text.length, [...taken, ...markersIn(text)])) {
    for (let at = start; at < end; ) {
      const match = findIn(search, text, at, end);
      if (match === undefined) break;
      yield match;
      at = match.end;
    }
  }
}

function markersIn(text: string): readonly Place[] {
  return [...text.matchAll(MARKERS)].map((marker) => ({ start: marker.index, end: marker.index + marker[0].length }));
}

/** Parts of a text without these places, which may overlap. */
function* between(length: number, places: readonly Place[]): Generator<Place> {
  let start = 0;
  for (const place of places.toSorted((a, b) => a.start - b.start)) {
    if (place.start > start) yield { start, end: place.start };
    start = Math.max(start, place.end);
  }
  if (start < length) yield { start, end: length };
}

/** Places in bytes, which do not overlap, as places in the text. */
function inText(text: string, isAscii: boolean, places: readonly Place[]): readonly Place[] {
  if (isAscii || places.length === 0) return places;
  const bytes = Buffer.from(text);
  let [at, length] = [0, 0];
  const upTo = (to: number) => {
    length += bytes.toString('utf8', at, to).length;
    at = to;
    return length;
  };
  return places.toSorted((a, b) => a.start - b.start).map(({ start, end }) => ({ start: upTo(start), end: upTo(end) }));
}

/** The other way round; the places are in order. */
function bytesOf(text: string, isAscii: boolean, places: readonly Place[]): readonly Place[] {
  if (isAscii) return places;
  let [at, bytes] = [0, 0];
  const upTo = (to: number) => {
    bytes += Buffer.byteLength(text.slice(at, to));
    at = to;
    return bytes;
  };
  return places.map(({ start, end }) => ({ start: upTo(start), end: upTo(end) }));
}

/** The first match that is not empty, from `at` on. */
function findIn(
  search: RE2JS,
  text: string,
  from: number,
  end: number,
): { readonly start: number; readonly end: number } | undefined {
  let at = from;
  for (let size = WINDOW; ; ) {
    const windowEnd = Math.min(end, at + size);
    const matcher = search.matcher(text.slice(0, windowEnd));
    // A match that reaches the end of the window might be longer.
    if (!matcher.find(at) || (matcher.end() === windowEnd && windowEnd < end)) {
      if (windowEnd === end) return undefined;
      size *= 2;
    } else if (matcher.end() > matcher.start()) {
      return { start: matcher.start(), end: matcher.end() };
    } else {
      at = matcher.end() + 1;
      if (at >= end) return undefined;
    }
  }
}

/** Mistake in a pattern; undefined if there is none. */
export function customPatternMistake(pattern: string): string | undefined {
  try {
    return RE2JS.compile(pattern).matcher('').find() ? 'it matches the empty text' : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
