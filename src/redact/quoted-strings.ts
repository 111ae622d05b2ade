/**
 * The strings that stand in quotes in any text: JSON, also cut, representations of Python and JavaScript, program text.
 * A text is divided into strings and what stands between them. No grammar is asked, so that a text which begins in the
 * middle of a string is divided all the same: what is then taken for a string and what for the text between change places.
 *
 *   {'content': "it's", 'n': 1}        a quote opens behind no word, except `b'`, `u'` and their like
 *   'a\n' +⏎  'b\n'     ('a\n'⏎ 'b')    as JavaScript and Python write long ones: one string in pieces
 *   …"content":"and mo                  a string that was cut; but a quote that does not close in a line before the last
 *                                       one only divides, as does one that closes what was opened before the text
 */
import { isLetter, isWord } from './bytes.ts';
import { isBlank } from './json-strings.ts';

export interface Stretch {
  readonly pieces: readonly (readonly [start: number, end: number])[];
  /** The quote around it; 0 for what stands between strings. */
  readonly quote: number;
  readonly hasEscapes: boolean;
}

const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const BACKTICK = 0x60;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;
const PLUS = 0x2b;
const INDENT_MAX = 200;
const PREFIX = /^(?:[bruf]|br|rb|fr|rf)$/i;

const QUOTES: readonly number[] = [QUOTE, APOSTROPHE, BACKTICK];
const ENDS = new Uint8Array(256);
for (const byte of [...QUOTES, BACKSLASH]) ENDS[byte] = 1;

/** From its beginning to its end, without what is empty. */
export function* stretchesOf(text: Buffer): Generator<Stretch> {
  let from = 0;
  let hasEscapes = false;
  let behindQuote = 0;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] ?? 0;
    if (ENDS[byte] !== 1) continue;
    if (byte === BACKSLASH) {
      hasEscapes = true;
      at++;
      continue;
    }
    const isOpening = opens(text, at);
    if (!isOpening && !closes(text, at)) continue;
    if (at > from) yield { pieces: [[from, at]], quote: isOpening ? behindQuote : byte, hasEscapes };
    hasEscapes = false;
    const string = isOpening ? stringAt(text, at) : undefined;
    if (string !== undefined && string.end > at + 2) yield string.stretch;
    // A string that was cut goes to the end of the text, if that is in its line.
    if (string === undefined && isOpening && isLastLine(text, at)) {
      const pieces = [[at + 1, text.length]] as const;
      if (at + 1 < text.length) yield { pieces, quote: byte, hasEscapes: text.includes(BACKSLASH, at) };
      return;
    }
    behindQuote = string === undefined ? byte : 0;
    at = string === undefined ? at : string.end - 1;
    from = at + 1;
  }
  if (from < text.length) yield { pieces: [[from, text.length]], quote: behindQuote, hasEscapes };
}

function opens(text: Buffer, at: number): boolean {
  if (!isWord(text[at - 1] ?? 0)) return true;
  let start = at;
  while (start > 0 && at - start < 3 && isLetter(text[start - 1] ?? 0)) start--;
  return !isWord(text[start - 1] ?? 0) && PREFIX.test(text.toString('latin1', start, at));
}

/** One that closes a string whose beginning was cut off; no apostrophe of a word. */
function closes(text: Buffer, at: number): boolean {
  const next = text[at + 1] ?? 0;
  return text[at] === QUOTE || (text[at] === APOSTROPHE && !isWord(next) && !isBlank(next));
}

function stringAt(text: Buffer, open: number): { readonly stretch: Stretch; readonly end: number } | undefined {
  const quote = text[open] ?? 0;
  const pieces: [number, number][] = [];
  let hasEscapes = false;
  let next: number | undefined = open;
  let end = open;
  while (next !== undefined) {
    const start: number = next + 1;
    const piece = pieceEnd(text, start, text[next] ?? 0);
    if (piece === undefined) {
      if (pieces.length > 0 && isLastLine(text, start)) {
        pieces.push([start, text.length]);
        hasEscapes ||= text.includes(BACKSLASH, start);
        end = text.length;
      }
      break;
    }
    pieces.push([start, piece.end]);
    hasEscapes ||= piece.hasEscapes;
    end = piece.end + 1;
    next = nextPiece(text, end);
    if (next !== undefined && !QUOTES.includes(text[next] ?? 0)) break;
  }
  return pieces.length === 0 ? undefined : { stretch: { pieces, quote, hasEscapes }, end };
}

function isLastLine(text: Buffer, at: number): boolean {
  return !text.includes(LINE_FEED, at);
}

/** Where the string closes; undefined if it does not, in its line. */
function pieceEnd(
  text: Buffer,
  start: number,
  quote: number,
): { readonly end: number; readonly hasEscapes: boolean } | undefined {
  let hasEscapes = false;
  for (let at = start; at < text.length; at++) {
    const byte = text[at];
    if (byte === quote) return { end: at, hasEscapes };
    if (byte === LINE_FEED && quote !== BACKTICK) return undefined;
    if (byte !== BACKSLASH) continue;
    hasEscapes = true;
    at++;
  }
  return undefined;
}

/** The quote of a next piece: behind a line break and perhaps a `+` before it. */
function nextPiece(text: Buffer, end: number): number | undefined {
  const stop = Math.min(text.length, end + INDENT_MAX);
  let at = end;
  let lines = 0;
  let hasPlus = false;
  for (; at < stop; at++) {
    const byte = text[at] ?? 0;
    if (byte === LINE_FEED) lines++;
    else if (byte === PLUS && !hasPlus && lines === 0) hasPlus = true;
    else if (!isBlank(byte)) break;
  }
  return lines === 1 && at < stop ? at : undefined;
}
